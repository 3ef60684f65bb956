"""The other end of :mod:`retime.io.fbx.evaluation`: a program of its own that runs ufbx.

It is started by its path, knows numpy and pufbx only, and answers one line for each line that it
is given. Whatever happens here, a crash included, ends this process and no other.
"""

from __future__ import annotations

import sys
from typing import Any

# Address space and processor time that a file may take.
_MOST_BYTES = 4 << 30
_MOST_SECONDS = 3600


def _limit() -> None:
    try:
        import resource
    except ImportError:  # not on Windows; the parent's patience still ends
        return
    for kind, most in ((resource.RLIMIT_AS, _MOST_BYTES), (resource.RLIMIT_CPU, _MOST_SECONDS)):
        _, high = resource.getrlimit(kind)
        if high == resource.RLIM_INFINITY or high > most:
            resource.setrlimit(kind, (most, most))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _keys(source: str, target: str) -> None:
    """Write the keys of a file's curves with the tangents that ufbx finds."""
    import numpy as np
    import pufbx

    scene = pufbx.load_fbx(source)
    found = [curve.get_keyframes() for curve in scene.anim_curves]
    counts = np.array([len(k) for k in found], np.int64)
    if not found:
        np.savez(target, counts=counts)
        return
    keys = np.concatenate(found)
    reach = np.stack([keys["left"]["dx"], keys["right"]["dx"]], axis=1).astype(float)
    rise = np.stack([keys["left"]["dy"], keys["right"]["dy"]], axis=1).astype(float)
    np.savez(
        target, counts=counts, mode=keys["interpolation"].astype(np.int64), reach=reach, rise=rise
    )


def _poses(source: str, times_file: str, target: str) -> None:
    """Write the local transforms of all nodes: at rest, and at times where they move."""
    import numpy as np
    import pufbx
    from pufbx import bake_anim

    times = np.load(times_file, allow_pickle=False)
    scene = pufbx.load_fbx(source)
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
        # Keys stand on the wanted times already; a rate above theirs keeps each of them, in
        # translations that come of turning about a pivot, too.
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
    np.savez(
        target,
        names=np.array(names),
        parents=np.array(parents),
        modes=np.array(modes, np.int64),
        rest=np.array(rest, float).reshape(-1, 10),
        moved=np.array(moved, np.int64),
        tracks=np.array(tracks, float).reshape(len(moved), len(times), 10),
    )


def _places(keys: Any, times: Any) -> Any:
    import numpy as np

    return np.stack([np.interp(times, keys["time"], keys["value"][a]) for a in "xyz"], axis=1)


def _turns(keys: Any, times: Any) -> Any:
    import numpy as np

    q = np.stack([keys["value"][a] for a in "wxyz"], axis=1)
    flips = np.where((q[1:] * q[:-1]).sum(axis=1) < 0, -1.0, 1.0)
    q = q * np.cumprod(np.r_[1.0, flips])[:, None]
    out = np.stack([np.interp(times, keys["time"], q[:, a]) for a in range(4)], axis=1)
    return out / np.maximum(np.linalg.norm(out, axis=1, keepdims=True), 1e-12)


def main() -> None:
    """Answer requests until there are no more."""
    _limit()
    import pufbx  # noqa: F401  # loaded while the parent reads the file

    for line in sys.stdin:
        what, *arguments = line.rstrip("\n").split("\t")
        try:
            (_keys if what == "keys" else _poses)(*arguments)
            answer = "ok"
        except MemoryError:
            answer = "there is not enough memory for it"
        except Exception as e:
            answer = " ".join(str(e).split())[:200] or type(e).__name__
        print(answer, flush=True)


if __name__ == "__main__":
    main()
