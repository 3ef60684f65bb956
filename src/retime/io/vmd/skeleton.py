"""The usual skeleton of MikuMikuDance, for motions that come without their model."""

from __future__ import annotations

# Parent and place of the usual bones, in its units; right sides mirror left ones.
_MIDDLE = {
    "全ての親": ("", (0, 0, 0)), "センター": ("全ての親", (0, 8, 0)),
    "グルーブ": ("センター", (0, 8.2, 0)), "腰": ("グルーブ", (0, 12.0, 0)),
    "下半身": ("腰", (0, 12.4, 0)), "上半身": ("腰", (0, 12.5, 0)),
    "上半身2": ("上半身", (0, 13.8, 0)), "首": ("上半身2", (0, 16.2, 0)),
    "頭": ("首", (0, 17.0, 0)), "両目": ("頭", (0, 18.2, 0)),
}  # fmt: skip
_SIDES = {
    "肩": ("上半身2", (0.3, 15.8, 0)), "腕": ("肩", (1.2, 15.7, 0)), "腕捩": ("腕", (2.1, 15.0, 0)),
    "ひじ": ("腕捩", (2.9, 14.3, 0)), "手捩": ("ひじ", (3.6, 13.6, 0)),
    "手首": ("手捩", (4.4, 12.9, 0)), "目": ("頭", (0.4, 18.2, -0.3)),
    "足": ("下半身", (0.9, 11.4, 0)), "ひざ": ("足", (0.9, 6.6, 0)),
    "足首": ("ひざ", (0.9, 1.4, 0)), "つま先": ("足首", (0.9, 0, -1.2)),
    "足ＩＫ": ("全ての親", (0.9, 1.4, 0)), "つま先ＩＫ": ("足ＩＫ", (0.9, 0, -1.2)),
    "親指０": ("手首", (4.6, 12.8, -0.2)), "親指１": ("親指０", (4.9, 12.5, -0.4)),
    "親指２": ("親指１", (5.1, 12.3, -0.5)), "人指１": ("手首", (5.1, 12.4, -0.3)),
    "人指２": ("人指１", (5.4, 12.1, -0.3)), "人指３": ("人指２", (5.6, 11.9, -0.3)),
    "中指１": ("手首", (5.2, 12.4, 0)), "中指２": ("中指１", (5.5, 12.1, 0)),
    "中指３": ("中指２", (5.7, 11.9, 0)), "薬指１": ("手首", (5.1, 12.4, 0.2)),
    "薬指２": ("薬指１", (5.4, 12.1, 0.2)), "薬指３": ("薬指２", (5.6, 11.9, 0.2)),
    "小指１": ("手首", (5.0, 12.4, 0.4)), "小指２": ("小指１", (5.2, 12.2, 0.4)),
    "小指３": ("小指２", (5.3, 12.0, 0.4)),
}  # fmt: skip
_ROLES = {
    "hips": "センター", "spine": "上半身", "neck": "首", "head": "頭", "shoulder": "肩",
    "upper_arm": "腕", "lower_arm": "ひじ", "hand": "手首", "upper_leg": "足",
    "lower_leg": "ひざ", "foot": "足首",
}  # fmt: skip
Bone = tuple[str, tuple[float, float, float]]


def usual_bones() -> dict[str, Bone]:
    """Return parent and place of each bone, parents first."""
    out: dict[str, Bone] = dict(_MIDDLE)
    for side, sign in (("左", 1.0), ("右", -1.0)):
        for name, (parent, (x, y, z)) in _SIDES.items():
            above = parent if parent in _MIDDLE else side + parent
            out[side + name] = (above, (sign * x, y, z))
    return out


def usual_roles() -> dict[str, str]:
    """Return the bones that have roles."""
    out = {}
    for role, name in _ROLES.items():
        if name in _MIDDLE:
            out[role] = name
        else:
            out |= {f"left_{role}": f"左{name}", f"right_{role}": f"右{name}"}
    return out
