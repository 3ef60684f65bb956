"""Reading a stage, in the program that runs USD: frames, joints and their transforms."""

from __future__ import annotations

import zlib
from typing import Any

import numpy as np
from pxr import Gf, Usd, UsdGeom, UsdSkel

from retime.arrays import FloatArray
from retime.io.in_place import choose_default, moving_paths
from retime.io.usd.meshes import is_skinned
from retime.io.usd.stages import (
    TRACKS,
    Animation,
    Opened,
    animations,
    attributes,
    open_stage,
    ops_of,
    prims,
    sample_times,
)
from retime.io.usd.stages import is_animated as moves
from retime.io.usd.timing import frames_of
from retime.process.library import Arrays, Refused

_SHAPES = "no joint moves in it; what does, follows the timing: {}"


def contents(request: dict[str, Any], _: Arrays) -> tuple[dict[str, Any], Arrays]:
    """List the animations of a stage."""
    opened = open_stage(request["path"])
    return {"animations": [_entry(opened.stage, a) for a in _lasting(opened)]}, {}


def _lasting(opened: Opened) -> list[Animation]:
    found = [a for a in animations(opened.stage) if len(a.times()) > 1]
    if not found:
        raise Refused(
            "nothing in it is animated: no attribute has two or more samples"
            + (f"; not found: {', '.join(opened.missing[:3])}" if opened.missing else "")
        )
    return found


def _entry(stage: Any, animation: Animation) -> dict[str, Any]:
    first, last = _span(stage, animation.times())[0]
    per_second = stage.GetTimeCodesPerSecond()
    _, rate, _, _ = frames_of(animation.times(), (first, last), per_second, _rate(stage))
    joints = [] if animation.skeleton is None else _joints(animation.skeleton)
    return {
        "name": animation.name,
        "start_s": first / per_second,
        "duration_s": (last - first) / per_second,
        "fps": rate,
        "channels": len(animation.own()),
        "moves": _moving(animation),
        "joints": len(joints) + len(animation.chain),
        "skeleton": _path(animation.skeleton),
    }


def _moving(animation: Animation) -> list[str]:
    """List the kinds of tracks that change in time."""
    return moving_paths((path_of(a), _course(a)) for a in animation.own())


def path_of(attribute: Any) -> str:
    """Return the kind of motion that an attribute gives a joint."""
    name = str(attribute.GetName()).removeprefix("xformOp:").partition(":")[0].lower()
    if name.startswith("translat"):
        return "translation"
    if name.startswith("scale"):
        return "scale"
    turns = ("rotat", "orient", "transform")
    return "rotation" if name.startswith(turns) else "weights"


def _course(attribute: Any) -> FloatArray:
    """Return the values (K, N) of an attribute at its sample times."""
    rows = [_flat(attribute.Get(float(code))) for code in sample_times(attribute)]
    width = max((len(row) for row in rows), default=0)
    return np.array([row for row in rows if len(row) == width]).reshape(-1, width)


def _flat(value: Any) -> FloatArray:
    if isinstance(value, Gf.Quatf | Gf.Quatd | Gf.Quath):
        value = [value.GetReal(), *value.GetImaginary()]
    try:
        return np.zeros(0) if value is None else np.array(value, dtype=float).ravel()
    except (TypeError, ValueError):  # a token: only changes matter
        return np.array([float(zlib.crc32(str(value).encode()))])


def _rate(stage: Any) -> float | None:
    """Return the stage's frame rate, or ``None`` if a time code is a frame."""
    for name in ("framesPerSecond", "timeCodesPerSecond"):
        if stage.HasAuthoredMetadata(name):
            rate = float(stage.GetMetadata(name))
            if np.isfinite(rate) and rate > 0:
                return rate
    return None


def _told(stage: Any) -> tuple[float | None, float | None]:
    """Return the stage's start and end codes, if it has them."""
    found = []
    for name in ("startTimeCode", "endTimeCode"):
        code = stage.GetMetadata(name) if stage.HasAuthoredMetadata(name) else None
        found.append(float(code) if code is not None and np.isfinite(code) else None)
    return found[0], found[1]


