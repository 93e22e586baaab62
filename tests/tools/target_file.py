"""Targets as docs/formats/target.md has them, as far as a program's proof needs them: memories,
engines, queues and how many there are of each. Also the older form, with `kind`."""

import re

UNITS = {"": 1, "B": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}
NOWHERE = None
ROLES = {"dma_in": "transfer", "dma_out": "transfer", "cdma": "transfer", "slice": "compute",
         "css": "control", "cpu": "compute", "host": "host"}
LABELS = {"dma_in": "DMA IN", "dma_out": "DMA OUT", "cdma": "CDMA", "slice": "SLICE {lane}",
          "css": "CSS", "cpu": "CPU {lane}", "host": "HOST"}


class Memory:
    def __init__(self, name, keys):
        number, unit = re.fullmatch(r"([0-9.eE+]+)\s*(\w*)", keys.get("size", "0")).groups()
        self.name = name
        self.size = int(float(number) * UNITS[unit])
        self.local = keys.get("local") == "yes"
        self.per = keys.get("per", "machine")


class Engine:
    """`far` and `to` are memories; `queue` is None where the host starts it."""

    def __init__(self, name, keys):
        self.name = name
        self.keys = keys
        self.role = keys["role"] if "role" in keys else ROLES[keys["kind"]]
        self.per = keys.get("per", "machine")
        self.lanes = int(keys.get("lanes", keys.get("count", "1")))
        self.cast = keys.get("cast") == "many"
        self.loops = int(keys.get("loops", "0"))
        self.tiled = keys.get("tile", "1x1").replace(" ", "") != "1x1"
        self.either = "either" in keys
        takes = [clause.split(":")[0].split() for clause in keys.get("takes", "").split(";")]
        self.lays_out = self.role in ("compute", "control") and any("layout" in words for words in takes)
        plain = name.upper() + (" {lane}" if self.lanes > 1 else "")
        self.label = keys.get("label", LABELS[keys["kind"]] if "kind" in keys else plain)
        self.queue = None
        self.stages = []


class Target:
    def __init__(self, text):
        sections = self.sections_of(text)
        cores = sections.get("core", {})
        grid = [int(side) for side in cores.get("grid", "1x1").split("x")]
        self.cores = int(cores.get("count", grid[0] * grid[1]))
        self.devices = int(sections.get("device", {}).get("count", "1"))
        named = {kind: [(name.split(" ", 1)[1], keys) for name, keys in sections.items()
                        if name.startswith(kind + " ")] for kind in ("memory", "queue", "engine")}
        self.memories = [Memory(name, keys) for name, keys in named["memory"]]
        self.engines = [Engine(name, keys) for name, keys in named["engine"]]
        self.queues = [(name, keys.get("per", "machine")) for name, keys in named["queue"]]
        for engine in self.engines:
            self.find_ends(engine)
            engine.stages = [self.engine(name) for name in engine.keys.get("stages", "").split()]
        self.find_queues(dict(named["queue"]), any("kind" in keys for _, keys in named["engine"]))

    @staticmethod
    def sections_of(text):
        sections = {}
        section = {}
        for line in text.decode().split("\n"):
            line = line.split("#")[0].strip()
            if line.startswith("["):
                section = sections.setdefault(" ".join(line[1:-1].split()), {})
            elif line:
                key, _, value = line.partition("=")
                section[key.strip()] = value.strip()
        return sections

    def memory(self, name):
        return [memory.name for memory in self.memories].index(name)

    def engine(self, name):
        return [engine.name for engine in self.engines].index(name)

    def far(self, besides=None):
        """The first memory that is not local."""
        return next((i for i, memory in enumerate(self.memories) if not memory.local and i != besides), NOWHERE)

    def find_ends(self, engine):
        ends = {key: self.memory(engine.keys[key]) if key in engine.keys else NOWHERE
                for key in ("memory", "from", "to")}
        own, engine.start, engine.end = ends["memory"], ends["from"], ends["to"]
        if "kind" in engine.keys:
            own = own or 0
            engine.start = self.far() if engine.keys["kind"] == "dma_in" else own
            engine.end = self.far() if engine.keys["kind"] == "dma_out" else own
        elif engine.role == "transfer" and (engine.start, engine.end) != (NOWHERE, NOWHERE):
            engine.start = self.far(engine.end) if engine.start is NOWHERE else engine.start
            engine.end = self.far(engine.start) if engine.end is NOWHERE else engine.end
        else:
            if own is NOWHERE and engine.role == "communication":
                own = next(i for i, memory in enumerate(self.memories) if memory.per != "machine")
            own = self.usual(engine) if own is NOWHERE else own
            engine.start = engine.end = own
        engine.memory = own

    def usual(self, engine):
        """Where an engine computes that does not say: a local memory, one as often as it if there is."""
        local = [i for i, memory in enumerate(self.memories) if memory.local and engine.role != "host"]
        alike = [i for i in local if self.memories[i].per == engine.per]
        return (alike + local + [self.far() or 0])[0]

    def find_queues(self, queues, old):
        names = [name for name, _ in self.queues]
        for name, keys in queues.items():
            for word in keys.get("drives", "").split():
                self.engines[self.engine(word)].queue = names.index(name)
        if old:
            self.queues = [("nss", "machine")]
        for engine in self.engines:
            if engine.role == "host":
                continue
            if old:
                engine.queue = 0
            elif "queue" in engine.keys:
                engine.queue = names.index(engine.keys["queue"])
            elif engine.queue is None:
                engine.queue = len(self.queues)
                self.queues.append((engine.name, engine.per))

    def units(self, per):
        return {"machine": 1, "device": self.devices, "core": self.devices * self.cores}[per]

    def reaches(self, engine, unit, memory, memory_unit):
        """Whether that unit of an engine works with that unit of a memory."""
        own, other = self.engines[engine].per, self.memories[memory].per
        if "machine" in (own, other):
            return True
        def device(per, number):
            return number // self.cores if per == "core" else number
        return unit == memory_unit if own == other else device(own, unit) == device(other, memory_unit)

    def carries(self, engine, start, end):
        item = self.engines[engine]
        if item.role == "transfer" and item.start == item.end:
            return self.memories[start].local and self.memories[end].local and item.memory in (start, end)
        return item.role in ("transfer", "communication") and (start, end) == (item.start, item.end)
