"""``retime group``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from retime.cli.command import ADVANCED, Of
from retime.cli.console import report, said, table
from retime.cli.each import Row, do_each
from retime.cli.options import OUTPUT, Json, must_be_a_picture, must_differ, word
from retime.cli.takes import scenes
from retime.errors import InputError
from retime.evaluate import GroupJob, Job
from retime.evaluate.reading import Reading
from retime.groups.parameters import GroupParameters, Link, Shared
from retime.groups.recipe import GroupRecipe
from retime.notes import ROUTINE
from retime.parameters import About, build, values_of
from retime.parameters_shared import Fps

if TYPE_CHECKING:
    from retime.evaluate import EvaluatedGroup

_TOLD = ("shared", "links", "keytimes", "pauses", "locked", "rates", "follow")


def group(
    members: Annotated[
        Sequence[str],
        word(
            "FILE=OUT",
            "Motion of each member and the file to write. NAME:FILE names it, FILE#JOINT takes a "
            "character of a file with several, and * stands for the scenes of a folder.",
        ),
    ],
    *,
    show: Annotated[
        bool, About("List the touches of hands that could be shared, and exit.", flag="list")
    ] = False,
    shared: Annotated[
        Sequence[str],
        About(
            "Show the source from A to B at the same times; auto finds touches of hands.",
            metavar="A:B[:NAMES]|auto",
        ),
    ] = (),
    link: Annotated[
        Sequence[str],
        About(
            "Fix the output time between two moments, by default as in the source.",
            metavar="NAME@SRC:NAME@SRC[=S]",
        ),
    ] = (),
    key: Annotated[
        Sequence[str],
        About("Show source time SRC of member NAME at output time OUT.", metavar="NAME@OUT=SRC"),
    ] = (),
    pause: Annotated[
        Sequence[str],
        About("Hold the pose of a member at a source time.", metavar="NAME@SRC=S"),
    ] = (),
    lock: Annotated[
        Sequence[str],
        About("Play a part of a member at its recorded speed.", metavar="NAME@A:B", panel=ADVANCED),
    ] = (),
    follow: Annotated[
        Sequence[str],
        About("Let a camera or prop follow members.", metavar="FILE=OUT@NAMES"),
    ] = (),
    use: Annotated[
        Path | None,
        About("Group recipe to start from; other options replace its values.", panel=ADVANCED),
    ] = None,
    parameters: Annotated[
        dict[str, Any], Of(GroupParameters, _TOLD, advanced=("max_speed", "method", "strength"))
    ],
    recipe: Annotated[
        Path | None, About("Also write the group recipe to this file.", panel=OUTPUT)
    ] = None,
    plot: Annotated[
        Path | None, About("Also draw the warps and shared spans.", panel=OUTPUT)
    ] = None,
    fps: Fps = None,
    exact: Annotated[bool, About("Keep the exact duration.", panel=OUTPUT)] = False,
    as_json: Json = False,
    reading: Reading,
) -> None:
    """Retime several characters together, so that they meet exactly.

    Each member keeps the timing that suits it, and shows the shared spans when the others do.

    Examples
    --------
    retime group ann.bvh ben.bvh --list

    retime group ann.bvh=ann2.bvh ben.bvh=ben2.bvh --duration 75% --shared 1.2:2.7

    retime group ann.bvh=a.bvh ben.bvh=b.bvh --link ann@1.6:ben@2.3 --follow cam.bvh=c.bvh@ann

    retime group 'takes/ann_*.bvh=out/ann_*.bvh' 'takes/ben_*.bvh=out/ben_*.bvh' --use scene.json
    """
    from retime.groups.recipe import GroupRecipe, read_group_recipe, write_group_recipe

    if plot is not None:
        must_be_a_picture(plot)
    told = {
        "shared": "auto" if list(shared) == ["auto"] else [_shared(s) for s in shared],
        "links": [_link(text) for text in link],
        "keytimes": _by_name(key, "key", "NAME@OUT=SRC", "="),
        "pauses": _by_name(pause, "pause", "NAME@SRC=S", "="),
        "locked": _by_name(lock, "lock", "NAME@A:B", ":"),
    }
    start = GroupRecipe({}) if use is None else read_group_recipe(use)
    values = values_of(start.together) | {n: v for n, v in told.items() if v} | parameters
    asked = _Asked(GroupRecipe(start.members, build(GroupParameters, values)), reading, fps, exact)
    if any("*" in text for text in members):
        single = {"list": show, "plot": plot, "recipe": recipe}
        idle = [name for name, given in single.items() if given]
        if idle:
            raise InputError(f"--{idle[0]} is of one scene; name its files instead of using *")
        do_each(
            {name: partial(_row, asked, *words) for name, words in scenes(members, follow).items()},
            as_json=as_json,
        )
        return
    if show:
        _list_touches(_jobs(members, reading, show)[0], as_json=as_json)
        return
    done, jobs, plan = _solved(asked, members, follow)
    if recipe is not None:
        write_group_recipe(plan, recipe)
    if plot is not None:
        from retime.plot.warps import draw_warps

        warps = {name: found.warp.of_body() for name, found in done.members.items()}
        spans = [(s.start, s.end) for s in done.timing.scene.shared]
        draw_warps(warps, plot, shared=spans)
    _report(done, jobs, as_json=as_json)


@dataclass(frozen=True)
class _Asked:
    """The request for every scene."""

    plan: GroupRecipe
    reading: Reading
    fps: float | None
    exact: bool


def _solved(
    asked: _Asked, members: Sequence[str], follow: Sequence[str]
) -> tuple[EvaluatedGroup, dict[str, Job], GroupRecipe]:
    """Retime the members of a scene and write them; return what was done of what."""
    from retime.evaluate import Evaluator, evaluate_group

    files = [*members, *(text.rpartition("@")[0] for text in follow)]
    followers = dict(_follower(text) for text in follow)
    jobs, parts = _jobs(files, asked.reading, show=False)
    together = asked.plan.together
    if followers:
        together = replace(together, follow=followers)
    plan = GroupRecipe(asked.plan.members, together)
    job = GroupJob(members=jobs, recipe=plan, fps=asked.fps, exact=asked.exact, parts=parts)
    done = evaluate_group(Evaluator(), job)
    _write(done, jobs)
    return done, jobs, plan


def _row(asked: _Asked, members: Sequence[str], follow: Sequence[str]) -> Row:
    """Retime a scene of takes, and say what was written."""
    for text in members:
        Path(text.partition("=")[2]).parent.mkdir(parents=True, exist_ok=True)
    done, _, _ = _solved(asked, members, follow)
    lengths = {found.motion.duration for found in done.members.values()}
    notes = [*done.notes, *(n for found in done.members.values() for n in found.notes)]
    return {
        "members": ", ".join(done.members),
        "length s": f"{max(lengths):.3f}",
        "notes": "; ".join(dict.fromkeys(said(n) for n in notes if n.code not in ROUTINE)),
    }


def _jobs(
    given: Sequence[str], reading: Reading, show: bool
) -> tuple[dict[str, Job], dict[str, str]]:
    """Return the members' jobs by name, and the joints of those that are parts of a file."""
    jobs: dict[str, Job] = {}
    parts: dict[str, str] = {}
    for text in given:
        source, _, target = text.partition("=")
        head, mark, rest = source.partition(":")
        named = mark and len(head) > 1 and not Path(source).exists()  # not a Windows drive
        name, source = (head, rest) if named else ("", source)
        file, _, joint = source.partition("#")
        if not target and not show:
            raise InputError(f"{text!r} has no output; write FILE=OUT")
        path = Path(file)
        name = name or joint or path.stem
        if name in jobs:
            raise InputError(f"two members are called {name!r}; write NAME:FILE=OUT for one")
        if target:
            must_differ(path, Path(target))
        jobs[name] = Job(source=path, reading=reading.for_file(path), target=target or None)
        if joint:
            parts[name] = joint
    return jobs, parts


