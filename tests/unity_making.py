"""Small Unity clips for tests."""

from __future__ import annotations

from typing import Any

import numpy as np

from retime import Motion, quat, samples

_WRAP = "\n          "


def _row(values: Any) -> str:
    values = np.atleast_1d(values)
    if len(values) == 1:
        return _number(values[0])
    parts = [f"{axis}: {_number(v)}" for axis, v in zip("xyzw", values, strict=False)]
    # Unity breaks long lines.
    return "{" + ", ".join(parts[:3]) + ("," + _WRAP if len(parts) > 3 else "") + "".join(
        parts[3:]
    ) + "}"  # fmt: skip


def _number(value: float) -> str:
    if np.isinf(value):
        return "Infinity"
    return str(np.float32(value)).removesuffix(".0")


def curve(
    times: Any, values: Any, path: str, attribute: str = "", steps: tuple[int, ...] = ()
) -> str:
    """Return a curve whose tangents follow its neighbours; some keys are stepped."""
    values = np.asarray(values, float).reshape(len(times), -1)
    slopes = np.gradient(values, np.asarray(times), axis=0) if len(times) > 1 else 0 * values
    out = "  - serializedVersion: 2\n    curve:\n      serializedVersion: 2\n      m_Curve:\n"
    for k, time in enumerate(times):
        came = np.full(values.shape[1], np.inf) if k - 1 in steps else slopes[k]
        went = np.full(values.shape[1], np.inf) if k in steps else slopes[k]
        third = _row(np.full(values.shape[1], 1 / 3))
        out += (
            f"      - serializedVersion: 3\n        time: {_number(time)}\n"
            f"        value: {_row(values[k])}\n        inSlope: {_row(came)}\n"
            f"        outSlope: {_row(went)}\n        tangentMode: 136\n        weightedMode: 0\n"
            f"        inWeight: {third}\n        outWeight: {third}\n"
        )
    out += "      m_PreInfinity: 2\n      m_PostInfinity: 2\n      m_RotationOrder: 4\n"
    if attribute:
        out += f"    attribute: {attribute}\n"
    return (
        out
        + f"    path: {path}\n"
        + ("    classID: 95\n    script: {fileID: 0}\n" if attribute else "")
    )


def clip(rows: dict[str, str], stop: float, events: tuple[float, ...] = (0.5,)) -> str:
    """Return a clip with lists of curves."""
    out = "%YAML 1.1\n%TAG !u! tag:unity3d.com,2011:\n--- !u!74 &7400000\nAnimationClip:\n"
    out += "  m_ObjectHideFlags: 0\n  m_Name: Walk\n  serializedVersion: 7\n"
    for name in (
        "RotationCurves", "CompressedRotationCurves", "EulerCurves", "PositionCurves",
        "ScaleCurves", "FloatCurves", "PPtrCurves",
    ):  # fmt: skip
        own = rows.get(name, "")
        out += f"  m_{name}:{chr(10) if own else ' []' + chr(10)}{own}"
    out += "  m_SampleRate: 30\n  m_WrapMode: 0\n  m_ClipBindingConstant:\n    genericBindings:\n"
    out += "    - serializedVersion: 2\n      path: 134607859\n      attribute: 4\n"
    out += "  m_AnimationClipSettings:\n    serializedVersion: 2\n    m_StartTime: 0\n"
    out += (
        f"    m_StopTime: {_number(stop)}\n    m_LoopTime: 1\n  m_EditorCurves: []\n  m_Events:\n"
    )
    for n, time in enumerate(events):
        out += f"  - time: {_number(time)}\n    functionName: Step\n    data: left {n}\n"
    return out


def clip_of(motion: Motion, every: int = 4) -> str:
    """Return a clip of a motion, with keys on some frames."""
    skeleton = motion.skeleton
    paths: list[str] = []
    for j, name in enumerate(skeleton.names):
        above = f"{paths[skeleton.parents[j]]}/" if skeleton.parents[j] >= 0 else ""
        paths.append(above + name)
    at = np.unique(np.r_[np.arange(0, len(motion), every), len(motion) - 1])
    times = motion.times[at]
    turned = quat.continuous(motion.rotations)[at][..., [1, 2, 3, 0]] * [1.0, -1.0, -1.0, 1.0]
    rotations = "".join(curve(times, turned[:, j], p) for j, p in enumerate(paths))
    places = ""
    for j, (name, path) in enumerate(zip(skeleton.names, paths, strict=True)):
        track = motion.translations.get(name)
        rest = np.tile(skeleton.offsets[j], (len(motion), 1)) if track is None else track
        places += curve(times, rest[at] * [-1.0, 1.0, 1.0], path)
    sprite = "".join(
        f"    - time: {_number(t)}\n      value: {{fileID: {k}, guid: 0f, type: 3}}\n"
        for k, t in enumerate(times[:3])
    )
    return clip(
        {
            "RotationCurves": rotations,
            "PositionCurves": places,
            "FloatCurves": curve(times[:4], [0, 1, 0.5, 2], "", "Spine Front-Back", steps=(1,)),
            "PPtrCurves": f"  - serializedVersion: 2\n    curve:\n{sprite}"
            "    attribute: m_Sprite\n    path: \n",
        },
        float(times[-1]),
    )  # fmt: skip


def small_clip() -> str:
    """Return a clip of few keys."""
    return clip_of(samples.jump(fps=8)[:9], every=2)
