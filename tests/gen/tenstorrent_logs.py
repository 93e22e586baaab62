#!/usr/bin/env python3
"""Synthetic logs of a Tenstorrent capture, with the answers.

    from tenstorrent_logs import Capture
    capture = Capture(seed=1)
    op = capture.launch("Matmul", device=0, cores=capture.grid(4))
    capture.write(folder)
    rows = capture.rows()          # the report, column by column, as texts

Every marker is a tuple that the answers are computed from by brute force, so
that they follow the rules of the report and not the program under test.
Faults are injected by taking markers away (`drop`) or by changing the texts.

    tenstorrent_logs.py FOLDER [--ops N] [--cores N] [--devices N] [--replays N]
"""

import argparse
import json
import pathlib
import random

RISCS = ["BRISC", "NCRISC", "TRISC_0", "TRISC_1", "TRISC_2"]
FIRMWARE = {"BRISC-FW", "NCRISC-FW", "TRISC-FW", "ERISC-FW"}
KERNEL = {"BRISC-KERNEL", "NCRISC-KERNEL", "TRISC-KERNEL", "ERISC-KERNEL"}
DATA_MOVEMENT = {"BRISC-KERNEL", "NCRISC-KERNEL", "ERISC-KERNEL"}
HEADER_13 = ("PCIe slot, core_x, core_y, RISC processor type, timer_id, time[cycles since reset],"
             " data, run host ID,  zone name, type, source line, source file, meta data")
HEADER_15 = HEADER_13.replace("run host ID,  zone", "run host ID, trace id, trace id counter, zone")
TIMES = ("name,src_file,src_line,zone_name,zone_text,ns_since_start,exec_time_ns,thread,"
         "special_parent_text")
TIMER_ID = {"FW": 22845, "KERNEL": 21766}


def family(risc):
    return risc.split("_")[0]


class Run:
    """One execution on a device: markers are (x, y, risc, zone, type, time, data)."""

    def __init__(self, op, replay):
        self.op = op
        self.replay = replay
        self.markers = []

    def drop(self, **match):
        """Takes markers away; returns how many there were."""
        names = ["x", "y", "risc", "zone", "type"]
        keep = [marker for marker in self.markers
                if any(marker[names.index(key)] != value for key, value in match.items())]
        dropped = len(self.markers) - len(keep)
        self.markers = keep
        return dropped


class Op:
    def __init__(self, code, device, count, message_time):
        self.code = code
        self.device = device
        self.count = count
        self.message_time = message_time
        self.hash = 0
        self.cached = False
        self.start = self.duration = 0
        self.trace = None
        self.runs = []
        self.json = {}
        self.functions = {}
        self.loc = None