def _span(stage: Any, times: FloatArray) -> tuple[tuple[float, float], str]:
    """Return the span of a motion, the played part of its samples, and a note if they continue."""
    first, last = float(times[0]), float(times[-1])
    start, end = _told(stage)
    low = first if start is None else max(first, start)
    high = last if end is None else min(last, end)
    if high <= low:
        return (first, last), (
            f"no sample between the start and end codes: all are read, {first:g} to {last:g}"
        )
    if low > first or high < last:
        return (low, high), (
            f"samples at codes {first:g} to {last:g}, of which {low:g} to {high:g} are played; "
            "those are read, the others move along"
        )
    return (low, high), ""


def _in_variants(stage: Any) -> list[str]:
    """List the prims whose samples are in a variant of the prim or of an ancestor."""
    found: dict[str, None] = {}
    for attribute in attributes(stage):
        if moves(attribute):
            specs = attribute.GetPropertyStack(Usd.TimeCode.Default())
            if any(spec.path.ContainsPrimVariantSelection() for spec in specs):
                found[str(attribute.GetPrim().GetPath())] = None
    return list(found)


def read(request: dict[str, Any], _: Arrays) -> tuple[dict[str, Any], Arrays]:
    """Sample animations of a stage: one by its place in the list, the default, or all of them."""
    opened = open_stage(request["path"])
    stage, found = opened.stage, _lasting(opened)
    answer: dict[str, Any] = {
        "animations": [a.name for a in found],
        "codes_per_second": float(stage.GetTimeCodesPerSecond()),
        "metres": float(UsdGeom.GetStageMetersPerUnit(stage)),
        "metres_told": bool(UsdGeom.StageHasAuthoredMetersPerUnit(stage)),
        "up": str(UsdGeom.GetStageUpAxis(stage)),
        "played": _told(stage),
        "layers": opened.layers,
        "missing": opened.missing,
        "variants": _in_variants(stage),
        "read": {},
    }
    if not (np.isfinite(answer["codes_per_second"]) and answer["codes_per_second"] > 0):
        raise Refused("its timeCodesPerSecond is not above 0")
    arrays: dict[str, Any] = {}
    which = request["which"]
    if which == "default":
        which, answer["skipped"] = choose_default(len(found), lambda n: _entry(stage, found[n]))
    every = range(len(found))
    for number in every if which is None else {which} & set(every):  # the asker rejects others
        one, made = _sampled(stage, found[number], request)
        answer["read"][str(number)] = one
        arrays |= {f"{number}.{name}": array for name, array in made.items()}
    return answer, arrays


def _sampled(
    stage: Any, animation: Animation, request: dict[str, Any]
) -> tuple[dict[str, Any], dict[str, Any]]:
    tokens = _tokens(animation)
    span, word = _span(stage, animation.times())
    most = request["most_bytes"] // (160 * max(len(tokens) + len(animation.chain), 1))
    frames, rate, even, exact = _frames(stage, animation.times(), span, request["fps"], most)
    index = {str(p.GetPath()): k for k, p in enumerate(animation.chain)}
    answer: dict[str, Any] = {
        "name": animation.name,
        "rate": rate,
        "even": even,
        "exact": exact,
        "note": _note(animation, word),
        "chain": [_prim_entry(p, index) for p in animation.chain],
        "animation": _path(animation.prim),
        "skeleton": _path(animation.skeleton),
        "skinned": is_skinned(prims(stage), animation.skeleton),
        "joints": tokens,
        "names": _names(animation.skeleton, len(tokens)),
    }
    moving = [k for k, entry in enumerate(answer["chain"]) if entry["moves"]]
    arrays = _matrices(animation.chain, moving, frames)
    if animation.prim is not None:
        _add_skeleton(animation, tokens, frames, answer, arrays)
    return answer, arrays


