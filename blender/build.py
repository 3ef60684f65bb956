"""Build the extension's zip, the engine's wheel inside; validate it where Blender's tool is.

Run by ``make blender``: the wheel and the extension have the same version.
"""

import argparse
import shutil
import subprocess
import sys
import tempfile
import tomllib
import zipfile
from pathlib import Path

import make_parameters
import shared

HERE = Path(__file__).parent
ROOT = HERE.parent
# What makes the extension, and is no part of it.
_LEFT_OUT = {"build.py", "make_parameters.py", "make_pictures.py"}


def sources():
    """List the extension's files."""
    found = [p for p in sorted(HERE.rglob("*")) if p.is_file() and "__pycache__" not in p.parts]
    return [p for p in found if p.name not in _LEFT_OUT and p.suffix != ".pyc"]


def main():
    """Build and validate."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=ROOT / "dist")
    parser.add_argument("--no-wheel", action="store_true", help="Leave the engine's wheel out.")
    parser.add_argument(
        "--engines", type=Path,
        help="Folder of retime's own wheels, such as those of a release: all go into the zip.",
    )  # fmt: skip
    parser.add_argument(
        "--python", action="append",
        help="Python to build the engine's wheel with, without --engines (repeatable). One of "
        "Python 3.11 fits Blender 4.2 to 5.0, one of 3.12 or later fits Blender 5.1 and later. "
        "Default: this Python.",
    )  # fmt: skip
    parser.add_argument(
        "--wheels", choices=["inside", "beside"],
        help="Add all wheels that the engine needs, so that it installs without network: into the "
        "zip, or into a folder beside it.",
    )  # fmt: skip
    parser.add_argument(
        "--python-version", default="3.11", help="Python of the Blender (default 3.11)."
    )
    parser.add_argument(
        "--platform", action="append", help="Platform tag of the wheels. Default: this system's."
    )
    options = parser.parse_args()
    make_parameters.PAGE.write_text(make_parameters.page())
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    own = tomllib.loads((HERE / "blender_manifest.toml").read_text())["version"]
    if own != version:
        sys.exit(f"blender_manifest.toml has version {own}, pyproject.toml {version}")
    options.out.mkdir(parents=True, exist_ok=True)
    target = options.out / f"retime-blender-{version}.zip"
    with tempfile.TemporaryDirectory() as name:
        beside = Path(name) / target.name
        with zipfile.ZipFile(beside, "w", zipfile.ZIP_DEFLATED) as archive:
            for path in sources():
                archive.write(path, path.relative_to(HERE).as_posix())
            for module, place in shared.KEPT.items():
                archive.write(ROOT / place, f"shared/{module}.py")
            if not options.no_wheel:
                own = _engines(options) or [
                    _wheel(Path(name), python) for python in options.python or [sys.executable]
                ]
                needed = [*own, *(_needed(own[0], options) if options.wheels else ())]
                for path in needed if options.wheels == "inside" else own:
                    archive.write(path, f"engine/{path.name}", zipfile.ZIP_STORED)
                if options.wheels == "beside":
                    folder = options.out / f"retime-wheels-{version}"
                    shutil.rmtree(folder, ignore_errors=True)
                    folder.mkdir()
                    for path in needed:
                        shutil.copy(path, folder)
        _validate(beside)
        target.write_bytes(beside.read_bytes())
    print(f"{target}: {target.stat().st_size / 1e6:.1f} MB")


def _engines(options):
    return sorted(options.engines.glob("retime-*.whl")) if options.engines else []


def _wheel(folder, python):
    before = set(folder.glob("retime-*.whl"))
    pip = [python, "-m", "pip", "wheel", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, "--no-deps", "--wheel-dir", str(folder), str(ROOT)], check=True)
    return next(iter(set(folder.glob("retime-*.whl")) - before))


def _needed(wheel, options):
    """Download the wheels that the engine needs, but for its own."""
    folder = wheel.parent / "needed"
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check",
           "--only-binary", ":all:", "--python-version", options.python_version]  # fmt: skip
    for platform in options.platform or ():
        pip += ["--platform", platform]
    subprocess.run([*pip, "--dest", str(folder), str(wheel)], check=True)
    return [p for p in sorted(folder.glob("*.whl")) if p.name != wheel.name]


def _validate(path):
    """Ask Blender's own extension command line, where a Blender is available."""
    tool = next(iter((ROOT / ".venv-blender").rglob("bl_pkg/cli/blender_ext.py")), None)
    if tool is None:
        print("not validated: there is no Blender in .venv-blender (pip install bpy)")
        return
    subprocess.run([sys.executable, str(tool), "validate", str(path)], check=True)


if __name__ == "__main__":
    main()