class Capture:
    def __init__(self, seed=1, megahertz=1000, columns=13, arch="wormhole_b0", most_cores=None):
        self.random = random.Random(seed)
        self.megahertz = megahertz
        self.columns = columns
        self.arch = arch
        self.most_cores = most_cores
        self.ops = []
        self.signposts = []
        self.messages = []  # (time, text) in order
        self.replays = []  # (device, trace, time)
        self.cycles = {}
        self.now = 1_000_000_000
        self.program = 0
        self.known = {}
        self.open = {}
        self.loc = None

    def grid(self, count):
        return [(1 + index % 8, 1 + index // 8) for index in range(count)]

    # What the host does -------------------------------------------------------

    def step(self, most=100_000):
        self.now += self.random.randint(1000, most)
        return self.now

    def say(self, text, quoted=True):
        self.messages.append((self.step(), f"`{text}`" if quoted else text))

    def signpost(self, header, message=None):
        self.say(f"TT_SIGNPOST: {header}" + (f"\n{message}" if message else ""))
        self.signposts.append((header, message or "", self.now))

    def location(self, loc):
        self.say(f"MLIR_OP_LOCATION;{loc}", quoted=False)
        self.loc = loc

    def launch(self, code, device=0, cores=None, riscs=RISCS, shape=(1, 1, 32, 64), run=True,
               cache_hit=None):
        """An operation: described the first time, cached afterwards."""
        self.program += 1
        op = Op(code, device, self.program << 10 | device, 0)
        op.cores = cores or self.grid(4)
        op.riscs = riscs
        op.start = self.step()
        op.duration = self.random.randint(500, 50_000)
        self.now += op.duration
        op.hash = 10**19 + sum(map(ord, code)) * 1000 + len(op.cores)
        op.json = self.describe(op, shape)
        op.loc = self.loc
        op.trace = self.open.get(device)
        head = f'TT_DNN_DEVICE_OP: "{code}", {op.hash}, {device}, '
        head += f"{str(cache_hit).lower()}, " if cache_hit is not None else ""
        head += str(op.count)
        op.cached = (device, op.hash) in self.known
        op.head = head
        self.known[device, op.hash] = op
        self.say(head if op.cached else f"{head} ->\n{json.dumps(op.json, indent=4)}")
        op.message_time = self.now
        op.functions = {"CompileProgram": self.random.randint(1, 9999)}
        if self.random.random() < 0.5:
            op.functions["HWCommandQueue_write_buffer"] = self.random.randint(1, 999)
        self.ops.append(op)
        if run and op.trace is None:
            self.execute(op, 0)
        return op

    def describe(self, op, shape):
        tensor = {"dtype": "BFLOAT16", "layout": "TILE",
                  "shape": dict(zip("WZYX", shape)),
                  "storage_type": {"device_id": 1, "memory_config": {
                      "buffer_type": "L1", "memory_layout": "HEIGHT_SHARDED"}}}
        kernel = f"{op.code.lower()}/{op.hash}/"
        return {"attributes": {"kind": f"Kind::{op.code}, it's", "grid": "{8, 8}"},
                "device_id": op.device, "global_call_count": op.count,
                "input_tensors": [tensor] * (1 + len(op.code) % 2),
                "kernel_info": {
                    "compute_kernels": [{"math_fidelity": "HiFi2", "name": kernel,
                                         "source": f"compute/{op.code}.cpp"}],
                    "datamovement_kernels": [{"name": "r/" + kernel, "source": "r.cpp"},
                                             {"name": "w/" + kernel, "source": "w.cpp"}],
                    "kernel_sizes": {"brisc_max_kernel_size": 100, "erisc_max_kernel_size": 0,
                                     "ncrisc_max_kernel_size": 200,
                                     "trisc_0_max_kernel_size": 300,
                                     "trisc_1_max_kernel_size": 400,
                                     "trisc_2_max_kernel_size": 500}},
                "op_code": op.code, "op_hash": op.hash, "op_type": "tt_dnn_device",
                "optional_input_tensors": [], "output_tensors": [tensor],
                "performance_model": {"bandwidth_ns": 10, "compute_ns": 7, "ideal_ns": 10,
                                      "input_bws": [277.6949157714844, 2.0], "output_bws": []}}

    def begin_trace(self, trace, device=0):
        self.say(f"TT_METAL_TRACE_BEGIN: {device}, {trace}")
        self.open[device] = trace

    def end_trace(self, device=0):
        self.say(f"TT_METAL_TRACE_END: {device}, {self.open.pop(device)}")

    def replay(self, trace, device=0):
        self.say(f"TT_METAL_TRACE_REPLAY: {device}, {trace}")
        self.replays.append((device, trace, self.now))
        count = sum(1 for replay in self.replays if replay[:2] == (device, trace))
        for op in self.ops:
            if op.trace == trace and op.device == device:
                self.execute(op, count)

    # What the device does -----------------------------------------------------

    def execute(self, op, replay):
        rnd = self.random
        begin = self.cycles.get(op.device, 5_000_000_000 + op.device * 777) + rnd.randint(2000, 9000)
        run = Run(op, replay)
        last = begin
        for x, y in op.cores:
            starts = begin + rnd.randint(0, 300)
            ends = []
            spans = []
            for risc in op.riscs:
                firmware = starts + rnd.randint(0, 50)
                kernel = firmware + rnd.randint(100, 400)
                stop = kernel + rnd.randint(500, 30_000)
                ends.append(stop + rnd.randint(20, 200))
                spans.append((risc, firmware, kernel, stop))
            for risc, firmware, kernel, stop in spans:
                zone = family(risc)
                # BRISC waits for the others.
                done = max(ends) + 10 if risc == "BRISC" else ends[op.riscs.index(risc)]
                run.markers += [(x, y, risc, f"{zone}-FW", "ZONE_START", firmware, 0),
                                (x, y, risc, f"{zone}-KERNEL", "ZONE_START", kernel, 0),
                                (x, y, risc, f"{zone}-KERNEL", "ZONE_END", stop, 0),
                                (x, y, risc, f"{zone}-FW", "ZONE_END", done, 0)]
                last = max(last, done)
                if risc == "TRISC_0":
                    run.markers.append((x, y, risc, "CB-COMPUTE-WAIT-FRONT", "ZONE_TOTAL", stop,
                                        rnd.randint(1, 500)))
                if risc == "BRISC":
                    run.markers.append((x, y, risc, "", "TS_DATA", kernel + 1, rnd.getrandbits(60)))
        self.cycles[op.device] = last
        op.runs.append(run)

    # Files --------------------------------------------------------------------

    def device_log(self):
        first = f"ARCH: {self.arch}, CHIP_FREQ[MHz]: {self.megahertz}"
        if self.most_cores:
            first += f", Max Compute Cores: {self.most_cores}"
        lines = [first, HEADER_13 if self.columns == 13 else HEADER_15]
        lanes = {}
        for op in self.ops:
            for run in op.runs:
                for x, y, risc, zone, kind, time, data in run.markers:
                    lanes.setdefault((op.device, x, y, risc), []).append(
                        (run.replay, time, op, zone, kind, data))
        for (device, x, y, risc), markers in sorted(lanes.items(), key=lambda item: item[0]):
            for replay, time, op, zone, kind, data in sorted(markers, key=lambda m: m[1]):
                timer = 12345 if not zone else TIMER_ID["FW" if zone.endswith("FW") else "KERNEL"]
                row = [device, x, y, risc, timer, time, data, op.count]
                if self.columns == 15:
                    row += [op.trace, replay] if replay else ["", ""]
                row += [zone, kind, 49, "/firmware/brisc.cc" if zone else "", ""]
                lines.append(",".join(map(str, row)))
        return "\n".join(lines) + "\n"

    def ops_data(self):
        return "MessageName;total_ns\n" + "".join(f"{text};{time}\n" for time, text in self.messages)

    def ops_times(self):
        lines = [TIMES]
        for op in self.ops:
            lines += [f"{name},/metal/queue.cpp,7,,,{op.start + 1},{ns},1,id:{op.count}"
                      for name, ns in op.functions.items()]
        for op in reversed(self.ops):
            lines.append(f'TT_DNN_DEVICE_OP,/ttnn/device_operation.hpp,244,,"id:{op.count}",'
                         f"{op.start},{op.duration},1,")
        return "\n".join(lines) + "\n"

    def write(self, folder):
        folder = pathlib.Path(folder)
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "profile_log_device.csv").write_text(self.device_log(), encoding="utf-8")
        (folder / "tracy_ops_data.csv").write_text(self.ops_data(), encoding="utf-8")
        (folder / "tracy_ops_times.csv").write_text(self.ops_times(), encoding="utf-8")
        return folder

    # Answers ------------------------------------------------------------------

    def nanoseconds(self, cycles):
        return f"{cycles * 1000 / self.megahertz:.0f}"

    def device_cells(self, run, before):
        """The cells of a whole run. `before` is the kernel end of the run before, or None."""
        cells = {"CORE COUNT": str(len({marker[:2] for marker in run.markers if "FW" in marker[3]}))}

        def times(zones, risc=None, kind=None):
            return [marker[5] for marker in run.markers if marker[3] in zones
                    and (risc is None or marker[2] == risc) and (kind is None or marker[4] == kind)]

        firmware, kernel = times(FIRMWARE), times(KERNEL)
        cells["DEVICE FW START CYCLE"] = str(min(firmware))
        cells["DEVICE FW END CYCLE"] = str(max(firmware))
        cells["DEVICE FW DURATION [ns]"] = self.nanoseconds(max(firmware) - min(firmware))
        cells["DEVICE KERNEL DURATION [ns]"] = self.nanoseconds(max(kernel) - min(kernel))
        movement = times(DATA_MOVEMENT)
        cells["DEVICE KERNEL DURATION DM START [ns]"] = self.nanoseconds(max(kernel) - min(movement))
        starts = times(KERNEL, kind="ZONE_START")
        cells["DEVICE KERNEL FIRST TO LAST START [ns]"] = self.nanoseconds(max(starts) - min(starts))
        per_core = {}
        for marker in run.markers:
            if marker[3] in KERNEL:
                per_core.setdefault(marker[:2], []).append(marker[5])
        lengths = [max(core) - min(core) for core in per_core.values()]
        for name, value in (("MIN", min(lengths)), ("MAX", max(lengths)),
                            ("AVG", sum(lengths) / len(lengths))):
            cells[f"DEVICE KERNEL DURATION PER CORE {name} [ns]"] = \
                f"{value / (self.megahertz / 1000):.0f}"
        for risc in RISCS:
            found = times(KERNEL, risc)
            cells[f"DEVICE {risc.replace('_', '')} KERNEL DURATION [ns]"] = \
                self.nanoseconds(max(found) - min(found)) if found else ""
        waits = sum(marker[6] for marker in run.markers if marker[3] == "CB-COMPUTE-WAIT-FRONT")
        cells["DEVICE COMPUTE CB WAIT FRONT [ns]"] = self.nanoseconds(waits) if waits else ""
        per_ns = self.megahertz / 1000
        for name, start in (("OP TO OP LATENCY [ns]", min(kernel)),
                            ("OP TO OP LATENCY BR/NRISC START [ns]", min(movement))):
            cells[name] = "0" if before is None else str(round((start - before) / per_ns))
        cells["PM FPU UTIL (%)"] = str(
            round(100.0 * 7.0 / float(cells["DEVICE KERNEL DURATION [ns]"]), 3))
        return cells, max(kernel)

    def host_cells(self, op):
        described = self.known_first(op)
        cells = {"OP CODE": op.code, "OP TYPE": "tt_dnn_device", "GLOBAL CALL COUNT": str(op.count),
                 "DEVICE ID": str(op.device), "MATH FIDELITY": "HiFi2",
                 "ATTRIBUTES": str(described["attributes"]).replace(",", ";"),
                 "HOST START TS": str(op.start), "HOST END TS": str(op.start + op.duration),
                 "HOST DURATION [ns]": str(op.duration),
                 "INPUT_0_W": "1", "INPUT_0_MEMORY": "DEV_1_L1_HEIGHT_SHARDED",
                 "OUTPUT_0_X": str(described["output_tensors"][0]["shape"]["X"]),
                 "COMPUTE KERNEL SOURCE": f"['compute/{op.code}.cpp']",
                 "TRISC 2 MAX KERNEL SIZE [B]": "500",
                 "PM REQ I BW": "[277.6949157714844; 2.0]", "PM REQ O BW": "[]",
                 "LOC": op.loc or "loc(unknown)", "CONST_EVAL_OP": "false",
                 "PROGRAM_METADATA": "{}"}
        for name, ns in op.functions.items():
            cells[f"{name}_TT_HOST_FUNC [ns]"] = str(ns)
        return cells

    def known_first(self, op):
        return next(other.json for other in self.ops
                    if (other.device, other.hash) == (op.device, op.hash))

    def rows(self):
        """What must be in the report, row by row, for a capture without faults."""
        rows = []
        for sequence, op in enumerate(self.ops):
            whole = op.runs[0] if op.trace is None and op.runs else None
            rows.append((op.start, 0, sequence, op, whole, {}))
            for run in op.runs if op.trace is not None else []:
                time = [replay[2] for replay in self.replays
                        if replay[:2] == (op.device, op.trace)][run.replay - 1]
                rows.append((time, 1, op.count, op, run,
                             {"METAL TRACE ID": str(op.trace),
                              "METAL TRACE REPLAY SESSION ID": str(run.replay)}))
        for sequence, signpost in enumerate(self.signposts):
            rows.append((signpost[2], 2, sequence, signpost, None, {}))
        before = {}
        answers = []
        for time, kind, _, op, run, more in sorted(rows, key=lambda row: row[:3]):
            if kind == 2:
                answers.append({"OP CODE": op[0], "OP TYPE": "signpost", "ATTRIBUTES": op[1],
                                "HOST START TS": str(time), "GLOBAL CALL COUNT": "", "LOC": ""})
                continue
            cells = {**self.host_cells(op), **more}
            if run is not None:
                device, end = self.device_cells(run, before.get(op.device))
                before[op.device] = end
                cells.update(device)
            else:
                cells.update({"CORE COUNT": "", "DEVICE KERNEL DURATION [ns]": "",
                              "METAL TRACE ID": "", "PM FPU UTIL (%)": ""})
            answers.append(cells)
        return answers


def ordinary(seed=1, ops=12, cores=6, devices=2, replays=3, **options):
    """A bit of everything, nothing wrong with it."""
    capture = Capture(seed, **options)
    rnd = capture.random
    codes = ["Matmul", "Softmax", "Untilize", "BinaryNgDeviceOperation"]
    for index in range(ops):
        if index % 5 == 1:
            capture.signpost(f"step {index}", "with a message" if index % 2 else None)
        if index % 4 == 2:
            capture.location(f'loc("/model.py":{index}:0, "add;{index}")')
        capture.launch(rnd.choice(codes), device=index % devices,
                       cores=capture.grid(rnd.randint(1, cores)))
    for device in range(devices if replays else 0):
        capture.begin_trace(device + 1, device)
        for _ in range(3):
            capture.launch(rnd.choice(codes), device=device, cores=capture.grid(cores))
        capture.end_trace(device)
    for _ in range(replays):
        for device in range(devices):
            capture.replay(device + 1, device)
    return capture


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--ops", type=int, default=12)
    parser.add_argument("--cores", type=int, default=6)
    parser.add_argument("--devices", type=int, default=2)
    parser.add_argument("--replays", type=int, default=3)
    given = vars(parser.parse_args())
    folder = given.pop("folder")
    ordinary(**given).write(folder)


if __name__ == "__main__":
    main()
