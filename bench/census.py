"""Census: ordinary edits on many recorded clips, judged on the delivered motion.

``python -m bench.census`` prints how many clips fail each edit, beside the table that was kept in
``bench/delivered.md``; ``--write`` keeps the new one. A clip fails if a joint turns or accelerates
too much, if the figure sinks, or if a foot slips: see ``LIMITS``. What was delivered of the request
is printed too, so that doing nothing is no solution.
"""

from __future__ import annotations

import argparse
import multiprocessing
import random
import tarfile
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import numpy as np

from bench.delivery import arrived, delayed, exaggerated, hands_moved, stood_still, swung
from retime import Motion, Recipe, RetimeError, StaggeredPoses, Step, TimeWarp, read
from retime import detect_contacts as contacts_of
from retime.arrays import FloatArray
from retime.body import find_body
from retime.body.solve.own_paths import SourceTracks
from retime.joint_times import leg_joints
from retime.motion import quat
from retime.motion.contact import carry_contacts
from retime.motion.kinematics import cached_positions

ARCHIVE = Path(__file__).parents[2] / "shared" / "census" / "clips.tar.xz"
KEPT_TABLE = Path(__file__).with_name("delivered.md")
# Largest turn and acceleration relative to the joint's own most in the source; metres that the
# figure may sink, and that a foot in contact may be from where the source has it.
LIMITS = {"turn": 3.0, "acceleration": 4.0, "floor": 0.02, "slip": 0.01}
# A joint that is slower than this in the source may turn, rad/s, or accelerate, m/s^2, so much.
_SLOW_TURN, _SLOW_ACCELERATION = 2.0, 20.0
# Seconds of a clip that are judged.
_SHORTEST, _LONGEST = 1.5, 12.0
# A drag is not asked for nearer to the ends than this, seconds.
_EDGE = 0.35

Kept = Callable[[Motion, Motion], float]


@dataclass(frozen=True)
class Edit:
    """An ordinary edit: its step, and a measure of how much of the request is delivered."""

    name: str
    step: Step
    kept: Kept
    slips: bool = True
    """Whether feet are judged: some edits move them on purpose."""


@dataclass(frozen=True)
class Row:
    """The judgement of one edit on one clip."""

    clip: str
    edit: str
    values: dict[str, float] = field(default_factory=dict)
    refused: str = ""

    @property
    def fails(self) -> bool:
        """Whether a limit is exceeded."""
        return any(self.values[name] > most for name, most in LIMITS.items() if self.values)


def edits(motion: Motion) -> Iterator[Edit]:
    """Yield the edits of a clip."""
    roles = find_body(motion).roles
    drags = (("hand", "right_hand", 0.2), ("head", "head", 0.2), ("foot", "left_foot", 0.1))
    for name, role, by in drags:
        if role in roles:
            joint = motion.skeleton.names[roles[role]]
            moment = _fastest(motion, roles[role])
            for shift in (-by, by) if role != "left_foot" else (-by,):
                key = {"joint": joint, "time": moment, "shift": shift}
                kept = partial(arrived, joint=roles[role], time=moment, shift=shift)
                step = Step("surface", {"keys": [key]})
                yield Edit(f"{name} {shift:+.1f} s", step, kept, slips=role != "left_foot")
    poses = StaggeredPoses.from_motion(motion)
    hips = motion.skeleton.names[roles.get("hips", motion.skeleton.roots[0])]
    for name, parameters, asked in (
        ("overlap 2", {"overlap": 2.0}, lambda: poses.scale_refinements(2.0)),
        ("overlap 1.1", {"overlap": 1.1}, lambda: poses.scale_refinements(1.1)),
        ("overlap 0", {"overlap": 0.0}, lambda: poses.scale_refinements(0.0)),
        ("jitter", {"jitter": 0.05}, lambda: poses.jitter(0.05)),
        (
            "succession",
            {"succession": [(hips, 0.05, 1.0)]},
            lambda: poses.succession(hips, 0.05, 1.0),
        ),
    ):
        yield Edit(name, Step("stagger", parameters), partial(delayed, before=poses, asked=asked))
    if "left_leg" in find_body(motion).limbs:
        later = poses.refine_poses({"left_leg": 0.06})
        ask = partial(swung, joints=leg_joints(find_body(motion), "left_leg"), seconds=0.06)
        yield Edit("one leg late", Step("stagger", {"edits": later.edits}), ask)
    yield Edit("exaggerate", Step("stagger", {"exaggerate": 0.4}), partial(exaggerated, weight=0.4))
    yield Edit("secondary", Step("secondary", {}), hands_moved)
    yield Edit("hold", Step("hold", {}), stood_still, slips=False)


