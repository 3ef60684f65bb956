"""The program that runs ufbx, started by its path (see :mod:`retime.process.library`)."""

from __future__ import annotations

from typing import Any

import numpy as np

from retime.process.library import Arrays

__all__: list[str] = []


def keys(request: dict[str, Any], _: Arrays) -> tuple[dict[str, Any], Arrays]:
    """Return the keys of a file's curves with the tangents that ufbx finds."""
    import pufbx

    scene = pufbx.load_fbx(request["path"])
    found = [curve.get_keyframes() for curve in scene.anim_curves]
    counts = np.array([len(k) for k in found], np.int64)
    if not found:
        return {}, {"counts": counts}
    whole = np.concatenate(found)
    reach = np.stack([whole["left"]["dx"], whole["right"]["dx"]], axis=1).astype(float)
    rise = np.stack([whole["left"]["dy"], whole["right"]["dy"]], axis=1).astype(float)
    mode = whole["interpolation"].astype(np.int64)
    return {}, {"counts": counts, "mode": mode, "reach": reach, "rise": rise}


def poses(request: dict[str, Any], arrays: Arrays) -> tuple[dict[str, Any], Arrays]:
    """Return the local transforms of all nodes: at rest, and at times where they move."""
    import pufbx
    from pufbx import bake_anim

    times = arrays["times"]
    scene = pufbx.load_fbx(request["path"])
    nodes = scene.nodes
    names, parents, modes, rest = [], [], [], []
    for node in nodes:
        above = node.parent
        names.append(node.name)
        parents.append("" if above is None else above.name)
        modes.append(int(node.inherit_mode))
        own = node.local_transform
        q = own.rotation
        rest.append([*own.translation, q.w, q.x, q.y, q.z, *own.scale])
    tracks, moved = [], []
    stacks = scene.anim_stacks
    if len(stacks) and len(times):
        # Keys are already at the requested times. A higher rate keeps each of them, also in
        # translations that result from turning about a pivot.
        rate = 2 / float(np.median(np.diff(times))) if len(times) > 1 else 30.0
        baked = bake_anim(scene, stacks[0].anim, resample_rate=rate, maximum_sample_rate=1e9)
        for own in baked.modified_nodes:
            moved.append(own.typed_id)
            tracks.append(
                np.concatenate(
                    [
                        _places(own.translation_keys, times),
                        _turns(own.rotation_keys, times),
                        _places(own.scale_keys, times),
                    ],
                    axis=1,
                )
            )
    return {}, {
        "names": np.array(names),
        "parents": np.array(parents),
        "modes": np.array(modes, np.int64),
        "rest": np.array(rest, float).reshape(-1, 10),
        "moved": np.array(moved, np.int64),
        "tracks": np.array(tracks, float).reshape(len(moved), len(times), 10),
    }


def _places(keys: Any, times: Any) -> Any:
    return np.stack([np.interp(times, keys["time"], keys["value"][a]) for a in "xyz"], axis=1)


def _turns(keys: Any, times: Any) -> Any:
    q = np.stack([keys["value"][a] for a in "wxyz"], axis=1)
    flips = np.where((q[1:] * q[:-1]).sum(axis=1) < 0, -1.0, 1.0)
    q = q * np.cumprod(np.r_[1.0, flips])[:, None]
    out = np.stack([np.interp(times, keys["time"], q[:, a]) for a in range(4)], axis=1)
    return out / np.maximum(np.linalg.norm(out, axis=1, keepdims=True), 1e-12)


def main() -> None:
    """Load ufbx, and answer until the input ends."""
    import pufbx  # noqa: F401

    from retime.process.library import serve

    serve({"keys": keys, "poses": poses})


if __name__ == "__main__":
    main()
