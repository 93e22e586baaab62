#!/usr/bin/env python3
"""Small real traces of PyTorch on a GPU, with what its own profiler says of them.

    python3 tests/gen/pytorch_traces.py FOLDER [CASE...]

Needs PyTorch and a CUDA device. For each case FOLDER gets NAME.json.gz, the trace as
`export_chrome_trace` writes it, and NAME.averages.json: rows of `key_averages()` (name, count, host
and device time in us, total and self) and the versions. tests/testdata/pytorch has those that
the tests read.
"""

import gzip
import json
import pathlib
import sys

import torch
from torch import nn
from torch.profiler import ProfilerActivity, profile, record_function, schedule

BOTH = [ProfilerActivity.CPU, ProfilerActivity.CUDA]


class Net(nn.Module):
    """Convolution, normalization, attention and a head."""

    def __init__(self):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, 16, 3, stride=2, padding=1), nn.BatchNorm2d(16), nn.ReLU())
        self.attention = nn.MultiheadAttention(16, 4, batch_first=True)
        self.head = nn.Linear(16, 10)

    def forward(self, images):
        pixels = self.stem(images).flatten(2).transpose(1, 2)
        mixed, _ = self.attention(pixels, pixels, pixels, need_weights=False)
        return self.head(mixed.mean(1))


def inference(take):
    net = Net().cuda().eval()
    images = torch.randn(4, 3, 32, 32)
    with torch.no_grad():
        net(images.cuda())
        torch.cuda.synchronize()
        with take(record_shapes=True) as prof:
            for _ in range(2):
                with record_function("request"):
                    net(images.pin_memory().cuda(non_blocking=True)).cpu()
            torch.cuda.synchronize()
    return prof


def training(take):
    net = Net().cuda()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    images, labels = torch.randn(4, 3, 32, 32).cuda(), torch.randint(10, (4,)).cuda()

    def step():
        optimizer.zero_grad()
        nn.functional.cross_entropy(net(images), labels).backward()
        optimizer.step()

    step()
    torch.cuda.synchronize()
    with take(schedule=schedule(wait=0, warmup=1, active=2)) as prof:
        for i in range(3):
            step()
            torch.cuda.synchronize()
            if i < 2:  # after the last, what was recorded would be gone
                prof.step()
    return prof


def streams(take):
    a, b = torch.randn(512, 512).cuda(), torch.randn(512, 512).cuda()
    side = torch.cuda.Stream()
    torch.mm(a, b)
    torch.cuda.synchronize()
    with take() as prof:
        for _ in range(3):
            with torch.cuda.stream(side):
                c = torch.mm(a, b)
            d = torch.mm(b, a)
            torch.cuda.current_stream().wait_stream(side)
            torch.add(c, d).to("cpu")
        torch.cuda.synchronize()
    return prof


def graphs(take):
    """A captured graph that is launched, and kernels beside it."""
    net = Net().cuda().eval()
    images = torch.randn(4, 3, 32, 32).cuda()
    with torch.no_grad():
        side = torch.cuda.Stream()
        with torch.cuda.stream(side):
            for _ in range(3):
                net(images)
        torch.cuda.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            net(images)
        graph.replay()
        torch.cuda.synchronize()
        with take() as prof:
            for _ in range(3):
                graph.replay()
            torch.mm(torch.ones(64, 64, device="cuda"), torch.ones(64, 64, device="cuda"))
            torch.cuda.synchronize()
    return prof


def graph_alone(take):
    """Nothing but launches of a graph."""
    x = torch.randn(256, 256).cuda()
    side = torch.cuda.Stream()
    with torch.cuda.stream(side):
        x @ x
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        y = torch.relu(x @ x) + x
    graph.replay()
    torch.cuda.synchronize()
    with take() as prof:
        for _ in range(4):
            graph.replay()
        torch.cuda.synchronize()
    del y
    return prof


def stacks(take):
    net = Net().cuda().eval()
    images = torch.randn(2, 3, 16, 16).cuda()
    with torch.no_grad():
        net(images)
        torch.cuda.synchronize()
        with take(with_stack=True, with_modules=True, record_shapes=True) as prof:
            net(images)
            torch.cuda.synchronize()
    return prof


def memory(take):
    net = Net().cuda()
    images = torch.randn(2, 3, 16, 16).cuda()
    net(images).sum().backward()
    torch.cuda.synchronize()
    with take(profile_memory=True) as prof:
        net(images).sum().backward()
        torch.cuda.synchronize()
    return prof


def modules(take):
    """One step of training, with the modules that its frames say."""
    net = nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), nn.ReLU(), nn.Flatten(), nn.Linear(8 * 16 * 16, 10)).cuda()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    images, labels = torch.randn(2, 3, 16, 16).cuda(), torch.randint(10, (2,)).cuda()

    def step():
        optimizer.zero_grad()
        nn.functional.cross_entropy(net(images), labels).backward()
        optimizer.step()

    step()
    torch.cuda.synchronize()
    with take(with_stack=True, with_modules=True) as prof:
        step()
        torch.cuda.synchronize()
    return prof


CASES = [inference, training, streams, graphs, graph_alone, stacks, memory, modules]


def averages(prof):
    """In microseconds, as key_averages has them."""
    return [{"name": row.key, "count": row.count, "host": row.cpu_time_total, "host_self": row.self_cpu_time_total,
             "device": row.device_time_total, "device_self": row.self_device_time_total}
            for row in prof.key_averages()]


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(1)
    torch.backends.cudnn.benchmark = False
    versions = {"torch": torch.__version__, "cuda": torch.version.cuda, "device": torch.cuda.get_device_name()}
    for case in [case for case in CASES if not sys.argv[2:] or case.__name__ in sys.argv[2:]]:
        prof = case(lambda **options: profile(activities=BOTH, **options))
        path = folder / f"{case.__name__}.json"
        prof.export_chrome_trace(str(path))
        data = path.read_bytes()
        path.unlink()
        with open(f"{path}.gz", "wb") as raw, gzip.GzipFile("", "wb", 9, raw, mtime=0) as packed:
            packed.write(data)
        (folder / f"{case.__name__}.averages.json").write_text(
            json.dumps({**versions, "rows": averages(prof)}, indent=1) + "\n")
        print(f"{case.__name__}: {len(data)} bytes")


if __name__ == "__main__":
    main()