def _note(animation: Animation, word: str) -> str:
    if not animation.shapes:
        return word
    kinds = dict.fromkeys(str(a.GetName()) for a in animation.shapes)
    return "; ".join(filter(None, [word, _SHAPES.format(", ".join(kinds))]))


def _matrices(chain: list[Any], moving: list[int], frames: FloatArray) -> dict[str, Any]:
    """Return the transforms of prims at the first frame, and of those that move at every frame."""
    rest = [local_matrix(p, frames[0]) for p in chain]
    moved = [[local_matrix(chain[k], t) for k in moving] for t in frames]
    return {
        "frames": frames,
        "rest": np.array(rest).reshape(-1, 4, 4),
        "moving": np.array(moving, dtype=np.int64),
        "matrices": np.array(moved).reshape(len(frames), len(moving), 4, 4),
    }


def _path(prim: Any) -> str | None:
    return None if prim is None else str(prim.GetPath())


def _tokens(animation: Animation) -> list[str]:
    """Return the joints of the skeleton; without one, the animated joints."""
    if animation.skeleton is not None:
        return _joints(animation.skeleton)
    if animation.prim is None:
        return []
    return sorted(_animated_joints(animation.prim), key=lambda t: t.count("/"))


def _frames(
    stage: Any, times: FloatArray, span: tuple[float, float], fps: float | None, most: int
) -> tuple[FloatArray, float, bool, bool]:
    """Choose the codes to sample; more than ``most`` are an error."""
    per_second = stage.GetTimeCodesPerSecond()
    rate = fps or _rate(stage)
    least = (span[1] - span[0]) / per_second * (rate or per_second)
    if not least < most or len(times) > most:
        raise Refused(f"it lasts {least:.3g} frames, which is more than fits in memory")
    found = frames_of(np.array(span, dtype=float) if fps else times, span, per_second, rate)
    if len(found[0]) > most:
        raise Refused(f"it has {len(found[0])} frames, which is more than fits in memory")
    return found


def local_matrix(prim: Any, code: float) -> FloatArray:
    """Return a prim's local transform for row vectors; the identity if it has none."""
    if not prim.IsA(UsdGeom.Xformable):
        return np.eye(4)
    matrix = UsdGeom.Xformable(prim).GetLocalTransformation(Usd.TimeCode(float(code)))
    found = np.array(matrix if isinstance(matrix, Gf.Matrix4d) else matrix[0], dtype=float)
    if not np.isfinite(found).all():
        raise Refused(f"the transform of {prim.GetPath()} at code {code:g} is not finite")
    return found


def _prim_entry(prim: Any, index: dict[str, int]) -> dict[str, Any]:
    ops = [
        {
            "attribute": str(op.GetAttr().GetPath()),
            "kind": op.GetOpType().displayName,
            "inverse": bool(op.IsInverseOp()),
            "moves": moves(op.GetAttr()),
        }
        for op in ops_of(prim)
    ]
    return {
        "path": str(prim.GetPath()),
        "name": prim.GetName(),
        "parent": _parent(prim, index),
        "ops": ops,
        "moves": any(op["moves"] for op in ops),
    }


def _parent(prim: Any, index: dict[str, int]) -> int:
    """Return the number of the nearest known prim whose transform applies to a prim, or -1."""
    while not _resets(prim):
        prim = prim.GetParent()
        if not prim or prim.IsPseudoRoot():
            return -1
        if str(prim.GetPath()) in index:
            return index[str(prim.GetPath())]
    return -1


def _resets(prim: Any) -> bool:
    """Return whether a prim ignores the transforms above it."""
    form = UsdGeom.Xformable(prim)
    return bool(form and form.GetResetXformStack())


def _joints(skeleton: Any) -> list[str]:
    found = [str(t) for t in UsdSkel.Skeleton(skeleton).GetJointsAttr().Get() or ()]
    if not found:
        raise Refused(f"the skeleton {skeleton.GetPath()} has no joints")
    sound, why = UsdSkel.Topology(found).Validate()
    if not sound or len(set(found)) < len(found):
        raise Refused(
            f"the joints of {skeleton.GetPath()} form no tree: {why or 'one occurs twice'}"
        )
    return found