def _list_touches(jobs: Mapping[str, Job], *, as_json: bool) -> None:
    from itertools import combinations

    from retime.evaluate import Evaluator
    from retime.groups.touches import find_touches

    evaluator = Evaluator()
    motions = {name: evaluator.motion(job) for name, job in jobs.items()}
    found = [
        (f"{touch.start:.2f}:{touch.end:.2f}", one if touch.of_first else two, touch.joint,
         two if touch.of_first else one, touch.other, f"{100 * touch.gap:.0f} cm",
         "held" if touch.held else "struck")
        for one, two in combinations(motions, 2)
        for touch in find_touches(motions[one], motions[two])
    ]  # fmt: skip
    header = ("span", "hand of", "joint", "touches", "joint", "gap", "kind")
    if as_json:
        keys = ("span", "hand_of", "joint", "touches", "other", "gap", "kind")
        report({"touches": [dict(zip(keys, row, strict=True)) for row in found]}, as_json=True)
    elif found:
        table(found, header=header)
    else:
        report({"touches": "none; give shared spans by hand"}, as_json=False)


def _shared(text: str) -> Shared:
    """Parse ``A:B`` or ``A:B:NAME,NAME``; a time in minutes has a colon of its own."""
    body, _, names = text.rpartition(":")
    has_names = bool(names) and not names[0].isdigit() and names[0] not in ".+-"
    start, mark, end = (body if has_names else text).partition("," if "," in body else ":")
    if not mark or ":" in end:
        raise InputError(f"--shared {text}: the form is A:B, A:B:NAME,NAME or auto")
    return Shared(start, end, tuple(names.split(",")) if has_names else ())


