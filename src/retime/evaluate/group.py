"""Evaluate groups: the common timing first, then the recipe of each member."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from retime.body.contacts.grips import Grip
from retime.body.solve.touching import keep_touches
from retime.errors import InputError, RetimeError
from retime.evaluate.evaluator import Evaluator, Progress, goes_back
from retime.evaluate.job import Evaluated, Job
from retime.evaluate.partner import follow
from retime.groups.group import split
from retime.groups.recipe import GroupRecipe
from retime.groups.timing import GroupTiming, Scene
from retime.groups.touches import find_touches
from retime.motion import Motion
from retime.motion.part import part_below
from retime.notes import Note
from retime.one_line import one_line
from retime.recipe import Recipe, Step
from retime.sentences import Duration
from retime.timing import TimeWarp

# Members whose own steps part them by more than this in a shared span are reported, seconds.
_APART_S = 1e-4
# Hands that miss what they touch by more than this, in metres, are reported.
_MISSED = 0.01


@one_line()
@dataclass(frozen=True, kw_only=True)
class GroupJob:
    """The members of a group with their recipe, and options for the result.

    Parameters
    ----------
    members : mapping of str to Job
        The clip of each member with its options: file, reading, animation, target. Its recipe is
        that of the group recipe.
    recipe : GroupRecipe
        The common timing, and the steps of each member.
    fps : float, optional
        Frame rate of all results. Default: those of the clips.
    exact : bool
        Do not round lengths to whole frames.
    parts : mapping of str to str, optional
        Top joints of members that are characters of one file. Its result has them all.
    """

    members: Mapping[str, Job]
    recipe: GroupRecipe
    fps: float | None = None
    exact: bool = False
    parts: Mapping[str, str] = field(default_factory=dict)


@one_line()
@dataclass(frozen=True, eq=False)
class EvaluatedGroup:
    """Result of a group job.

    Parameters
    ----------
    members : mapping of str to Evaluated
        The result of each member.
    timing : GroupTiming
        The common timing, with the shared spans and the possible times of each moment.
    notes : tuple of Note
        Notes about the group; those of a member are with its result.
    """

    members: Mapping[str, Evaluated]
    timing: GroupTiming = field(repr=False)
    notes: tuple[Note, ...] = ()


def evaluate_group(
    evaluator: Evaluator, job: GroupJob, *, progress: Progress | None = None
) -> EvaluatedGroup:
    """Evaluate a group: solve the common timing, then each member's own steps.

    Parameters
    ----------
    evaluator : Evaluator
        It caches motions and steps.
    job : GroupJob
        The group.
    progress : callable, optional
        Called with ``(member, members, name)`` before each; it may raise to cancel.
    """
    recipes, p = job.recipe.members, job.recipe.together
    missing = [name for name in recipes if name not in job.members]
    if missing:
        raise InputError(f"the group recipe has a member {missing[0]!r}; give its file")
    motions = {name: _clip(evaluator, job, name) for name in job.members}
    leaders, followers = split(motions, p)
    exact = job.exact or any(goes_back(motions[n], job.members[n].target) for n in leaders)
    timing = GroupTiming.of(Scene(leaders, p, job.fps, exact))
    done: dict[str, Evaluated] = {}
    for number, name in enumerate(leaders):
        if progress is not None:
            progress(number, len(motions), name)
        own = recipes.get(name, Recipe())
        steps = [Step("warp", {"warp": timing.warp(name)}), *own.steps]
        member = replace(
            job.members[name], source=motions[name], recipe=Recipe(steps), fps=job.fps, exact=exact
        )
        try:
            done[name] = evaluator.evaluate(member, name=name)
        except RetimeError as error:
            raise error.within(name) from error.__cause__
    done = _touching(done, recipes, timing)
    notes = [*timing.notes(), *_apart(done, timing)]
    for name, motion in motions.items():
        if name in followers.leaders:
            whole = goes_back(motion, job.members[name].target)
            made = follow(followers, name, motion, done, fps=job.fps, exact=job.exact or whole)
            done[name] = replace(made, in_place=whole)
    done |= _scenes(evaluator, job, done)
    return EvaluatedGroup({name: done[name] for name in motions}, timing, tuple(notes))


def _clip(evaluator: Evaluator, job: GroupJob, name: str) -> Motion:
    """Return the motion of a member: a file's, or that of one character of it."""
    motion = evaluator.motion(job.members[name])
    return part_below(motion, job.parts[name]) if name in job.parts else motion


