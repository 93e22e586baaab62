"""Gradients, optimizers and losses: values worked out by hand, and what they refuse."""
import math

from support import *
from onnx_writer import *

TRAINING = "ai.onnx.preview.training"


def infer(folder, nodes, inputs, outputs, initializers=(), code=0, opset=17):
    """The numbers of each output; inputs are name: (element, dims, values)."""
    graph = make_graph(nodes, [make_value(name, *tensor[:2]) for name, tensor in inputs.items()],
                       [make_value(name, element) for name, element in outputs.items()], initializers)
    path = write(folder / "m.onnx", make_model(graph, opset=opset, opsets=[(TRAINING, 1)], ir_version=8))
    words = []
    for index, (name, tensor) in enumerate(inputs.items()):
        words += ["--input", f"{name}=@{write(folder / f'{index}.pb', make_tensor(name, *tensor))}"]
    result = opscope("infer", path, *words, "--json", code=code)
    if code:
        return result
    return [output["values"] for output in result.json()["outputs"]]


def flat(values):
    return [number for value in values for number in flat(value)] if isinstance(values, list) else [values]


def near(got, want, what):
    got = flat(got)
    equal(len(got), len(want), f"numbers of {what}")
    for a, b in zip(got, want):
        true(math.isclose(a, b, rel_tol=2e-6, abs_tol=1e-7), f"{what}: {got} instead of {want}")


def gradient(folder, nodes, inputs, xs, y, code=0):
    names = [name for name in inputs if name not in xs]
    node = make_node("Gradient", xs + names, [f"d_{x}" for x in xs], domain=TRAINING, xs=xs, y=y,
                     **({"zs": names} if names else {}))
    outputs = {y: "f32", **{f"d_{x}": "f32" for x in xs}}
    found = infer(folder, nodes + [node], inputs, outputs, code=code)
    return found if code else found[1:]


A, B = [0.5, 2.0, -3.0], [4.0, -1.5, 0.25]


def test_gradient_rules(folder):
    """Each operator's derivative against the quotient of small differences."""
    functions = {
        "Add": lambda a, b: a + b, "Sub": lambda a, b: a - b, "Mul": lambda a, b: a * b, "Div": lambda a, b: a / b,
        "Neg": lambda a: -a, "Identity": lambda a: a, "Exp": math.exp, "Log": math.log, "Sqrt": math.sqrt,
        "Tanh": math.tanh, "Sigmoid": lambda a: 1 / (1 + math.exp(-a)), "Relu": lambda a: max(a, 0.0),
    }
    for operator, function in functions.items():
        count = function.__code__.co_argcount if hasattr(function, "__code__") else 1
        a = [abs(number) for number in A] if operator in ("Log", "Sqrt") else A
        inputs = {"a": ("f32", [3], a), "b": ("f32", [3], B)} if count == 2 else {"a": ("f32", [3], a)}
        found = gradient(folder, [make_node(operator, list(inputs), ["y"])], inputs, list(inputs), "y")
        step = 1e-6
        for place, got in enumerate(found):
            want = []
            for point in zip(a, B) if count == 2 else zip(a):
                low, high = list(point), list(point)
                low[place] -= step
                high[place] += step
                want.append((function(*high) - function(*low)) / (2 * step))
            for x, y in zip(flat(got), want):
                true(abs(x - y) < 1e-4 * max(1, abs(y)), f"{operator} by operand {place}: {got} instead of {want}")


def test_gradient_sums_over_what_was_broadcast(folder):
    nodes = [make_node("Mul", ["a", "s"], ["p"]), make_node("Add", ["p", "a"], ["q"]), make_node("Mul", ["q", "q"], ["y"])]
    # y = (a s + a)^2, dy/da = 2 a (s + 1)^2, dy/ds = sum of 2 (a s + a) a
    inputs = {"a": ("f32", [2, 2], [1.0, 2.0, 3.0, -1.0]), "s": ("f32", [], [0.5])}
    by_a, by_s = gradient(folder, nodes, inputs, ["a", "s"], "y")
    near(by_a, [4.5, 9.0, 13.5, -4.5], "dy/da")
    near(by_s, [2 * 1.5 * (1 + 4 + 9 + 1)], "dy/ds")


def test_gradient_by_some_inputs(folder):
    nodes = [make_node("Mul", ["a", "z"], ["y"])]
    inputs = {"a": ("f32", [2], [1.0, 2.0]), "z": ("f32", [2], [3.0, 5.0])}
    near(gradient(folder, nodes, inputs, ["a"], "y")[0], [3.0, 5.0], "dy/da")


