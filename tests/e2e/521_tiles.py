"""Quantized operators are cut into tiles, stay on the slices, and compute the same bits."""

from support import *

sys.path.append(str(ROOT / "tests/tools"))
import program_checker as checker
from onnx_writer import *

# Small enough that every one of the networks below has to be cut.
LITTLE = "--set=lram.size=40KiB"


def scaled(name):
    """Nodes that make `name`_real of the integers `name`, and the other way round."""
    return (make_node("DequantizeLinear", [name, "scale", "zero"], [f"{name}_real"]),
            make_node("QuantizeLinear", [f"{name}_real", "scale", "zero"], [name]))


def quantized(folder, nodes, inputs, weights=()):
    """A network over u8 inputs; its nodes give y_real."""
    graph = make_graph(
        [scaled(name)[0] for name in inputs] + nodes + [scaled("y")[1]],
        inputs=[make_value(name, "u8", shape) for name, shape in inputs.items()],
        outputs=[make_value("y", "u8")],
        initializers=[make_tensor("scale", "f32", [], [0.05]), make_tensor("zero", "u8", [], [7]),
                      *weights])
    return write(folder / "net.onnx", make_model(graph, opset=17))


def check(folder, network, tiles_least=2, little=(LITTLE,)):
    """Compiles it for little memory; the middle of it is cut and not left to the host."""
    program = folder / "net.opx"
    report = opscope("compile", network, "--target=torq-sl2610", *little, "-o", program,
                     "--json").json()
    engines = {group["type"]: (group["engine"], group["tiles"]) for group in report["slowest"]}
    equal({engine for engine, _ in engines.values()}, {"slice"}, f"engines of {engines}")
    true(max(tiles for _, tiles in engines.values()) >= tiles_least, f"tiles of {engines}")
    plain, run = folder / "plain.npy", folder / "run.npy"
    opscope("infer", "--plain", network, f"--output={plain}")
    opscope("run", program, f"--output={run}")
    true(plain.read_bytes() == run.read_bytes(), f"{network.name} computes other bits in tiles")


def test_pooling(folder):
    shape = {"x": [1, 16, 61, 59]}
    for kind, attributes in (
            ("MaxPool", {"kernel_shape": [3, 3], "strides": [2, 2], "ceil_mode": 1}),
            ("MaxPool", {"kernel_shape": [3, 2], "strides": [2, 1], "pads": [1, 0, 1, 1]}),
            ("AveragePool", {"kernel_shape": [3, 3], "strides": [2, 2], "pads": [1, 1, 1, 1]}),
            ("AveragePool", {"kernel_shape": [5, 3], "strides": [2, 3], "pads": [2, 1, 0, 1],
                             "count_include_pad": 1})):
        node = make_node(kind, ["x_real"], ["y_real"], **attributes)
        check(folder, quantized(folder, [node], shape))


def test_global_pooling(folder):
    for kind in ("GlobalAveragePool", "GlobalMaxPool"):
        node = make_node(kind, ["x_real"], ["y_real"])
        check(folder, quantized(folder, [node], {"x": [1, 96, 30, 30]}))


def test_joining(folder):
    for axis in (1, -3):
        node = make_node("Concat", ["a_real", "b_real", "c_real"], ["y_real"], axis=axis)
        check(folder, quantized(folder, [node], {"a": [1, 8, 50, 40], "b": [1, 3, 50, 40],
                                                 "c": [1, 16, 50, 40]}))


def test_a_bias_that_was_handed_on(folder):
    """Exporters name a shared bias again by an Identity: it still is the convolution's."""
    weights = [make_tensor("w", "i8", [8, 16, 3, 3], [i % 17 - 8 for i in range(8 * 16 * 9)]),
               make_tensor("wscale", "f32", [], [0.01]), make_tensor("wzero", "i8", [], [0]),
               make_tensor("b", "i32", [8], [100 * i for i in range(8)]),
               make_tensor("bscale", "f32", [], [0.0005]), make_tensor("bzero", "i32", [], [0])]
    nodes = [make_node("DequantizeLinear", ["w", "wscale", "wzero"], ["w_real"]),
             make_node("DequantizeLinear", ["b", "bscale", "bzero"], ["b_real"]),
             make_node("Identity", ["b_real"], ["bias"]),
             make_node("Conv", ["x_real", "w_real", "bias"], ["y_real"], pads=[1, 1, 1, 1])]
    check(folder, quantized(folder, nodes, {"x": [1, 16, 40, 40]}, weights))


