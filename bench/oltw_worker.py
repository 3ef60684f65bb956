"""Run pymatchmaker's on-line time warping on given features; in its own environment.

``python oltw_worker.py IN.npz OUT.npz``: arrays ``reference_K`` (N, D) and ``live_K`` (M, D) in,
``index_K`` (M,) and ``seconds_K`` (M,) out.
"""

import sys
import time
from typing import Any

import numpy as np
from matchmaker.dp.oltw_arzt import OnlineTimeWarpingArztFrame

given = np.load(sys.argv[1])
out: dict[str, Any] = {}
for k in range(len(given.files) // 2):
    reference, live = given[f"reference_{k}"], given[f"live_{k}"]
    frames = np.arange(len(reference), dtype=np.float32)
    follower = OnlineTimeWarpingArztFrame(
        reference, frames, window_size=2, step_size=5, frame_rate=30,
        distance_func="Euclidean", ref_frame_to_beat=frames,
    )  # fmt: skip
    index, seconds = [], []
    for row in live:
        start = time.perf_counter()
        follower.step(row)
        seconds.append(time.perf_counter() - start)
        index.append(follower.window_index)
    out[f"index_{k}"], out[f"seconds_{k}"] = np.array(index), np.array(seconds)
np.savez(sys.argv[2], **out)