def _scenes(
    evaluator: Evaluator, job: GroupJob, done: Mapping[str, Evaluated]
) -> dict[str, Evaluated]:
    """Return the results of files with several members: every character by its own warp."""
    out: dict[str, Evaluated] = {}
    files: dict[int, list[str]] = {}
    for name in job.parts:
        files.setdefault(id(evaluator.motion(job.members[name])), []).append(name)
    for names in files.values():
        first = job.members[names[0]]
        scene = evaluator.motion(first)
        for name in names:
            if any(s.edit.layer or s.edit.correction or s.edit.fixes for s in done[name].solved):
                raise InputError(
                    f"{name}: characters of one file can only be retimed; steps that change poses "
                    "need a file for each"
                )
        graphs = {
            channel: done[name].warp.channel(channel)
            for name in names
            for channel in _channels(scene, job.parts[name])
        }
        body = done[names[0]].warp.of_body()
        warp = TimeWarp(body.output, body.source, channels=graphs, loop=body.loop)
        recipe = Recipe([Step("warp", {"warp": warp})])
        exact = job.exact or goes_back(scene, first.target)
        job_of_file = replace(first, source=scene, recipe=recipe, fps=job.fps, exact=exact)
        found = evaluator.evaluate(job_of_file, name=names[0])
        out |= dict.fromkeys(names, found)
    return out


def _channels(scene: Motion, joint: str) -> list[str]:
    """Return the channels of a joint and all joints below it."""
    skeleton, top = scene.skeleton, scene.skeleton.index(joint)
    below = [skeleton.names[j] for j in range(len(skeleton)) if top in skeleton.chain(j)]
    return [c for c in scene.channels if c.removesuffix(":translation") in below]


def _touching(
    done: dict[str, Evaluated], recipes: Mapping[str, Recipe], timing: GroupTiming
) -> dict[str, Evaluated]:
    """Put hands back on whom they touch in shared spans, where the members' own steps moved them.

    Without such steps the distances are those of the source by construction.
    """
    names = timing.scene.names
    for span in timing.scene.shared:
        for one in (names[i] for i in span.members):
            for other in (names[i] for i in span.members if names[i] != one):
                if not (_edits(recipes, one) or _edits(recipes, other)):
                    continue
                grips = [
                    Grip(t.other, t.joint, t.start, t.end, t.gap)
                    for t in find_touches(done[one].source, done[other].source)
                    if not t.of_first and t.end > span.start and t.start < span.end
                ]
                if grips:
                    done[other] = _reaching(done[one], done[other], grips, one)
    return done


def _edits(recipes: Mapping[str, Recipe], name: str) -> bool:
    return any(not step.mute for step in recipes.get(name, Recipe()).steps)


def _reaching(held: Evaluated, hand: Evaluated, grips: list[Grip], name: str) -> Evaluated:
    """Return a result whose hands are where they were on another figure."""
    moved, missed = keep_touches(
        held.source, held.motion, held.warp, hand.source, hand.motion, grips
    )
    notes = hand.notes
    if missed > _MISSED:
        notes += (
            Note(
                f"an arm is {100 * missed:.0f} cm too short to keep its touch with {name}",
                code="touch-missed",
                distance=missed,
            ),
        )
    return replace(hand, motion=moved, notes=notes)


def _apart(done: Mapping[str, Evaluated], timing: GroupTiming) -> list[Note]:
    """Say where the members' own steps part them in time within a shared span."""
    out, names = [], timing.scene.names
    for span in timing.scene.shared:
        times = np.linspace(span.start, span.end, 50)
        shown = [done[names[i]].warp.of_body().inverse(times) for i in span.members]
        apart = float(np.ptp(shown, axis=0).max())
        if apart > _APART_S:
            who = ", ".join(names[i] for i in span.members)
            out.append(
                Note(
                    f"own steps part {who} by {{apart:.3f}} in a span that they share; edit the "
                    "timing of the group instead",
                    code="members-apart",
                    apart=Duration(apart),
                )
            )
    return out
