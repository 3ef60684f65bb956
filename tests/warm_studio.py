"""Fork studios that have loaded all modules: the program of the tests' template process.

Each studio forks the template of its own workers from itself, before it has any thread: the
processes are related as they are after a start by command.
"""

from __future__ import annotations

import os
import socket
import sys
import tempfile
from pathlib import Path

from retime import samples, write
from retime.cli import main
from retime.process.template import Template, control_sockets, wait_for_fork
from retime.recipe import Recipe, Step
from retime.recipe.json import to_document
from retime.studio import jobs, worker, workers
from retime.studio.evaluation import FrameMaker
from retime.studio.forms import method_forms
from retime.studio.server import serve
from retime.studio.workspace import sha256_of

_STEPS = [
    Step("guided", {"duration": 2.0, "keytimes": [(1.0, 1.5)]}),
    Step("spline", {"duration": 2.0}),
    Step("hold"),
    Step("stagger"),
]


def load_everything() -> None:
    """Do once what most tests ask a studio for."""
    method_forms()
    maker = FrameMaker(lambda text, share: None)
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "jump.bvh"
        write(samples.jump(), place)
        maker.inspect(jobs.Inspect(str(place)))
        clip = jobs.Clip("m1", "jump", str(place), sha256_of(place) or "")
        maker.load(jobs.Load(clip))
        recipe = to_document(Recipe(_STEPS))
        maker.result(jobs.Result(clip, recipe, [f"s{n}" for n in range(len(_STEPS))], "A", 0))


def run() -> None:
    """Fork studios until the tests end."""
    load_everything()
    folder, *arguments = wait_for_fork(socket.socket(fileno=int(sys.argv[1])))
    os.chdir(folder)
    ours, theirs = control_sockets()
    if os.fork() == 0:
        ours.close()
        worker.serve_template(theirs)
        return
    theirs.close()
    workers.start_template = lambda: Template(ours)
    main(arguments)


if __name__ == "__main__":
    assert serve  # loaded ahead; the command imports it by itself
    run()