def _fastest(motion: Motion, joint: int) -> float:
    """Return when a joint is fastest, not near the ends, seconds."""
    edge = round(_EDGE * motion.rate)
    track = cached_positions(motion)[:, joint]
    speed = np.linalg.norm(np.gradient(track, axis=0), axis=1)[edge:-edge]
    return float(motion.times[edge + int(speed.argmax())])


def judged(motion: Motion, edit: Edit, clip: str = "") -> Row:
    """Apply an edit and measure what is delivered."""
    begun = time.perf_counter()
    recipe = Recipe([edit.step])
    try:
        made = recipe.evaluate(motion)
    except RetimeError as error:
        return Row(clip, edit.name, refused=str(error))
    spent = time.perf_counter() - begun
    before, after = (cached_positions(m) for m in (motion, made))
    turns, sizes = zip(*(_fastest_of(m) for m in (motion, made)), strict=True)
    values = {
        "turn": float((turns[1] / np.maximum(turns[0], _SLOW_TURN)).max()),
        "acceleration": float((sizes[1] / np.maximum(sizes[0], _SLOW_ACCELERATION)).max()),
        "floor": float(before[..., 1].min() - after[..., 1].min()),
        "slip": slip(motion, made, recipe.warp(motion)) if edit.slips else 0.0,
        "kept": edit.kept(motion, made),
        "seconds": spent,
    }
    return Row(clip, edit.name, values)


def _fastest_of(motion: Motion) -> tuple[FloatArray, FloatArray]:
    """Return the largest turn, rad/s, and acceleration, m/s^2, of each joint."""
    turns = quat.angle(motion.rotations[1:], motion.rotations[:-1]).max(axis=0) * motion.rate
    second = np.diff(cached_positions(motion), 2, axis=0) * motion.rate**2
    return turns, np.linalg.norm(second, axis=-1).max(axis=0)


def slip(source: Motion, made: Motion, warp: TimeWarp) -> float:
    """Return how far feet in contact are from where the source has them at their own time."""
    feet, tracks = find_body(source).ground_joints(), SourceTracks(made, source, warp)
    worst = 0.0
    for contact in carry_contacts(contacts_of(source), warp):
        frames = (made.times >= contact.start) & (made.times <= contact.end)
        if contact.joint in feet and contact.firmness == 1 and frames.any():
            place = cached_positions(made)[:, source.skeleton.index(contact.joint)]
            off = np.linalg.norm(place - tracks.of(contact.joint), axis=1)
            worst = max(worst, float(off[frames].max()))
    return worst


def clips(count: int | None = None, seed: int = 1) -> list[Path]:
    """Unpack the archive, once, and draw some of its clips."""
    folder = Path(tempfile.gettempdir()) / "retime-census"
    if not folder.exists():
        with tempfile.TemporaryDirectory(dir=folder.parent) as made:
            with tarfile.open(ARCHIVE) as archive:
                archive.extractall(made, filter="data")
            Path(made).rename(folder)
            Path(made).mkdir()  # for its context to remove
    found = sorted(folder.rglob("*.bvh"))
    return found if count is None else random.Random(seed).sample(found, min(count, len(found)))


def judge(path: Path, wanted: Sequence[str] = ()) -> list[Row]:
    """Judge the edits of a clip; none if it is too short."""
    warnings.simplefilter("ignore")
    motion = read(path)
    if motion.duration < _SHORTEST:
        return []
    motion = motion.between(0, min(_LONGEST, motion.duration))
    chosen = (e for e in edits(motion) if not wanted or e.name in wanted)
    return [judged(motion, e, path.stem) for e in chosen]


