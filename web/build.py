"""Build the studio's pages into the package, where they are not built from these sources yet.

    python web/build.py             build, or say what is missing
    python web/build.py --optional  the same, but go on where Node.js is missing

It needs Node.js 20.19 or later with npm, and of Python only its standard library: the build of a
wheel runs it too.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
import sys
from pathlib import Path

WEB = Path(__file__).resolve().parent
STATIC = WEB.parent / "src" / "retime" / "studio" / "static"
MISSING = (
    "the studio's pages were not built, because npm is not installed: install Node.js 20.19 or "
    "later. All but `retime studio` works without"
)


def sources_hash() -> str:
    """Hash all that the pages are made of."""
    digest = hashlib.sha256()
    for path in sorted(WEB.rglob("*")):
        inside = path.relative_to(WEB)
        if path.is_file() and "node_modules" not in inside.parts and path.suffix != ".pyc":
            digest.update(f"{inside.as_posix()}\0".encode() + path.read_bytes())
    return digest.hexdigest()


def is_built() -> bool:
    """Whether the pages are those of these sources."""
    stamp = STATIC / ".built"
    return stamp.exists() and stamp.read_text() == sources_hash()


def build() -> str | None:
    """Build the pages where needed; return what is missing, if anything."""
    if is_built():
        return None
    npm = shutil.which("npm")
    if npm is None:
        return MISSING
    for command in (["ci", "--silent", "--no-audit", "--no-fund"], ["run", "--silent", "build"]):
        try:
            subprocess.run([npm, *command], cwd=WEB, check=True)
        except subprocess.CalledProcessError as e:
            return (
                f"the studio's pages were not built: `npm {command[0]}` ended with {e.returncode}"
            )
    (STATIC / "licenses.txt").write_text(licenses(), encoding="utf-8")
    (STATIC / ".built").write_text(sources_hash())
    return None


def licenses() -> str:
    """Collect the licences of the packages that the pages contain."""
    lock = json.loads((WEB / "package-lock.json").read_text(encoding="utf-8"))
    parts = []
    for place, package in sorted(lock["packages"].items()):
        if not place or package.get("dev") or package.get("optional"):
            continue
        name = place.removeprefix("node_modules/")
        texts = sorted((WEB / place).glob("LICEN[CS]E*"))
        text = texts[0].read_text(encoding="utf-8").strip() if texts else "(no licence file)"
        parts.append(f"{name} {package['version']}: {package.get('license', '')}\n\n{text}\n")
    return ("\n" + "-" * 72 + "\n\n").join(parts)


if __name__ == "__main__":
    problem = build()
    if problem is not None:
        print(problem, file=sys.stderr)
        sys.exit("--optional" not in sys.argv[1:])
