"""A small ASF skeleton and an AMC motion for tests."""

from __future__ import annotations

import numpy as np

ASF = """# made by hand
:version 1.10
:name test
:units
  mass 1.0
  length 0.45
  angle deg
:documentation
  a figure: :root of nothing
:root
  order TX TY TZ RX RY RZ
  axis XYZ
  position 0 0 0
  orientation 0 0 0
:bonedata
  begin
    id 1
    name lfemur
    direction 0.6 -0.8 0
    length 7
    axis 0 0 20 XYZ
    dof rx ry rz
    limits (-160.0 20.0)
           (-70.0 70.0)
           (-60.0 70.0)
  end
  begin
    id 2
    name ltibia
    direction 0 -1 0
    length 7.5
    axis 90 0 30 ZYX
    dof rx
  end
  begin
    id 3
    name lfoot
    direction 0 0 1
    length 2
    axis -90 0 20 XYZ
    dof rx rz
  end
  begin
    id 4
    name rhipjoint
    direction -1 0 0
    length 2.5
    axis 0 0 0 XYZ
  end
:hierarchy
  begin
    root lfemur rhipjoint
    lfemur ltibia
    ltibia lfoot
  end
"""


def amc_text(frames: int = 30) -> str:
    out = [":FULLY-SPECIFIED", ":DEGREES"]
    for f in range(frames):
        a = 20 * np.sin(f / 5)
        out += [
            str(f + 1),
            f"root {0.1 * f:.4f} 17 {a / 20:.4f} {a:.4f} {-2 * a:.4f} {a / 2:.4f}",
            f"lfemur {a:.4f} {0.5 * a:.4f} {-a:.4f}",
            f"ltibia {40 + a:.4f}",
            f"lfoot {-a:.4f} {0.3 * a:.4f}",
        ]
    return "\r\n".join(out) + "\r\n"
