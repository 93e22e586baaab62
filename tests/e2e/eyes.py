"""Colours as people with other eyes see them (Machado and others, 2009)."""
import itertools

from support import true

__all__ = ["stay_apart"]

EYES = {
    "usual": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "no red": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216),
               (-0.003882, -0.048116, 1.051998)),
    "no green": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413),
                 (-0.011820, 0.042940, 0.968881)),
    "no blue": ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602),
                (0.004733, 0.691367, 0.303900)),
}


def seen(colour, eyes):
    """CIE L*a*b*."""
    parts = [int(colour[i:i + 2], 16) / 255 for i in (0, 2, 4)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    red, green, blue = [min(1, max(0, sum(a * b for a, b in zip(row, linear)))) for row in eyes]
    x, y, z = (number ** (1 / 3) if number > 0.008856 else 7.787 * number + 16 / 116 for number in (
        (0.4124 * red + 0.3576 * green + 0.1805 * blue) / 0.95047,
        0.2126 * red + 0.7152 * green + 0.0722 * blue,
        (0.0193 * red + 0.1192 * green + 0.9505 * blue) / 1.08883))
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def stay_apart(colours):
    """Fails where two of the colours (rrggbb) look alike to somebody."""
    for name, eyes in EYES.items():
        for one, other in itertools.combinations(sorted(colours), 2):
            distance = sum((a - b) ** 2 for a, b in zip(seen(one, eyes), seen(other, eyes))) ** 0.5
            true(distance > 12, f"{one} and {other} look alike ({distance:.0f}) to eyes of kind '{name}'")