def test_padding(folder):
    network = write(folder / "pad.mlir", """
func.func @main(%a: tensor<1x40x40x64xi8>) -> tensor<1x41x42x64xi8> {
  %s = tosa.const_shape {values = dense<[0, 0, 0, 1, 1, 1, 0, 0]> : tensor<8xindex>} : () -> !tosa.shape<8>
  %c = "tosa.const"() <{values = dense<-100> : tensor<1xi8>}> : () -> tensor<1xi8>
  %0 = tosa.pad %a, %s, %c : (tensor<1x40x40x64xi8>, !tosa.shape<8>, tensor<1xi8>) -> tensor<1x41x42x64xi8>
  return %0 : tensor<1x41x42x64xi8>
}
""")
    check(folder, network)


def plain_network(folder, nodes, inputs, outputs):
    """A network of integers, without scales."""
    values = [[make_value(name, *kind) for name, kind in sides.items()] for sides in (inputs, outputs)]
    return write(folder / "net.onnx", make_model(make_graph(nodes, *values), opset=21))


def test_a_value_that_two_operators_read_differently(folder):
    pool = make_node("MaxPool", ["x"], ["m"], kernel_shape=[3, 3], pads=[1, 1, 1, 1])
    shape = ("i8", [1, 8, 128, 64])
    check(folder, plain_network(folder, [pool, make_node("Max", ["m", "x"], ["y"])],
                                {"x": shape}, {"y": shape}))
    shape = ("i32", [128, 128])
    check(folder, plain_network(folder, [make_node("Transpose", ["x"], ["t"]),
                                         make_node("Add", ["t", "x"], ["y"])],
                                {"x": shape}, {"y": shape}))


def test_a_product_with_itself_is_not_cut(folder):
    shape = ("bf16", [128, 128])
    network = plain_network(folder, [make_node("MatMul", ["x", "x"], ["y"])], {"x": shape}, {"y": shape})
    program, plain, run = folder / "net.opx", folder / "plain.npy", folder / "run.npy"
    opscope("compile", network, "--target=torq-sl2610", "-o", program)
    opscope("infer", "--plain", network, f"--output={plain}")
    opscope("run", program, f"--output={run}")
    true(plain.read_bytes() == run.read_bytes(), "a product with itself computes other bits")


def test_pads_that_do_not_hold(folder):
    pool = make_node("MaxPool", ["x"], ["y"], kernel_shape=[3, 3], auto_pad="VALID",
                     pads=[1, 1, 1, 1])
    check(folder, plain_network(folder, [pool], {"x": ("i8", [1, 8, 128, 64])},
                                {"y": ("i8", [1, 8, 126, 62])}))


def test_a_type_that_is_taken_from_another_shape(folder):
    for like in ([7], [3, 3, 3]):
        check(folder, plain_network(folder, [make_node("CastLike", ["x", "t"], ["y"])],
                                    {"x": ("i32", [64, 256]), "t": ("i8", like)},
                                    {"y": ("i8", [64, 256])}))


def test_what_no_memory_on_its_way_holds_goes_to_the_host(folder):
    gather = make_node("Gather", ["x", "i"], ["y"], axis=1)
    network = plain_network(folder, [gather], {"x": ("i16", [64, 64]), "i": ("i32", [32])},
                            {"y": ("i16", [64, 32])})
    for size, engine in (("512KiB", "css"), ("10KiB", "host")):
        report = opscope("compile", network, "--target=torq-sl2610", f"--set=lram.size={size}",
                         "-o", folder / "net.opx", "--json").json()
        equal(report["slowest"][0]["engine"], engine, f"with {size} of lram")


