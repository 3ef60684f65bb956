"""Modules of retime that need no more than Blender's Python, carried along in the zip.

In a checkout they are found where they are kept.
"""

from pathlib import Path

# Where each is kept, relative to a checkout.
KEPT = {
    "child": "src/retime/process/child.py",
    "key_mover": "src/retime/io/key_mover.py",
}

_ROOT = Path(__file__).resolve().parents[2]
if not Path(__file__).with_name("child.py").exists():
    __path__ += sorted({str((_ROOT / place).parent) for place in KEPT.values()})
