"""Add files to a project: a worker checks them, then they are stored and named."""

from __future__ import annotations

import asyncio
import os
import re
from pathlib import Path

from retime.errors import FormatError, InputError, RetimeError
from retime.io import FORMATS, format_of, warp_json
from retime.io.json_text import parse_json
from retime.recipe import json as recipe_json
from retime.studio import jobs
from retime.studio.commands import AddAudio, AddMotion, AddStep, Command, MoveFile, ReplaceSteps
from retime.studio.project import MOST_STEPS, Audio, MotionEntry, NewStep, Project, Version
from retime.studio.workers import Workers
from retime.studio.workspace import Workspace, file_name, sha256_of
from retime.temporary import temporary_file

_SOUNDS = (".wav", ".mp3", ".ogg", ".m4a", ".flac", ".opus", ".aac")
# A recipe with a hundred dense warps is smaller.
_MOST_JSON = 16 << 20
# Animations of one file that are taken in, at most.
_MOST_ANIMATIONS = 50
_SUFFIXES = {
    "bvh": ".bvh", "glb": ".glb", "npz": ".npz", "warp": ".warp.json", "recipe": ".recipe.json",
    "report": ".html",
}  # fmt: skip


class Intake:
    """Adds files to a project, and makes paths for exports.

    Parameters
    ----------
    workspace : Workspace
        Where files lie.
    workers : Workers
        Who looks at them.
    """

    def __init__(self, workspace: Workspace, workers: Workers) -> None:
        self.workspace, self.workers = workspace, workers

    @property
    def suffixes(self) -> list[str]:
        """Files that may be dropped into a window."""
        motions = [s for form in FORMATS.values() if form.reads for s in form.suffixes]
        return list(dict.fromkeys([*motions, ".json", *_SOUNDS]))

    async def take(self, name: str, place: Path, version: Version) -> list[Command]:
        """Add an uploaded file from its temporary path; return what to do with it."""
        suffix = Path(name).suffix.lower()
        try:
            if suffix == ".json":
                if place.stat().st_size > _MOST_JSON:
                    raise InputError(f"A recipe or a warp holds at most {_MOST_JSON >> 20} MB.")
                return [await asyncio.to_thread(_from_json, place, version)]
            if suffix in _SOUNDS:
                kept = self._keep(name, place)
                return [
                    AddAudio(Audio(Path(name).stem, self.workspace.relative(kept), _hash(kept)))
                ]
            if suffix not in self.suffixes:
                raise self._unknown(suffix)
            if suffix == ".asf":
                self._keep_skeleton(name, place)
                return []
            return await self._motions(name, place)
        except RetimeError as e:
            # The place is the studio's own; the person knows the file by its name.
            raise InputError(sentence_about(e, place, name)) from None
        finally:
            place.unlink(missing_ok=True)

    def _unknown(self, suffix: str) -> InputError:
        known = ", ".join(s for s in self.suffixes if s not in (".json", *_SOUNDS))
        kind = f"a {suffix} file" if suffix else "a file without a suffix"
        return InputError(
            f"The studio cannot open {kind}. It reads {known}, sound, and recipes and warps as "
            ".json."
        )

    async def _motions(self, name: str, place: Path) -> list[Command]:
        # At its final place first: a motion's name tells which skeleton beside it is its own.
        kept = self._keep(name, place)
        try:
            return self._entries(kept, Path(name).stem, await self._inspect(kept))
        except BaseException as e:
            kept.unlink(missing_ok=True)
            if isinstance(e, RetimeError):
                raise InputError(sentence_about(e, kept, name)) from None
            raise

    def _keep_skeleton(self, name: str, place: Path) -> None:
        """Keep a skeleton for the motions that are sent after it."""
        from retime.io.asf_amc.bones import parse_asf

        data = place.read_bytes()
        parse_asf(data, place)
        kept = self.workspace.place_of(name)
        if kept.exists() and kept.read_bytes() != data:
            raise InputError(
                f"Another {kept.name} is in the project already. Rename this one and its motions."
            )
        os.replace(place, kept)

    async def _inspect(self, place: Path) -> list[str | None]:
        """Let a worker read a file whole; list its animations."""
        said = await self.workers.run("answer", f"inspect:{place}", jobs.Inspect(str(place)))
        if said.error is not None:
            raise InputError(said.error)
        animations: list[str | None] = said.answer
        return animations

    def _entries(self, kept: Path, stem: str, animations: list[str | None]) -> list[Command]:
        path, content = self.workspace.relative(kept), _hash(kept)
        return [
            AddMotion(MotionEntry(stem if a is None else f"{stem}: {a}", path, content, a))
            for a in animations[:_MOST_ANIMATIONS]
        ]

    async def named(self, place: Path) -> list[Command]:
        """Add a motion or a sound that was given when the studio was started.

        One under the root stays where it is; one from elsewhere is copied into the project.
        """
        suffix = place.suffix.lower()
        if suffix == ".json":
            raise InputError("Recipes and warps are opened in the window: drop the file there.")
        if suffix not in self.suffixes:
            raise self._unknown(suffix)
        is_sound = suffix in _SOUNDS
        animations = [] if is_sound else await self._inspect(place)
        kept = place
        if not self.workspace.holds(place):
            kept = self.workspace.free_place(place.name)
            if not is_sound:
                _copy_companions(place, kept)
            kept.write_bytes(place.read_bytes())
        if is_sound:
            return [AddAudio(Audio(place.stem, self.workspace.relative(kept), _hash(kept)))]
        return self._entries(kept, place.stem, animations)

    async def sample(self, name: str) -> Command:
        """Add a bundled motion."""
        from retime.io import write
        from retime.samples import sample

        motion = sample(name).motion
        place = self.workspace.free_place(f"{name}.bvh")
        await asyncio.to_thread(write, motion, place)
        return AddMotion(MotionEntry(name, self.workspace.relative(place), _hash(place)))

    async def locate(self, project: Project, name: str, path: str | None) -> Command:
        """Find a motion's file again, by a given path or by its content."""
        entry = project.motion(name)
        if path is not None:
            place = self.workspace.resolve(path)
            content = await asyncio.to_thread(sha256_of, place)
            if content is None:
                raise InputError(
                    f"There is no file {path[:200]}. Give a path under the studio's root."
                )
            if content != entry.sha256:
                await self._inspect(place)
            return MoveFile(name, self.workspace.relative(place), content)
        suffix = Path(entry.path).suffix
        found = await asyncio.to_thread(self.workspace.find, entry.sha256, suffix)
        if found is None:
            raise InputError(
                f"No file under {self.workspace.root} has the content of {entry.name}. Move it, "
                "or give its path."
            )
        return MoveFile(name, self.workspace.relative(found), entry.sha256)

    def export_place(self, source: MotionEntry, form: str) -> tuple[Path, str]:
        """Return a path for an exported file, and its name there."""
        own = Path(source.path).suffix.lower()
        suffix = own if form == "own" else _SUFFIXES[form]
        if suffix in (".glb", ".gltf") and Path(source.path).suffix.lower() == ".gltf":
            raise InputError(
                "A .gltf refers to other files, which a download does not include. Convert it "
                "to .glb first, or export BVH."
            )
        try:
            handle, place = temporary_file(suffix)
        except OSError as e:
            raise InputError(f"The export cannot be stored: {e.strerror}.") from None
        os.close(handle)
        return Path(place), f"{file_name(source.name)}-retimed{suffix}"

    def _keep(self, name: str, place: Path) -> Path:
        kept = self.workspace.free_place(name)
        os.replace(place, kept)
        return kept