def _link(text: str) -> Link:
    ends, _, seconds = text.partition("=")
    first, mark, second = ends.partition(":")
    (one, a, at), (other, b, then) = first.rpartition("@"), second.rpartition("@")
    if not (mark and a and b):
        raise InputError(f"--link {text}: the form is NAME@SRC:NAME@SRC, or with =SECONDS")
    return Link(one, at, other, then, seconds or None)


def _by_name(
    given: Sequence[str], flag: str, form: str, between: str
) -> dict[str, list[tuple[str, str]]]:
    out: dict[str, list[tuple[str, str]]] = {}
    for text in given:
        name, mark, pair = text.rpartition("@")
        first, middle, second = pair.partition(between)
        if not (mark and middle):
            raise InputError(f"--{flag} {text}: the form is {form}")
        out.setdefault(name, []).append((first, second))
    return out


def _follower(text: str) -> tuple[str, dict[str, float]]:
    files, mark, names = text.rpartition("@")
    if not mark:
        raise InputError(f"--follow {text}: the form is FILE=OUT@NAME or FILE=OUT@NAME,NAME")
    return Path(files.partition("=")[0]).stem, dict.fromkeys(names.split(","), 1.0)


def _write(done: EvaluatedGroup, jobs: Mapping[str, Job]) -> None:
    from retime.io import write

    written = set()
    for name, found in done.members.items():
        target = jobs[name].target
        if target is not None and target not in written:
            write(found.motion, target)
            written.add(target)


def _report(done: EvaluatedGroup, jobs: Mapping[str, Job], *, as_json: bool) -> None:
    rows = [
        {
            "member": name,
            "output": jobs[name].target,
            "frames": len(found.motion),
            "start_s": found.motion.start,
            "duration_s": found.motion.duration,
        }
        for name, found in done.members.items()
    ]
    notes = [*done.notes, *(n for found in done.members.values() for n in found.notes)]
    if as_json:
        report({"members": rows}, as_json=True, notes=notes)
        return
    shown = [
        (name, str(jobs[name].target), str(len(m)), f"{m.start:.3f}", f"{m.duration:.3f}")
        for name, m in ((name, found.motion) for name, found in done.members.items())
    ]
    table(shown, header=("member", "output", "frames", "start s", "length s"))
    report({}, as_json=False, notes=notes)