def test_gradient_refuses_what_it_does_not_know(folder):
    inputs = {"a": ("f32", [3], A)}
    result = gradient(folder, [make_node("Sin", ["a"], ["y"], name="wave")], inputs, ["a"], "y", code=1)
    contains(result.err, "no gradient through node 'wave' (Sin)")


def test_optimizers(folder):
    x, g, v, h, r = 1.5, -0.25, 0.5, 0.75, 0.1
    tensors = {"x": ("f32", [1], [x]), "g": ("f32", [1], [g]), "v": ("f32", [1], [v]), "h": ("f32", [1], [h])}

    def optimize(operator, names, step, **attributes):
        outputs = ["x_new"] + [f"{name}_new" for name in names[2:]]
        return infer(folder, [make_node(operator, ["r", "t"] + names, outputs, domain=TRAINING, **attributes)],
                     {"r": ("f32", [], [r]), "t": ("i64", [], [step]), **{name: tensors[name] for name in names}},
                     {name: "f32" for name in outputs})

    norm = 0.125
    gradient_now = norm * x + g
    for step in (0, 3):
        squares = h + gradient_now ** 2
        near(optimize("Adagrad", ["x", "g", "h"], step, norm_coefficient=norm, epsilon=0.25, decay_factor=0.5),
             [x - r / (1 + step * 0.5) * gradient_now / (math.sqrt(squares) + 0.25), squares], f"Adagrad {step}")
        velocity = 0.75 * v + (0.5 if step else 1) * gradient_now
        near(optimize("Momentum", ["x", "g", "v"], step, alpha=0.75, beta=0.5, norm_coefficient=norm, mode="standard"),
             [x - r * velocity, velocity], f"Momentum {step}")
        near(optimize("Momentum", ["x", "g", "v"], step, alpha=0.75, beta=0.5, norm_coefficient=norm, mode="nesterov"),
             [x - r * (gradient_now + 0.75 * velocity), velocity], f"nesterov {step}")
        mean = 0.75 * v + 0.25 * gradient_now
        squares = 0.5 * h + 0.5 * gradient_now ** 2
        rate = r * math.sqrt(1 - 0.5 ** step) / (1 - 0.75 ** step) if step else r
        near(optimize("Adam", ["x", "g", "v", "h"], step, alpha=0.75, beta=0.5, epsilon=0.25, norm_coefficient=norm,
                      norm_coefficient_post=0.5),
             [(x - rate * mean / (math.sqrt(squares) + 0.25)) * 0.5, mean, squares], f"Adam {step}")


def test_losses(folder):
    scores = {"x": ("f64", [2, 3], [1.0, 2.0, 3.0, -1.0, 0.0, 4.0]), "t": ("i64", [2], [2, 0])}
    rows = [[1.0, 2.0, 3.0], [-1.0, 0.0, 4.0]]
    logs = [[score - math.log(sum(map(math.exp, row))) for score in row] for row in rows]
    weights = make_tensor("w", "f64", [3], [0.5, 1.0, 2.0])
    for reduction, want in (("none", [-2 * logs[0][2], -0.5 * logs[1][0]]), ("sum", [-2 * logs[0][2] - 0.5 * logs[1][0]]),
                            ("mean", [(-2 * logs[0][2] - 0.5 * logs[1][0]) / 2.5])):
        loss, log_prob = infer(folder, [make_node("SoftmaxCrossEntropyLoss", ["x", "t", "w"], ["y", "p"], reduction=reduction)],
                               scores, {"y": "f64", "p": "f64"}, [weights])
        near(loss, want, reduction)
        near(log_prob, logs[0] + logs[1], "log_prob")
    near(infer(folder, [make_node("NegativeLogLikelihoodLoss", ["x", "t"], ["y"], ignore_index=2)], scores, {"y": "f64"})[0],
         [1.0], "without the ignored")


def test_a_target_that_is_no_class(folder):
    inputs = {"x": ("f32", [1, 3], [1.0, 2.0, 3.0]), "t": ("i64", [1], [3])}
    result = infer(folder, [make_node("NegativeLogLikelihoodLoss", ["x", "t"], ["y"])], inputs, {"y": "f32"}, code=1)
    contains(result.err, "target 3 of 3 classes")


main()
