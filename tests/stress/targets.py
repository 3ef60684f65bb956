"""What is attacked: for every format some sound inputs, and the code that reads one."""

from __future__ import annotations

import importlib.util
import json
import pickle
import sqlite3
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import retime
from every_format import motion_file
from fbx_making import made_of
from gltf_making import glb, parts
from live_streams import frames_of
from maya_making import walker
from retime import samples
from retime.batch.manifest import Manifest, Row
from retime.body import find_body
from retime.bounded_json import parse
from retime.live_server.vmc import parse_packet
from retime.media.timelines import events
from retime.media.timelines.carrying import Carrier
from retime.motion import Motion
from retime.recipe.json import read_recipe
from table_making import storage, trc
from unity_making import small_clip
from vmd_making import dance, pmx

Run = Callable[[Path], object]


@dataclass(frozen=True)
class Target:
    """A kind of input."""

    seeds: tuple[bytes, ...]
    """Sound inputs."""
    suffix: str
    """How its file is named."""
    run: Run
    """Reads it; a sentence is an answer."""
    beside: tuple[tuple[str, bytes], ...] = ()
    """Files that it is read with."""


def _motion(path: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        motion = retime.read(path)
    if len(motion):
        find_body(motion)
        motion.skeleton.channels  # noqa: B018


def _event_list(path: Path) -> None:
    warp = retime.TimeWarp([0.0, 9.0], [0.0, 4.0])
    carrier = Carrier(warp.body, outside="clamp", fps=30.0)
    events.carry_events(path, path.with_name(f"out{path.suffix}"), carrier)


def _packet(path: Path) -> None:
    parse_packet(path.read_bytes())


def _session(path: Path) -> None:
    from retime.studio.session import Session
    from retime.studio.workspace import Workspace

    folder = path.parent / "study.retime"
    folder.mkdir()
    name = "journal.jsonl" if path.suffix == ".jsonl" else "project.json"
    path.rename(folder / name)
    Session(Workspace(folder, path.parent)).close()


def _manifest(path: Path) -> None:
    manifest = Manifest(path)
    try:
        manifest.about()
        for name in list(manifest.names()):
            manifest.row(name)
        manifest.put(Row("z.bvh", "z.bvh", state="done"))
    finally:
        manifest.close()


def _line(path: Path) -> None:
    parse(path.read_bytes())


def _small() -> Motion:
    return samples.jump(fps=8)


def _project(folder: Path) -> tuple[bytes, bytes]:
    from retime.studio.commands import AddMotion, AddStep
    from retime.studio.project import MotionEntry, NewStep
    from retime.studio.session import Session
    from retime.studio.workspace import Workspace

    session = Session(Workspace(folder / "seed.retime", folder))
    session.do(AddMotion(MotionEntry("jump", "motions/jump.bvh", "0" * 64)))
    session.do(AddStep("A", NewStep("spline", {"keytimes": [[0.5, 0.7]]})))
    session.do(AddStep("B", NewStep("smooth")))
    session.undo()
    session.close()
    place = folder / "seed.retime"
    return (place / "project.json").read_bytes(), (place / "journal.jsonl").read_bytes()


def make_targets(folder: Path, kept: Path | None = None) -> dict[str, Target]:
    """Make the targets that this installation can read, in a folder.

    Seeds are kept as ``targets.pickle``, and taken from there the next time.
    """
    if kept is not None and (kept / "targets.pickle").exists():
        made: dict[str, Target] = pickle.loads((kept / "targets.pickle").read_bytes())
        return made
    out = _made(folder)
    if kept is not None:
        kept.mkdir(parents=True, exist_ok=True)
        (kept / "targets.pickle").write_bytes(pickle.dumps(out))
    return out


def _made(folder: Path) -> dict[str, Target]:
    out: dict[str, Target] = {}
    small = _small()

    def written(name: str) -> bytes:
        path = folder / name
        retime.write(small, path)
        return path.read_bytes()

    for suffix in (".bvh", ".npz", ".glb"):
        out[suffix[1:]] = Target((written(f"a{suffix}"),), suffix, _motion)
    written("b.gltf")
    beside = tuple((p.name, p.read_bytes()) for p in folder.glob("b*.bin"))
    out["gltf"] = Target(((folder / "b.gltf").read_bytes(),), ".gltf", _motion, beside)
    amc, asf = motion_file(".amc", folder)
    short = b"\n".join(amc.read_bytes().split(b"\n")[:60])
    out["amc"] = Target((short,), ".amc", _motion, (("take.asf", asf.read_bytes()),))
    out["asf"] = Target((asf.read_bytes(),), ".asf", _motion_of_asf, (("take.amc", short),))
    for suffix in (".npy", ".pkl"):
        out[suffix[1:]] = Target((motion_file(suffix, folder)[0].read_bytes(),), suffix, _motion)
    if importlib.util.find_spec("ezc3d") is not None:
        out["c3d"] = Target((motion_file(".c3d", folder)[0].read_bytes(),), ".c3d", _motion)
    short_fbx = made_of(samples.jump(fps=4)).write(folder / "a.fbx")
    out["fbx"] = Target((short_fbx.read_bytes(),), ".fbx", _motion)
    if importlib.util.find_spec("pxr") is not None:
        for suffix in (".usda", ".usdc"):
            out[suffix[1:]] = Target((written(f"a{suffix}"),), suffix, _motion)
    as_text = made_of(samples.jump(fps=4)).write_text(folder / "b.fbx")
    out["fbx-ascii"] = Target((as_text.read_bytes(),), ".fbx", _motion)
    out["trc"] = Target((trc(12).encode(),), ".trc", _motion)
    out["storage"] = Target((storage(np.arange(12) / 50).encode(),), ".mot", _motion)
    out["vmd"] = Target((dance(30, 10),), ".vmd", _motion)
    beside = (("take.vmd", dance(30, 10)),)
    out["pmx"] = Target((pmx(), pmx(index=2, unicode=1)), ".pmx", _motion_of_pmx, beside)
    for suffix, extension in ((".vrm", "VRMC_vrm"), (".vrma", "VRMC_vrm_animation")):
        out[suffix[1:]] = Target((_avatar(folder, extension),), suffix, _motion)
    out["maya"] = Target((walker().encode(),), ".anim", _motion)
    out["unity"] = Target((small_clip().encode(),), ".anim", _motion)
    (folder / "w.warp.json").unlink(missing_ok=True)
    retime.write_warp(retime.TimeWarp([0.0, 0.4, 1.0], [0.0, 0.5, 1.0]), folder / "w.warp.json")
    warp = (folder / "w.warp.json").read_bytes()
    out["warp"] = Target((warp,), ".json", retime.read_warp)
    steps = [
        {"method": "spline", "parameters": {"keytimes": [[0.5, 0.7]]}, "weight": 0.5},
        {"method": "warp", "parameters": {"warp": json.loads(warp)}, "label": "x"},
    ]
    recipe = {"format": "retime-recipe", "version": 2, "steps": steps}
    out["recipe"] = Target((json.dumps(recipe).encode(),), ".json", read_recipe)
    out["json"] = Target((json.dumps(recipe).encode(), warp), ".txt", _line)
    if importlib.util.find_spec("msgspec") is not None:
        project, journal = _project(folder)
        out["project"] = Target((project,), ".project", _session)
        out["journal"] = Target((journal,), ".jsonl", _session)
    out["manifest"] = Target((_database(folder / "m.sqlite"),), ".sqlite", _manifest)
    times = samples.punches().times[:3]
    packets = tuple(data for _, data in frames_of(samples.punches(), times, times))
    out["packet"] = Target(packets, ".osc", _packet)
    cues = b"1\n00:00:01,000 --> 00:00:02,500\nA\n\n2\n00:00:03,000 --> 00:00:03,5\nB\n"
    out["srt"] = Target((cues,), ".srt", _event_list)
    out["vtt"] = Target((b"WEBVTT\n\nNOTE x\n\n00:01.000 --> 00:02.000 line:1\na <00:01.500>b\n",),
                        ".vtt", _event_list)  # fmt: skip
    out["labels"] = Target((b"0.5\t1.5\tstep\n\\\t10\t20\n2.0\t2.0\tclap\n",), ".txt", _event_list)
    out["table"] = Target((b'time,end,name\n0.5,1.0,a\n2,3,"b,c"\n',), ".csv", _event_list)
    return out


def _motion_of_asf(path: Path) -> None:
    _motion(path.with_name("take.amc"))


def _avatar(folder: Path, extension: str) -> bytes:
    """Return a body whose nodes have the roles that VRM and VRMA declare."""
    document, body = parts(folder / "a.glb")
    nodes = {n["name"]: k for k, n in enumerate(document["nodes"]) if "name" in n}
    bones = {b: {"node": nodes[n]} for b, n in (("hips", "Hips"), ("head", "Head"))}
    document["extensions"] = {extension: {"humanoid": {"humanBones": bones}}}
    return glb(document, body)


def _motion_of_pmx(path: Path) -> None:
    _motion(path.with_name("take.vmd"))


def _database(path: Path) -> bytes:
    path.unlink(missing_ok=True)
    manifest = Manifest(path)
    manifest.tell({"library": "clips", "copies": 1})
    for k in range(6):
        manifest.put(
            Row(f"{k}.bvh", f"{k}.bvh", state="done", verdict="accepted", measures={"a": 1.0})
        )
    manifest.close()
    db = sqlite3.connect(path)
    db.execute("PRAGMA journal_mode = DELETE")
    db.close()
    return path.read_bytes()
