"""Makes the operations report of a folder by tt-metal's own process_ops_logs.

    tt_metal_vendor.py CHECKOUT FOLDER

FOLDER/.logs has the logs; FOLDER/reports gets the report. CHECKOUT has tt_metal/tools/profiler, where the
script was until 2025-09. Needs pandas, click and yaml; what only logs or paints is stood in for.
"""

import os
import pathlib
import sys
import types


class Silent:
    def __getattr__(self, name):
        return lambda *words, **named: None


def main():
    checkout, folder = map(pathlib.Path, sys.argv[1:])
    sys.path.insert(0, str(checkout))
    os.environ["TT_METAL_HOME"] = str(folder)
    for name in ("loguru", "seaborn"):
        sys.modules[name] = types.ModuleType(name)
    sys.modules["loguru"].logger = Silent()
    from tt_metal.tools.profiler import process_ops_logs
    process_ops_logs.process_ops(folder, None, False)


if __name__ == "__main__":
    main()
