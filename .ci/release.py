"""Build the sdist and the wheel, check what they contain, and try the wheel in a new environment.

Run by ``make release``. Nothing is uploaded: a tag does that, through the release workflow.
"""

from __future__ import annotations

import http.client
import os
import re
import subprocess
import sys
import tempfile
import tomllib
import venv
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DIST = ROOT / "dist"
# A small file, which is read without a compiler.
FBX = """; FBX 7.4.0 project file
FBXHeaderExtension:  {
\tFBXVersion: 7400
}
Objects:  {
\tModel: 1, "Model::Hips", "LimbNode" {
\t}
\tAnimationStack: 2, "AnimStack::walk", "" {
\t}
\tAnimationLayer: 3, "AnimLayer::Base", "" {
\t}
\tAnimationCurveNode: 4, "AnimCurveNode::R", "" {
\t}
\tAnimationCurve: 5, "AnimCurve::", "" {
\t\tKeyTime: *2 {
\t\t\ta: 0,46186158000
\t\t}
\t\tKeyValueFloat: *2 {
\t\t\ta: 0,90
\t\t}
\t\tKeyAttrFlags: *1 {
\t\t\ta: 264
\t\t}
\t\tKeyAttrDataFloat: *4 {
\t\t\ta: 0,0,0,0
\t\t}
\t\tKeyAttrRefCount: *1 {
\t\t\ta: 2
\t\t}
\t}
}
Connections:  {
\tC: "OO",1,0
\tC: "OO",3,2
\tC: "OO",4,3
\tC: "OP",4,1, "Lcl Rotation"
\tC: "OP",5,4, "d|X"
}
"""
# What the wheel must contain beside the modules.
NEEDED = (
    "retime/studio/static/index.html",
    "retime/studio/static/licenses.txt",
    "retime/py.typed",
    "retime/_native.",  # the kernels, whatever the system adds to the name
    "retime/__init__.pyi",
    "retime/runtimes/three/",
    "retime/runtimes/unity/",
)


def main() -> None:
    """Build and try."""
    version = stated_version()
    for old in DIST.glob(f"retime-{version}*"):
        old.unlink()
    run(sys.executable, str(ROOT / "web/build.py"))  # the sdist contains the studio's pages
    run(sys.executable, "-m", "build", "--outdir", str(DIST), str(ROOT))
    wheel = next(DIST.glob(f"retime-{version}-*.whl"))
    check_contents(wheel)
    try_wheel(wheel, version)
    print(f"{wheel.relative_to(ROOT)} is ready; tag v{version} to publish it")


def stated_version() -> str:
    """Return the version; exit where another file states another one."""
    version = str(tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"])
    stated = {
        "blender/blender_manifest.toml": r'^version = "(.+)"',
        "CITATION.cff": r"^version: (.+)",
    }
    for name, pattern in stated.items():
        found = re.search(pattern, (ROOT / name).read_text(), re.MULTILINE)
        if found is None or found[1] != version:
            sys.exit(f"{name} states version {found and found[1]}, pyproject.toml {version}")
    tag = os.environ.get("GITHUB_REF_NAME", "") if _is_tag() else f"v{version}"
    if tag != f"v{version}":
        sys.exit(f"the tag is {tag}, but pyproject.toml states version {version}")
    return version


def _is_tag() -> bool:
    """Return whether a tag in GitHub's workflow started this."""
    return os.environ.get("GITHUB_REF_TYPE") == "tag"


def check_contents(wheel: Path) -> None:
    """Exit where the wheel lacks the studio's pages, or contains what only developers need."""
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    lacks = [name for name in NEEDED if not any(n.startswith(name) for n in names)]
    if lacks:
        sys.exit(f"{wheel.name} lacks {', '.join(lacks)}")
    extra = [n for n in names if not n.startswith("retime/") and ".dist-info/" not in n]
    if extra:
        sys.exit(f"{wheel.name} contains {extra[0]}, which is no part of the package")


def try_wheel(wheel: Path, version: str) -> None:
    """Install the wheel into a new environment without compiler, and use it there.

    It runs the demo, a batch and the studio, with nothing but the environment in PATH.
    """
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        venv.create(folder / "env", with_pip=True)
        binaries = folder / "env" / ("Scripts" if sys.platform == "win32" else "bin")
        python = str(binaries / "python")
        pip = (python, "-m", "pip", "install", "--quiet", "--only-binary=:all:")
        run(*pip, f"{wheel}[studio]")
        os.environ["PATH"] = str(binaries)
        retime = str(binaries / "retime")
        said = subprocess.check_output([retime, "--version"], text=True)
        if version not in said:
            sys.exit(f"the installed retime says {said.strip()!r}, not {version}")
        run(retime, "demo", str(folder / "demo"))
        (folder / "clips").mkdir()
        run(retime, "samples", "jump", "--into", str(folder / "clips"))
        recipe = str(folder / "shorter.json")
        run(retime, "guided", str(folder / "clips" / "jump.bvh"), str(folder / "short.bvh"),
            "--duration", "80%", "--recipe", recipe)  # fmt: skip
        fbx = folder / "x.fbx"
        fbx.write_text(FBX)
        run(retime, "apply", str(fbx), str(folder / "slow.fbx"), "--duration", "2")
        run(retime, "batch", recipe, str(folder / "clips"), str(folder / "out"), "--jobs", "2")
        serve_studio(binaries, folder)


def serve_studio(binaries: Path, folder: Path) -> None:
    """Serve the studio with nothing but the environment in PATH, and load its page and scripts."""
    command = [
        str(binaries / "retime"),
        "studio",
        "--no-browser",
        "--project",
        f"{folder}/x.retime",
    ]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as studio:
        try:
            said = (re.search(r"127\.0\.0\.1:(\d+)(/\S+)", line) for line in studio.stdout or ())
            found = next(filter(None, said), None)
            if found is None:
                sys.exit("the installed studio does not start")
            _, cookie, _ = load(int(found[1]), found[2], "")
            _, _, page = load(int(found[1]), "/", cookie)
            for name in ["/", *re.findall(r'(?:src|href)="(/[^"]+)"', page)]:
                status, _, text = load(int(found[1]), name, cookie)
                if status != 200 or not text:
                    sys.exit(f"the installed studio answers {status} for {name}")
        finally:
            studio.kill()


def load(port: int, path: str, cookie: str) -> tuple[int, str, str]:
    """Load a page of a local server: the status, the cookie that it sets, and the text."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    connection.request("GET", path, headers={"cookie": cookie} if cookie else {})
    answer = connection.getresponse()
    given = answer.getheader("set-cookie", "").partition(";")[0]
    return answer.status, given, answer.read().decode("utf-8", "replace")


def run(*command: str) -> None:
    """Run a command; exit where it fails."""
    subprocess.run(command, check=True)


if __name__ == "__main__":
    main()
