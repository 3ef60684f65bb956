"""Settings that every test shares."""

from __future__ import annotations

import os

from hypothesis import settings

# `make stress` sets RETIME_STRESS: the same laws, many more random warps and motions.
settings.register_profile(
    "retime",
    deadline=None,
    derandomize=False,
    print_blob=True,
    max_examples=1000 if os.environ.get("RETIME_STRESS") else 60,
)
settings.load_profile("retime")
