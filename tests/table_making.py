"""Small TRC, MOT and STO files for tests."""

from __future__ import annotations

import numpy as np


def trc(frames: int = 60, rate: float = 100.0, start: float = 0.0, gap: bool = True) -> str:
    """Return markers that move in millimetres; one is hidden for a while, one always."""
    names = ["LASI", "RASI", "LANK", "Never"]
    keys = ["DataRate", "CameraRate", "NumFrames", "NumMarkers", "Units"]
    keys += ["OrigDataRate", "OrigDataStartFrame", "OrigNumFrames"]
    told = [f"{rate:.2f}", f"{rate:.2f}", str(frames), str(len(names)), "mm", "100.00", "1", "900"]
    out = "PathFileType\t4\t(X/Y/Z)\twalk.trc\n" + "\t".join(keys) + "\n" + "\t".join(told) + "\n"
    out += "Frame#\tTime\t" + "".join(f"{n}\t\t\t" for n in names) + "\n"
    numbers = range(1, len(names) + 1)
    out += "\t\t" + "\t".join(f"{a}{n}" for n in numbers for a in "XYZ") + "\n\n"
    for k in range(frames):
        t = start + k / rate
        row = [str(k + 1), f"{t:.5f}"]
        for n in range(len(names) - 1):
            hidden = gap and n == 2 and 20 <= k < 25
            place = (100 * n + 900 * t, 900 + 40 * np.sin(9 * t + n), 30 * np.cos(5 * t))
            row += ["", "", ""] if hidden else [f"{v:.5f}" for v in place]
        out += "\t".join([*row, "", "", ""]) + "\n"
    return out


def storage(times: np.ndarray | None = None, *, degrees: bool = True) -> str:
    """Return coordinates of a model."""
    times = np.arange(50) / 100 if times is None else times
    labels = ["time", "pelvis_tilt", "pelvis_list", "pelvis_rotation", "pelvis_tx", "pelvis_ty",
              "pelvis_tz", "knee_angle_r"]  # fmt: skip
    out = f"Coordinates\nversion=1\nnRows={len(times)}\nnColumns={len(labels)}\n"
    out += f"inDegrees={'yes' if degrees else 'no'}\n\nIf the header has more, it is kept.\n"
    out += f"range {times[0]:g} {times[-1]:g}\nendheader\n" + "\t".join(labels) + "\n"
    unit = 1.0 if degrees else np.pi / 180
    for t in times:
        row = [
            20 * t * unit,
            5 * np.sin(t) * unit,
            3 * t * unit,
            1.2 * t,
            0.9,
            0.1 * t,
            60 * unit * t,
        ]
        out += "\t".join(f"{v:14.8f}" for v in [t, *row]) + "\n"
    return out