def _copy_companions(place: Path, kept: Path) -> None:
    """Copy what a file cannot be read without to where it is looked for; what is there stays."""
    form = format_of(place)
    for file in form.companions(place):
        if form.skeleton_apart:
            target = kept.with_suffix(file.suffix)
        else:
            target = kept.parent / file.resolve().relative_to(place.resolve().parent)
        data = file.read_bytes()
        if target.exists() and target.read_bytes() != data:
            raise InputError(
                f"{place.name} needs {file.name}, and another one is in the project already. "
                "Start the studio in the folder of the file."
            )
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)


def _hash(place: Path) -> str:
    found = sha256_of(place)
    if found is None:
        raise InputError(f"{place.name} cannot be read")
    return found


def _from_json(place: Path, version: Version) -> Command:
    """Make a command of a recipe or a warp."""
    document = parse_json(place)
    kind = document.get("format") if isinstance(document, dict) else None
    if kind == recipe_json.FORMAT:
        listed = document.get("steps")
        if isinstance(listed, list) and len(listed) > MOST_STEPS:
            raise FormatError(f"A recipe holds at most {MOST_STEPS} steps.")
        steps = recipe_json.to_document(recipe_json.from_document(document))["steps"]
        return ReplaceSteps(version, tuple(NewStep(**step) for step in steps))
    if kind == "retime-warp":
        warp = warp_json.to_document(warp_json.from_document(document))
        return AddStep(version, NewStep("warp", {"warp": warp}))
    raise FormatError("It is neither a recipe nor a warp that retime wrote.")


def sentence_about(error: RetimeError, place: Path, name: str) -> str:
    """Return what is wrong with a file, as a sentence for a place where its name stands above."""
    text = str(error).replace(str(place), name)
    found = re.match(rf"{re.escape(name)}(?::(\d+))?: ", text)
    if found:
        text = (f"Line {found[1]}: " if found[1] else "") + text[found.end() :]
    if not text.startswith(name):
        text = text[:1].upper() + text[1:]
    return text if text.endswith((".", "!", "?")) else f"{text}."
