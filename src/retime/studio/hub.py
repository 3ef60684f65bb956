"""The hub: the windows of one document, and the results that each shows.

It stands between the session (the document), the workers (the computing) and the windows (the
people). It knows no HTTP: a window is an outbox that someone empties.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any, Literal

import msgspec

from retime import __version__
from retime.errors import InputError, RetimeError
from retime.parameters import values_of
from retime.recipe import Step
from retime.studio import jobs, messages
from retime.studio.commands import Command, ReplaceSteps
from retime.studio.exports import Exports
from retime.studio.forms import method_forms
from retime.studio.intake import Intake
from retime.studio.job_maker import JobMaker
from retime.studio.problems import fault, must_be_done, problem
from retime.studio.project import Version
from retime.studio.relay import Relay
from retime.studio.results import Results, purpose_of
from retime.studio.session import Session
from retime.studio.start_files import StartFiles
from retime.studio.window import Window
from retime.studio.workers import Said, Stopped, Workers
from retime.times import needs_clip

MOST_UPLOAD = 512 << 20
# The project file is written when nothing has changed for so long, seconds; the journal at once.
_AUTOSAVE = 1.0
# Changes that a window lists to go back to.
_SHOWN = 50


class Hub:
    """Serves windows on one session."""

    def __init__(self, session: Session, workers: Workers) -> None:
        self.session, self.workers = session, workers
        self.intake = Intake(session.workspace, workers)
        self._start_files = StartFiles(session, self.intake)
        self.windows: set[Window] = set()
        self._clips: dict[tuple[str, str, str], bytes] = {}
        self._maker = JobMaker(session)
        self._exports = Exports(self._maker, self.intake, workers)
        self._results = Results(self._maker, workers, self.windows)
        self._tasks: set[asyncio.Task[Any]] = set()
        self._saving: asyncio.TimerHandle | None = None
        self._relays: dict[Window, asyncio.Task[None]] = {}
        self._sessions: dict[str, str] = {}  # of live servers, by the address that was pasted
        self._forms = method_forms()

    # ---- windows

    def join(self) -> Window:
        """Add a window, and send it the current state."""
        from retime.samples import SAMPLES

        window = Window()
        self.windows.add(window)
        window.post(
            messages.Welcome(
                project=self.session.workspace.name,
                methods=self._forms,
                samples={name: about for name, (_, about) in SAMPLES.items()},
                formats=self.intake.suffixes,
                root=str(self.session.workspace.root),
                version=__version__,
                most_upload=MOST_UPLOAD,
            )
        )
        window.post(self._state())
        while self.session.notices:
            window.post(messages.Problem("About this project", self.session.notices.pop(0)))
        self._load_clips()
        for frame in self._clips.values():
            if frame:
                window.post(frame)
        return window

    def leave(self, window: Window) -> None:
        """Remove a window, and the results that only it used."""
        self.windows.discard(window)
        self._stop_listening(window)
        self.workers.drop(f"preview:{window.number}")

    async def receive(self, window: Window, message: messages.ClientMessage) -> None:
        """Handle a request of a window; problems are sent to it."""
        await self._guarded(
            window, getattr(message, "request", None), self._receive(window, message)
        )

    async def _guarded(
        self, window: Window, request: int | None, work: Coroutine[Any, Any, None]
    ) -> None:
        """Do something for a window; what is wrong with it, the window is told."""
        try:
            await work
        except Stopped:
            pass
        except RetimeError as e:
            window.post(problem("That did not work", e, request))
        except Exception as e:
            window.post(fault(e, request))

    def _listen(self, window: Window, address: str | None, request: int) -> None:
        """Show a live server in a window until it ends, the window leaves or asks for another."""
        self._stop_listening(window)
        if address is not None:
            relay = Relay(window, address, request, self._sessions)
            self._relays[window] = self._start(self._relay(relay, window, request))

    async def _relay(self, relay: Relay, window: Window, request: int) -> None:
        try:
            await relay.run()
        except RetimeError as e:
            window.post(messages.Problem("The live server is not shown", str(e), request))

    def _stop_listening(self, window: Window) -> None:
        listening = self._relays.pop(window, None)
        if listening is not None:
            listening.cancel()

    async def _receive(self, window: Window, message: messages.ClientMessage) -> None:
        match message:
            case messages.Do(request, command, joins):
                window.preview = None
                self.workers.drop(f"preview:{window.number}")
                self.session.do(command, joins=joins)
                self.changed(window, request)
            case messages.Preview(request, command):
                project = self.session.would_be(command)
                window.preview = message
                self._start(self._results.preview(project, window, request))
            case messages.Discard():
                window.preview = None
                self.workers.drop(f"preview:{window.number}")
                self._start(self._results.compute(window.shows, window))
            case messages.Undo(count):
                self._go(self.session.undo, count)
            case messages.Redo(count):
                self._go(self.session.redo, count)
            case messages.Save():
                self.session.save()
                self._tell_state()
            case messages.Show(version, editing, compare):
                window.shows, window.compares = (version, editing), compare
                for shows in window.all_shown:
                    self._start(self._results.compute(shows, window))
            case messages.Cancel():
                await self._cancel(window)
            case messages.Push(time, rate):
                self.workers.push(f"preview:{window.number}", time, rate)
            case messages.Ask():
                self._start(self._answer(window, message))
            case messages.Sample(request, name):
                self._start(self._guarded(window, request, self._sample(name)))
            case messages.Locate(request, id, path):
                self._start(self._guarded(window, request, self._locate(id, path)))
            case messages.Retry(request, path):
                self._start(self._guarded(window, request, self._retry(window, request, path)))
            case messages.Forget(path):
                if self._start_files.forget(path):
                    self._tell_state()
            case messages.Listen(request, address):
                self._listen(window, address, request)

    # ---- the document

    def changed(self, window: Window | None = None, request: int | None = None) -> None:
        """Tell all windows that the document changed, and compute what they show."""
        known = set(self.session.project.motions)
        self._maker.missing = [m for m in self._maker.missing if m in known]
        self._tell_state(window, request)
        self._load_clips()
        shown = {shows for w in self.windows for shows in w.all_shown}
        self._results.keep_only(shown)
        for shows in shown:
            self._start(self._results.compute(shows))
        if self._saving is not None:
            self._saving.cancel()
        self._saving = asyncio.get_running_loop().call_later(_AUTOSAVE, self._autosave)

    def _go(self, step: Callable[[], bool], count: int) -> None:
        """Go some steps through the history, as far as it reaches."""
        done = 0
        while done < min(max(count, 1), _SHOWN) and step():
            done += 1
        if done:
            self.changed()

    def _state(self, request: int | None = None) -> messages.DocumentState:
        s = self.session
        undo, redo = s.history(_SHOWN)
        return messages.DocumentState(
            revision=s.revision,
            project=s.project,
            undo=s.undo_depth,
            redo=s.redo_depth,
            saved=s.saved,
            hash=s.hash,
            missing=self._maker.missing,
            failed=self._start_files.failed,
            undo_names=undo,
            redo_names=redo,
            request=request,
        )

    def _tell_state(self, window: Window | None = None, request: int | None = None) -> None:
        plain = msgspec.json.encode(self._state()).decode()
        for w in self.windows:
            if w is window:
                w.post(self._state(request))
            else:
                w.post(plain, "document")
        while self.session.notices:
            notice = self.session.notices.pop()
            for w in self.windows:
                w.post(messages.Problem("About this project", notice))

    def _autosave(self) -> None:
        self._saving = None
        try:
            self.session.save()
        except RetimeError as e:
            for w in self.windows:
                w.post(problem("The project file was not written", e))
        self._tell_state()

    # ---- motions

    def _load_clips(self) -> None:
        """Have the motions loaded that windows do not know; forget those that are gone.

        Windows know a motion by its name alone: one that comes back with another file, by undo or
        because its file was found elsewhere, is sent again.
        """
        project = self.session.project
        known = {(n, m.path, m.sha256): n for n, m in project.motions.items()}
        followed = {(n, c.path, ""): c for n, c in self._maker.references(project).items()}
        wanted = known.keys() | followed.keys()
        self._clips = {key: frame for key, frame in self._clips.items() if key in wanted}
        for key, name in known.items():
            if key not in self._clips and name not in self._maker.missing:
                self._clips[key] = b""  # on its way
                self._start(self._load(key, self._maker.clip(project, name)))
        for key, clip in followed.items():
            if key not in self._clips:
                self._clips[key] = b""
                self._start(self._load(key, clip, quiet=True))

    async def _load(
        self, key: tuple[str, str, str], clip: jobs.Clip, *, quiet: bool = False
    ) -> None:
        """Load a motion for all windows; what fails is said, unless the solver says it too."""

        def told(said: Said) -> None:
            for w in self.windows:
                w.post(messages.Progress(None, said.word, said.progress), "progress")

        try:
            said = await self.workers.run("answer", f"load:{clip.id}", jobs.Load(clip), told)
            must_be_done(said)
        except RetimeError as e:
            self._clips.pop(key, None)
            for w in self.windows if not quiet and not isinstance(e, Stopped) else ():
                w.post(problem(f"{clip.name} was not loaded", e))
            return
        if key not in self._clips:
            return  # it was removed meanwhile
        self._clips[key] = said.body
        for w in self.windows:
            w.post(said.body)

    # ---- questions

    async def _answer(self, window: Window, asked: messages.Ask) -> None:
        project, version = self.session.project, window.version
        try:
            result, job, role, purpose = self._maker.question(project, asked, window)

            def told(said: Said) -> None:
                if said.body:
                    window.post(said.body, f"result:{version}")
                elif asked.question == "watch":
                    window.post(messages.Progress(asked.request, said.word, None), "progress")

            said = await self.workers.run(role, purpose, job, told)
            must_be_done(said, result)
        except Stopped:
            return
        except RetimeError as e:
            title = "The physics check failed" if asked.question == "physics" else "No answer"
            window.post(problem(title, e, asked.request))
            return
        except Exception as e:
            window.post(fault(e, asked.request))
            return
        if said.body:
            window.post(said.body, f"{asked.question}:{version}")
        else:
            window.post(msgspec.convert(said.answer | {"type": "answer"}, messages.Answer))

    async def _cancel(self, window: Window) -> None:
        window.preview = None
        purposes = [
            f"preview:{window.number}", purpose_of(window.shows), f"physics:{window.number}",
            f"suggestions:{window.number}", f"live:{window.number}",
            *(f"load:{n}" for n in self.session.project.motions),
            *self.workers.purposes("inspect:", "export:"),
        ]  # fmt: skip
        for purpose in purposes:
            await self.workers.cancel(purpose)
        for w in self._results.showing(window.shows):  # they waited for it too
            w.post(messages.Problem("Stopped", "The document is unchanged.", stopped=True))
            self._results.show_kept(w)

    # ---- files

    async def _sample(self, name: str) -> None:
        self.session.do(await self.intake.sample(name))
        self.changed()

    async def _locate(self, name: str, path: str | None) -> None:
        self.session.do(await self.intake.locate(self.session.project, name, path))
        self._maker.missing = await asyncio.to_thread(self.session.missing)
        self.changed()

    async def open_named(self, place: Path) -> str | None:
        """Add a file that was named when the studio started; return why if it cannot be loaded."""
        text = await self._start_files.open(place)
        if text is None:
            self.changed()
        else:
            self._tell_state()
        return text

    async def _retry(self, window: Window, request: int, path: str) -> None:
        failed = self._start_files.find(path)
        if failed is None:
            return  # another window removed it
        text = await self.open_named(Path(path))
        if text is not None:
            window.post(messages.Problem(f"{failed.name} was not loaded", text, request))

    async def take(self, name: str, place: Path, version: Version) -> None:
        """Add an uploaded file: a motion, sound, a recipe or a warp."""
        commands = await self.intake.take(name, place, version)
        self.session.do(*[await self._in_seconds(c) for c in commands])
        self.changed()

    async def _in_seconds(self, command: Command) -> Command:
        """Turn frames and percentages of a recipe that comes in into the seconds that windows edit.

        Where there is no motion yet, they are unchanged written.
        """
        if not isinstance(command, ReplaceSteps) or not _has_clip_times(command):
            return command
        result = self._maker.result(self.session.would_be(command), (command.version, None))
        if result is None:
            return command
        said = await self.workers.run("answer", "resolve", jobs.Resolve(result))
        must_be_done(said, result)
        steps = tuple(
            msgspec.structs.replace(step, parameters=step.parameters | found)
            for step, found in zip(command.steps, said.answer, strict=True)
        )
        return msgspec.structs.replace(command, steps=steps)

    async def export(
        self, form: jobs.EXPORTS | Literal["all"], version: Version, fps: float | None = None
    ) -> tuple[Path, str]:
        """Write a version's result, or all motions', to a file; the caller removes it."""
        if form == "all":
            return await self._exports.all(self.session.project, version, fps)
        return await self._exports.one(self.session.project, form, version, fps)

    async def mesh(self, name: str) -> tuple[Path, bool]:
        """Return the file with a motion's mesh, and whether the caller removes it."""
        return await self._exports.mesh(self.session.project, name)

    def audio(self) -> Path:
        """Return the sound's file."""
        audio = self.session.project.audio
        if audio is None:
            raise InputError("the project has no sound")
        return self.session.workspace.resolve(audio.path)

    # ---- tasks

    def _start(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def close(self) -> None:
        """Save and let all go."""
        if self._saving is not None:
            self._saving.cancel()
        await self.workers.close()
        for task in self._tasks:
            task.cancel()
        try:
            self.session.close()
        except RetimeError as e:
            print(f"retime: {e}; the journal holds all edits", file=sys.stderr, flush=True)


def _has_clip_times(command: ReplaceSteps) -> bool:
    """Return whether some parameters are times in frames or percent."""
    steps = [Step(s.method, s.parameters) for s in command.steps]
    return any(needs_clip(v) for s in steps for v in values_of(s.parameters).values())
