"""Trained networks that npm packages carry, against ONNX Runtime run beside."""
import random

from support import *
from onnxruntime import *


def network(name):
    return fetched("npm-networks") / name


def image(height, width, seed, channels=3, low=-1.0, high=1.0):
    """Smooth waves with some noise, so that detectors have something to see."""
    source = random.Random(seed)
    waves = [(source.uniform(0.02, 0.3), source.uniform(0.02, 0.3), source.uniform(0, 6)) for _ in range(4)]
    numbers = array.array("f")
    for channel in range(channels):
        for y in range(height):
            for x in range(width):
                value = sum(math.sin(a * y + b * x + c + channel) for a, b, c in waves) / 4
                value += source.uniform(-0.2, 0.2)
                numbers.append(low + (high - low) * (max(-1, min(1, value)) + 1) / 2)
    return numbers


GLYPHS = {"H": "101101111101101", "E": "111100110100111", "L": "100100100100111", "O": "111101101101111",
          "T": "111010010010010", "X": "101101010101101", "1": "010110010010111", "7": "111001010010010"}


def line_of_text(height, width, text="HELLO TEXT 17", times=4):
    """Dark letters of 3 x 5 squares on white, normalised as PP-OCR wants it."""
    rows = [[2.0] * width for _ in range(height)]
    top, left = (height - 5 * times) // 2, 8
    for letter in text:
        for place, ink in enumerate(GLYPHS.get(letter, "0" * 15)):
            for y in range(times):
                for x in range(times):
                    if ink == "1" and left + place % 3 * times + x < width:
                        rows[top + place // 3 * times + y][left + place % 3 * times + x] = -1.8
        left += 4 * times
    return array.array("f", [number for row in rows for number in row] * 3)


def compare(folder, name, inputs, tolerance=1e-4):
    ours, theirs = compute_both(network(name), inputs, folder)
    equal_outputs(ours, theirs, tolerance, name)
    for element, dims, numbers in theirs:
        true(len(set(numbers)) > 1 or len(numbers) == 1, f"{name} computes nothing: {dims}")


def enlarged(numbers, height, width, times):
    """Every pixel becomes a square of so many."""
    result = array.array("f")
    for row in range(0, len(numbers), width):
        wide = array.array("f", [number for number in numbers[row:row + width] for _ in range(times)])
        result.extend(wide * times)
    equal(len(result), 3 * height * width * times * times, "pixels")
    return result


def test_retinaface(folder):
    pixels = enlarged(image(80, 80, 1, low=0, high=255), 80, 80, 8)
    compare(folder, "mnet.25_v2.onnx", [("data", "1x3x640x640xf32", pixels)])


def test_ppocr_detector(folder):
    compare(folder, "ch_PP-OCRv4_det_infer.onnx", [("x", "1x3x96x224xf32", line_of_text(96, 224))])


def test_ppocr_recogniser(folder):
    compare(folder, "ch_PP-OCRv4_rec_infer.onnx", [("x", "1x3x48x224xf32", line_of_text(48, 224, times=6))])


def test_ppocr_classifier(folder):
    compare(folder, "ch_ppocr_mobile_v2.0_cls_infer.onnx", [("x", "1x3x48x192xf32", line_of_text(48, 192))])


def test_silero_vad(folder):
    """Both sampling rates: they take different branches."""
    for rate, window in ((16000, 512), (8000, 256)):
        sound = image(1, window, rate, channels=1)
        state = array.array("f", [random.Random(5).uniform(-1, 1) for _ in range(256)])
        compare(folder, "silero_vad_v5.onnx", [("input", f"1x{window}xf32", sound),
                                               ("state", "2x1x128xf32", state),
                                               ("sr", "i64", array.array("q", [rate]))])


main()