def slider(motion: Motion, parameters: Callable[[float], dict[str, object]]) -> float:
    """Move a slider in 50 steps; return the largest change of the pose relative to the mean one."""
    poses = (
        cached_positions(Recipe([Step("stagger", parameters(float(share)))]).evaluate(motion))
        for share in np.linspace(0, 1, 51)
    )
    last, steps = next(poses), []
    for pose in poses:
        count = min(len(last), len(pose))
        steps.append(float(np.linalg.norm(pose[:count] - last[:count], axis=-1).mean()))
        last = pose
    return max(steps) / max(float(np.mean(steps)), 1e-12)


def slide(path: Path) -> dict[str, float]:
    """Return what sliders of succession and overlap do on a clip."""
    warnings.simplefilter("ignore")
    motion = read(path)
    motion = motion.between(0, min(4.0, motion.duration))
    hips = motion.skeleton.names[find_body(motion).roles["hips"]]
    return {
        "succession": slider(motion, lambda u: {"succession": [(hips, 0.1 * u, 1.0)]}),
        "overlap": slider(motion, lambda u: {"overlap": 2 * u}),
    }


def table(rows: Sequence[Row]) -> list[str]:
    """Return the lines of a table in Markdown, one for each edit."""
    head = (
        "| edit | clips | fail | turn, median, p90, most | acceleration | floor, cm | slip, cm | "
    )
    out = [head + "kept, median, p10 | s |", "|---|---|---|---|---|---|---|---|---|"]
    for name in dict.fromkeys(r.edit for r in rows):
        own = [r for r in rows if r.edit == name]
        made = [r for r in own if r.values]
        if not made:
            out.append(f"| {name} | {len(own)} | refused | | | | | | |")
            continue
        of = {k: np.array([r.values[k] for r in made]) for k in made[0].values}
        spread = [
            f"{np.median(of[k]):.2f}, {np.percentile(of[k], 90):.2f}, {of[k].max():.1f}"
            for k in ("turn", "acceleration")
        ]
        kept = of["kept"][np.isfinite(of["kept"])]
        said = f"{np.median(kept):.2f}, {np.percentile(kept, 10):.2f}" if len(kept) else ""
        depth = [f"{100 * of[k].max():.1f}" for k in ("floor", "slip")]
        failed = f"{sum(r.fails for r in made)}"
        cells = [
            name,
            f"{len(own)}",
            failed,
            *spread,
            *depth,
            said,
            f"{np.median(of['seconds']):.2f}",
        ]
        out.append(f"| {' | '.join(cells)} |")
    return out


def former() -> dict[str, str]:
    """Return the lines of the table that was kept, by edit."""
    lines = KEPT_TABLE.read_text().splitlines() if KEPT_TABLE.exists() else []
    rows = [line for line in lines if line.startswith("| ") and not line.startswith("| edit")]
    return {line.split("|")[1].strip(): line for line in rows}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--clips", type=int, default=40, help="how many clips (default 40)")
    parser.add_argument("--seed", type=int, default=1, help="which clips are drawn (default 1)")
    parser.add_argument("--edits", default="", help="names of edits, separated by commas")
    parser.add_argument("--jobs", type=int, default=2, help="processes (default 2)")
    parser.add_argument("--write", action="store_true", help=f"keep the table in {KEPT_TABLE.name}")
    given = parser.parse_args()
    wanted, drawn = [n for n in given.edits.split(",") if n], clips(given.clips, given.seed)
    with multiprocessing.get_context("spawn").Pool(given.jobs) as pool:
        found = pool.map(partial(judge, wanted=wanted), drawn, chunksize=1)
        slid = pool.map(slide, drawn[:8], chunksize=1) if not wanted else []
    rows = [row for part in found for row in part]
    lines, before = table(rows), former()
    for line in lines:
        print(line)
        if known := before.get(line.split("|")[1].strip()):
            print(known.replace("| ", "| before: ", 1))
    for row in rows:
        if row.fails:
            worst = max(LIMITS, key=lambda k: row.values[k] / LIMITS[k])
            print(f"{row.clip}, {row.edit}: {worst} {row.values[worst]:.2f}")
    for name in slid[0] if slid else ():
        lines += [
            "",
            f"Slider of {name}: largest step {max(s[name] for s in slid):.1f} x the mean.",
        ]
        print(lines[-1])
    if given.write:
        text = KEPT_TABLE.read_text().partition("| edit |")[0]
        KEPT_TABLE.write_text(text + "\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
