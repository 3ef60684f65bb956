"""Shared part of retiming operators: find the armature, capture it, ask, apply."""

import bpy

from . import nla
from .actions import animation_of, assign, must_be_editable
from .applying import Options, apply_result, goes_round
from .capture import captured
from .carry import data_blocks, targets
from .declared import chosen
from .engine_process import running_engine
from .jobs import Job
from .preferences import preferred_engine
from .problem import Problem
from .result import Result

# How near the strip time's few keys follow the warp, seconds.
_STRIP_TOLERANCE = 1e-5


def armature_of(context):
    """Return the armature that is meant: the active object, or the one that deforms it."""
    thing = _meant(context.object)
    if thing is None or thing.type != "ARMATURE":
        raise Problem("There is no armature to retime. Select the character's armature")
    _must_be_local(thing)
    return thing


def _meant(thing):
    """Return an armature itself, or what deforms or carries another object."""
    if thing is None or thing.type == "ARMATURE":
        return thing
    return thing.find_armature() or thing.parent


def _must_be_local(thing):
    """Refuse an armature that is linked, or an override that cannot be edited."""
    if thing.library is not None and thing.override_library is None:
        raise Problem(
            f"{thing.name} is linked from another file and cannot be changed. Make a library "
            "override (Object > Library Override > Make), or retime it in its own file"
        )
    own = thing.override_library
    if own is not None and own.is_system_override:
        raise Problem(
            f"{thing.name} is a library override that cannot be edited. Make it editable (Object > "
            "Library Override > Make) first"
        )


