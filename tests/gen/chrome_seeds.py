#!/usr/bin/env python3
"""Writes the seeds of the Chrome reader's fuzz target.

    chrome_seeds.py [DIR]        (tests/fuzz/corpus/chrome)

Small traces of every phase and form. Deterministic: run it again after adding one and commit
what changes.
"""

import pathlib
import sys

from chrome_traces import dump, random_trace

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "fuzz/corpus/chrome"

SEEDS = {
    "empty": "[]",
    "open": "[",
    "complete": '[{"ph":"X","name":"a","cat":"c","pid":1,"tid":2,"ts":1.5,"dur":2,"args":{"k":1}}]',
    "edges": '[{"ph":"B","name":"a","pid":1,"tid":2,"ts":1},{"ph":"B","name":"b","pid":1,"tid":2,'
             '"ts":2},{"ph":"E","name":"a","pid":1,"tid":2,"ts":3},{"ph":"E","pid":1,"tid":2,"ts":4}]',
    "edges_back": '[{"ph":"E","pid":1,"tid":2,"ts":4},{"ph":"B","name":"b","pid":1,"tid":2,"ts":2}]',
    "async": '[{"ph":"b","name":"a","cat":"c","id":"0x1","pid":1,"ts":1},{"ph":"n","name":"m",'
             '"cat":"c","id":1,"pid":1,"ts":2},{"ph":"e","name":"a","cat":"c","id":1,"pid":1,"ts":3},'
             '{"ph":"e","cat":"c","id2":{"local":"q"},"pid":1,"ts":9},'
             '{"ph":"b","cat":"c","id2":{"local":"q"},"pid":1,"ts":8}]',
    "flows": '[{"ph":"X","name":"a","pid":1,"tid":1,"ts":0,"dur":9},{"ph":"s","name":"f","cat":"f",'
             '"id":1,"pid":1,"tid":1,"ts":0},{"ph":"f","name":"f","cat":"f","id":1,"pid":1,"tid":2,'
             '"ts":5},{"ph":"X","name":"b","pid":1,"tid":2,"ts":6,"dur":1,"bind_id":"0x7",'
             '"flow_in":true},{"ph":"t","name":"f","cat":"f","id":1,"pid":1,"tid":1,"ts":3}]',
    "counters": '[{"ph":"C","name":"m","pid":1,"ts":1,"args":{"bytes":5}},{"ph":"C","name":"m",'
                '"id":3,"pid":1,"ts":2,"args":{"a":1.5,"b":-2}}]',
    "metadata": '[{"ph":"M","name":"process_name","pid":"P","args":{"name":"p","base_ns":"12"}},'
                '{"ph":"M","name":"thread_name","pid":"P","tid":"t","args":{"name":"T",'
                '"description":"modelled, 800000000 Hz cycles"}},{"ph":"M","name":"thread_sort_index",'
                '"pid":"P","tid":"t","args":{"sort_index":-1}},{"ph":"X","name":"x","pid":"P",'
                '"tid":"t","ts":0.005,"dur":0.010,"args":{"cycles":8,"location":"loc(1)"}}]',
    "object": '{"schemaVersion":1,"otherData":{"v":"1","n":[]},"traceEvents":[{"ph":"i","s":"g",'
              '"name":"\\u0000\\ud83d\\ude00\\ud800","ts":"1e3"}],"stackFrames":{"1":{}}} tail',
    "nested": '[{"ph":"i","ts":1,"args":{"a":{"b":[1,[2,{"c":null}],"t",true,-1e99]},"":1,'
              '"big":18446744073709551615,"x\\ty":"\\"\\\\"},"tts":5,"cname":"good"}]',
    "times": '[{"ph":"X","ts":1e-3,"dur":0.0009},{"ph":"X","ts":-1,"dur":1},{"ph":"X","ts":9e18},'
             '{"ph":"X","ts":9223372036854775.8,"dur":1}]',
    "malformed": '[{"ph":"i","ts":1},\n{"ph" "i"},\n17,\n{"ph":"i","ts":2}\n{"ph":"i","ts":3}',
}


def main(arguments):
    folder = pathlib.Path(arguments[0]) if arguments else FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in SEEDS.items():
        (folder / f"{name}.json").write_text(text, encoding="utf-8")
    (folder / "random.json").write_text(dump(random_trace(1, 20_000)), encoding="utf-8")


main(sys.argv[1:])
