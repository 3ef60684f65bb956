"""Small animation files of Maya for tests."""

from __future__ import annotations

from collections.abc import Sequence

HEADER = (
    "animVersion 1.1;\nmayaVersion 2022;\ntimeUnit {unit};\nlinearUnit cm;\nangularUnit deg;\n"
    "startTime {start:g};\nendTime {end:g};\n"
)
GROUPS = {"translate": "linear", "rotate": "angular", "scale": "unitless"}


def curve(
    node: str,
    attribute: str,
    keys: Sequence[str],
    *,
    children: int = 0,
    number: int = 0,
    weighted: bool = False,
    beyond: tuple[str, str] = ("constant", "constant"),
) -> str:
    """Return a curve of keys without their last semicolon, as Maya writes it."""
    group = attribute[:-1]
    full = f"{group}.{attribute}" if group in GROUPS else attribute
    rows = "".join(f"    {key};\n" for key in keys)
    return (
        f"anim {full} {attribute} {node} 0 {children} {number};\nanimData {{\n  input time;\n"
        f"  output {GROUPS.get(group, 'unitless')};\n  weighted {int(weighted)};\n"
        f"  preInfinity {beyond[0]};\n  postInfinity {beyond[1]};\n  keys {{\n{rows}  }}\n}}\n"
    )


def anim(*curves: str, unit: str = "film", start: float = 1.0, end: float = 49.0) -> str:
    """Return a file."""
    return HEADER.format(unit=unit, start=start, end=end) + "".join(curves)


def walker() -> str:
    """Return a hip with two legs, with tangents of all kinds and a placeholder."""
    return anim(
        curve("hip", "translateX", ["1 0 auto auto 1 0 0", "25 30 auto auto 1 0 0",
              "49 60 auto auto 1 0 0"], children=2),
        curve("hip", "translateY", ["1 90 spline spline 1 0 0", "13 94 spline spline 1 0 0",
              "25 90 linear linear 1 0 0", "49 91.5 flat flat 1 0 0"], children=2, number=1),
        curve("hip", "visibility", ["1 1 spline step 1 0 0", "20 0 fixed step 1 0 0 0 1"],
              children=2, number=2),
        "anim ns:left|toe 0 0 0;\n",
        curve("right", "rotateZ", ["1 0 fixed fixed 1 0 0 68.198591 4 68.198591 4",
              "17 35 fixed fixed 0 0 0 0 5.5 -20 3", "33 -12 clamped clamped 1 0 0",
              "49 -12 plateau plateau 1 0 0"], weighted=True),
        curve("right", "rotateX", ["1 0 linear linear 1 0 0", "13 20 linear linear 1 0 0"],
              number=1, beyond=("constant", "cycle")),
        "anim blend blend right 0 0 2;\nanimData {\n  input unitless;\n  output unitless;\n"
        "  keys {\n    0 0 linear linear 1 0 0;\n    1 9 linear linear 1 0 0;\n  }\n}\n",
    )  # fmt: skip