def action_span(armature):
    """Return what moves an armature, and its first and last whole frame."""
    animated = animation_of(armature)
    track = nla.track_of(armature)
    if track is not None and animated is None:
        strip = track.strips[0]
        first, last = strip.frame_start, strip.frame_end
    else:
        if animated is None:
            raise Problem(f"{armature.name} has no action. Give it one in the Action Editor")
        must_be_editable(animated)
        span = animated.frame_range
        if span is None:
            raise Problem(f"The action {animated.action.name} is empty: it has no keys to retime")
        first, last = span
    first, last = int(first // 1), int(-(-last // 1))
    if last <= first:
        raise Problem(f"The action of {armature.name} has one frame only; there is no timing in it")
    return animated, first, last


def step(method, **parameters):
    """Return a step as a recipe holds it; what is ``None`` is left out."""
    return {"method": method, "parameters": {k: v for k, v in parameters.items() if v is not None}}


def recipe_of(steps):
    """Return a recipe as its file holds it."""
    return {"format": "retime-recipe", "version": 2, "steps": steps}


def part_of(context, capture):
    """Return the range that is retimed, in seconds of the motion; ``None`` is all of it."""
    scene = context.scene
    if scene.retime.part != "PREVIEW":
        return None
    if not scene.use_preview_range:
        raise Problem(
            "There is no preview range. Set one in the timeline, or retime the whole action"
        )
    a, b = scene.frame_preview_start, scene.frame_preview_end
    a, b = max(a, capture.first), min(b, capture.last)
    if a >= b:
        raise Problem("The preview range is outside the action. Set it within the motion")
    return [capture.time(a), capture.time(b)]


class Retiming(Job):
    """An operator that retimes: a subclass says by which steps."""

    # Steps whose own fixes hold feet already.
    holds = False
    # Whether changed poses show only where every frame is keyed: feet that are held between keys.
    every_frame = False
    # Whether the sequencer's sounds may move with the motion.
    moves_sounds = True

    def must_be_ready(self, context):
        """Refuse what is missing in the scene, before anything is read."""

    def recipe(self, context, capture, engine):
        """Return the recipe: a generator that may ask the engine first."""
        raise NotImplementedError

    def reference(self, context):
        """Return another action to capture on the same armature, or ``None``."""
        return

    def kept_markers(self, context):
        """Name the markers that stay where they are."""
        return ()

    def edited_frames(self, context):
        """Return the frames whose poses were edited."""
        return ()

    def follows(self, context):
        """Return whether poses between keys changed too, which curves with few keys follow."""
        return False

    def adds_keys(self, context):
        """Return whether curves with few keys get more of them where the result needs it."""
        return context.scene.retime.refine

    def worded(self, sentence):
        """Return a sentence of the engine in the words of this operator."""
        return sentence

    def after(self, context, result):
        """Do what follows a retiming; return sentences on how far it went."""
        return []

    def steps(self, context):
        """Capture, ask, apply."""
        armature = armature_of(context)
        animated, first, last = action_span(armature)
        settings = context.scene.retime
        blocks = data_blocks(
            context, armature, shape_keys=settings.shape_keys, children=settings.children,
            others=settings.others, cameras=settings.cameras,
        )  # fmt: skip
        # A strip plays an action that others use too; nothing of theirs changes.
        shared = "COPY" if settings.apply == "NLA" else settings.shared
        found, notes = targets(blocks, armature, shared=shared)
        how = _how(settings, animated)
        self.must_be_ready(context)
        engine = yield from running_engine(preferred_engine(context))
        capture = yield from seen(context, armature, engine, first, last)
        files = yield from self._reference_files(context, armature, engine)
        self.said = []
        steps = yield from self.recipe(context, capture, engine)
        request = request_of(engine, capture, steps + self._fixes(settings))
        request |= {
            "references": files,
            # Keys that move stay as many: they lead no limb to its place in space.
            "corrections": how != "REKEY",
            "bezier": _STRIP_TOLERANCE if how == "NLA" else None,
        }
        result = yield from _answered(engine, request, capture)
        if how == "REKEY" and goes_round(result):  # it is baked, and can lead limbs to their places
            result = yield from _answered(engine, request | {"corrections": True}, capture)
        result.notes = [self.worded(s) for s in result.notes]
        options = self._options(context, how, animated)
        notes += apply_result(context, armature, blocks, found, result, options)
        notes += self.after(context, result)
        settings.rest_action = _rest_action(armature, capture)
        settings.rest_count = len(capture.rest_frames)
        if how == "BAKE" and settings.apply == "AUTO":
            notes.append("the action has keys on every frame, so it was baked on whole frames")
        return [*dict.fromkeys([*self.said, *result.about, *notes]), _summary(capture, result)]

    def _reference_files(self, context, armature, engine):
        """Capture the other action, if there is one: a generator that returns files by name."""
        other = self.reference(context)
        if other is None:
            return {}
        shown = _under(context, armature, other)
        reference = yield from _shown(shown, "Reading the reference", 0.2)
        path = engine.folder / "reference.npz"
        yield from _written(context, engine, reference, path)
        return {"reference": str(path)}

    def _options(self, context, how, animated):
        """Return how the result is applied."""
        settings, add_keys = context.scene.retime, self.adds_keys(context)
        dense = animated is not None and animated.is_dense
        frames = self.every_frame or settings.hold_feet or settings.smoothing or dense
        return Options(
            how,
            tolerance=settings.tolerance if add_keys and settings.refine else None,
            markers=settings.markers,
            scene_range=settings.scene_range,
            sounds=settings.sounds and self.moves_sounds,
            snap=settings.snap,
            auto=settings.apply == "AUTO",
            at_keys=not frames,
            mute=settings.mute,
            keep_markers=self.kept_markers(context),
            keys_at=self.edited_frames(context),
            follow=self.follows(context),
            add_keys=add_keys,
        )

    def _fixes(self, settings):
        """Return the steps that the settings add after every retiming."""
        out = []
        if settings.smoothing:
            out.append(step("smooth", **chosen(settings, "smooth")))
        if settings.hold_feet and not self.holds:
            out.append(step("hold", **chosen(settings, "hold")))
        return out


def _how(settings, animated):
    """Choose how a result is applied: dense keys are baked, sparse ones moved, unless it is set."""
    if settings.apply != "AUTO":
        return settings.apply
    return "BAKE" if animated is not None and animated.is_dense else "REKEY"


def seen(context, armature, engine, first, last):
    """Capture an armature into the engine's folder: a generator that returns the capture."""
    capture = yield from _shown(captured(context, armature, first, last), "Reading the pose", 0)
    return (yield from _written(context, engine, capture, engine.folder / "in.npz"))


def _written(context, engine, capture, path):
    """Write a capture: a generator that returns it.

    Rest poses before the motion are set aside, as the settings say.
    """
    rest, frames = context.scene.retime.rest_frame, capture.last - capture.first
    capture.write(path)
    count = int(rest == "SKIP" and frames > 1)
    if rest == "AUTO" and frames > 2:
        answer = yield from _scaled(engine.ask({"rest": str(path)}), 0.2)
        count = answer["rest_frames"]
    if count:
        capture = capture.after_rest(count)
        capture.write(path)
    return capture


def request_of(engine, capture, steps):
    """Return the request for what steps give; its files are in the engine's folder."""
    return {
        "motion": str(engine.folder / "in.npz"), "recipe": recipe_of(steps),
        "out": str(engine.folder / "out.npz"), "warp": str(engine.folder / "warp.json"),
        "fps": capture.fps, "first_frame": capture.first, **capture.words,
    }  # fmt: skip


def tried(engine, capture, steps):
    """Ask what steps would give: a generator that returns the result; nothing is applied."""
    return (yield from _answered(engine, request_of(engine, capture, steps), capture))


def _answered(engine, request, capture):
    answer = yield from _scaled(engine.ask(request), 0.4)
    return Result(capture, request["out"], request["warp"], answer)


def _rest_action(armature, capture):
    """Return the name of the action if rest poses before its motion keep their frames, or ""."""
    animated = animation_of(armature)
    return "" if not capture.rest_frames or animated is None else animated.action.name


def _summary(capture, result):
    before, after = capture.last - capture.first, len(result) - 1
    same = before == after
    text = f"The length stays {after} frames" if same else f"{before} frames became {after}"
    rest = capture.rest_frames
    if len(rest) == 1:
        text += f"; the rest pose at frame {rest[0]} stays"
    elif rest:
        text += f"; the rest poses at frames {rest[0]} to {rest[-1]} stay"
    return text


def _shown(steps, word, share):
    """Put a word to shares; what comes of it is returned."""
    while True:
        try:
            done = next(steps)
        except StopIteration as e:
            return e.value
        except BaseException:
            steps.close()
            raise
        try:
            yield share + 0.2 * done, word
        except BaseException:
            steps.close()
            raise


def _scaled(steps, start):
    """Let an inner job's shares fill what is left of the bar."""
    try:
        while True:
            share, word = next(steps)
            yield start + (1 - start) * (share or 0.0), word
    except StopIteration as e:
        return e.value


def _under(context, armature, action):
    """Capture an armature while another action moves it; its own comes back."""
    data = armature.animation_data
    own, slot = data.action, getattr(data, "action_slot", None)
    identifier = None if slot is None else slot.identifier
    muted = [t for t in data.nla_tracks if not t.mute]
    for track in muted:
        track.mute = True
    try:
        assign(armature, action)
        seen = animation_of(armature)
        span = None if seen is None else seen.frame_range
        if span is None:
            raise Problem(f"The action {action.name} holds no keys for {armature.name}")
        first, last = int(span[0] // 1), int(-(-span[1] // 1))
        return (yield from captured(context, armature, first, last))
    finally:
        assign(armature, own, identifier)
        for track in muted:
            track.mute = False
        bpy.context.view_layer.update()