def _animated_joints(prim: Any) -> list[str]:
    found = [str(t) for t in UsdSkel.Animation(prim).GetJointsAttr().Get() or ()]
    if len(set(found)) < len(found):
        raise Refused(f"a joint occurs twice in {prim.GetPath()}")
    return found


def _names(skeleton: Any, count: int) -> list[str]:
    """Return the skeleton's names of its joints, if it has names beside paths."""
    given = [] if skeleton is None else UsdSkel.Skeleton(skeleton).GetJointNamesAttr().Get() or ()
    return [str(n) for n in given] if len(given) == count else []


def _add_skeleton(
    animation: Animation,
    tokens: list[str],
    frames: FloatArray,
    answer: dict[str, Any],
    arrays: dict[str, Any],
) -> None:
    """Add the joints of a skeleton: their rest, and the tracks that an animation gives to some."""
    prim, skeleton = animation.prim, animation.skeleton
    animated = _animated_joints(prim)
    answer["animated"] = animated
    answer["parents"] = list(UsdSkel.Topology(tokens).GetParentIndices()) if tokens else []
    for name, size in zip(TRACKS, (4, 3, 3), strict=True):
        arrays[name] = _track(prim, name, frames, len(animated), size)
    rest = None
    if skeleton is not None:
        rest = _rest(UsdSkel.Skeleton(skeleton), len(tokens), answer["parents"])
    answer["rests"] = rest is not None
    if rest is None:  # no evidence: use the first frame
        if set(animated) != set(tokens):
            raise Refused(
                f"{answer['skeleton']} has no rest transforms for joints that stand still"
            )
        rest = _posed(prim, frames[0])[[animated.index(t) for t in tokens]]
    if not np.isfinite(rest).all():
        raise Refused(f"the rest transforms of {answer['skeleton']} are not finite")
    arrays["joint_rest"] = rest


def _posed(prim: Any, code: float) -> FloatArray:
    """Return the transforms (J, 4, 4) of an animation's joints at a time."""
    tracks = (prim.GetAttribute(n).Get(float(code)) for n in ("translations", *TRACKS[::2]))
    return np.array(UsdSkel.MakeTransforms(*tracks), dtype=float)


def _track(prim: Any, name: str, frames: FloatArray, count: int, size: int) -> FloatArray:
    """Sample a track of an animation, (F, J, size); rotations are wxyz."""
    attribute = prim.GetAttribute(name)
    if not attribute or not attribute.HasAuthoredValue():
        raise Refused(f"{prim.GetPath()} has no {name}: USD would show the rest pose")
    track = np.array([_row(attribute, code, count, size) for code in frames])
    if not np.isfinite(track).all():
        raise Refused(f"the {name} of {prim.GetPath()} are not finite")
    return track[..., [3, 0, 1, 2]] if size == 4 else track


def _row(attribute: Any, code: float, count: int, size: int) -> FloatArray:
    value = attribute.Get(float(code))
    found = np.zeros((0, size)) if value is None else np.array(value, dtype=float)
    if found.shape != (count, size):
        raise Refused(f"{attribute.GetPath()} has {len(found)} values for {count} joints")
    return found


def _rest(skeleton: Any, count: int, parents: list[int]) -> FloatArray | None:
    """Return the joints' own rest transforms (J, 4, 4), by their bind transforms if necessary."""
    local = np.array(skeleton.GetRestTransformsAttr().Get() or (), dtype=float)
    if local.shape == (count, 4, 4):
        return local
    bind = np.array(skeleton.GetBindTransformsAttr().Get() or (), dtype=float)
    if bind.shape != (count, 4, 4) or not np.isfinite(bind).all():
        return None
    out = bind.copy()
    for j, p in enumerate(parents):
        if p >= 0:
            if abs(np.linalg.det(bind[p])) < 1e-12:
                return None
            out[j] = bind[j] @ np.linalg.inv(bind[p])
    return out