def test_what_follows_a_joining_is_not_cut_along_its_axis(folder):
    shape = ("bf16", [2, 8, 40, 16])
    nodes = [make_node("Concat", ["a", "b"], ["j"], axis=1), make_node("Abs", ["j"], ["y"])]
    network = plain_network(folder, nodes, {"a": shape, "b": shape}, {"y": ("bf16", [2, 16, 40, 16])})
    for size in (40, 48, 64, 80):
        check(folder, network, little=(f"--set=lram.size={size}KiB",))


def test_transfers_keep_to_their_loops(folder):
    """A turned value in parts: with fewer loops it is cut otherwise."""
    node = make_node("Transpose", ["x"], ["y"], perm=[1, 3, 0, 2, 4])
    network = plain_network(folder, [node], {"x": ("i8", [4, 8, 4, 8, 32])}, {"y": ("i8", [8, 8, 4, 4, 32])})
    most = {}
    for loops in (0, 1):
        options = [f"--set={engine}.loops={loops}" for engine in ("dma_in", "dma_out")]
        check(folder, network, tiles_least=8, little=("--set=lram.size=9KiB", *options))
        opscope("verify", folder / "net.opx")
        program = checker.Program((folder / "net.opx").read_bytes())
        proof = checker.Proof(program, checker.Target(program.target))
        most[loops] = max(proof.loops(*proof.operands(task)) for task in program.tasks if task.kind == checker.TRANSFER)
    equal(most, {0: 2, 1: 1}, "loops of the transfers")


def test_what_takes_too_many_loops_goes_to_the_host(folder):
    """Three rows or columns of all channels are too much, and parts of both take two loops."""
    weights = [make_tensor("w", "i8", [8, 8, 3, 3], [i % 17 - 8 for i in range(576)]),
               make_tensor("wscale", "f32", [], [0.01]), make_tensor("wzero", "i8", [], [0])]
    nodes = [make_node("DequantizeLinear", ["w", "wscale", "wzero"], ["w_real"]),
             make_node("Conv", ["x_real", "w_real"], ["y_real"], pads=[1, 1, 1, 1])]
    network = quantized(folder, nodes, {"x": [1, 8, 512, 512]}, weights)
    for loops, engine in ((4, "slice"), (1, "host")):
        options = ["--target=torq-sl2610", "--set=lram.size=16KiB", f"--set=dma_in.loops={loops}"]
        opscope("compile", network, *options, "-o", folder / "net.opx")
        group = opscope("program", folder / "net.opx", "--groups", "--json").json()["groups"][0]
        equal(group["engine"], engine, f"{loops} loops")
    contains(group["reason"], "parts of it that fit take more loops than a transfer has")


def test_more_loops_than_a_transfer_has_are_refused(folder):
    """The program carries its target: with another number there, what it does is wrong."""
    node = make_node("Transpose", ["x"], ["y"], perm=[1, 3, 0, 2, 4])
    network = plain_network(folder, [node], {"x": ("i8", [4, 8, 4, 8, 32])}, {"y": ("i8", [8, 8, 4, 4, 32])})
    opscope("compile", network, "--target=torq-sl2610", "--set=lram.size=9KiB", "--set=dma_in.loops=2", "-o",
            folder / "net.opx")
    good = (folder / "net.opx").read_bytes()
    checker.check(good)
    equal(good.count(b"loops = 2"), 1, "the target's text")
    bad = bytearray(good.replace(b"loops = 2", b"loops = 1"))
    checker.sign(bad)
    result = opscope("verify", write(folder / "bad.opx", bytes(bad)), code=1)
    contains(result.err, "more loops than its engine has")
    try:
        checker.check(bytes(bad))
        fail("the second checker takes it")
    except checker.Wrong as wrong:
        contains(str(wrong), "rule 5")


main()
