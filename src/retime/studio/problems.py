"""Problems, as windows show them."""

from __future__ import annotations

import traceback

from retime.errors import RetimeError
from retime.studio import jobs, messages
from retime.studio.wording import studio_error
from retime.studio.workers import Said


class StepError(RetimeError):
    """An error in a step; ``step_name`` names it."""

    step_name: str | None = None


def must_be_done(said: Said, job: jobs.Result | None = None) -> None:
    """Raise the error that a worker reported."""
    if said.error is None:
        return
    error = StepError(said.error)
    if job is not None and said.step is not None and 0 < said.step <= len(job.steps):
        error.step_name = job.steps[said.step - 1]
    raise error


def problem(title: str, error: RetimeError, request: int | None = None) -> messages.Problem:
    """Return a problem that a person can fix."""
    step = error.step_name if isinstance(error, StepError) else None
    return messages.Problem(title, studio_error(error), request, step)


def fault(error: Exception, request: int | None) -> messages.Problem:
    """Return the problem for a bug in the studio; the log has the details."""
    traceback.print_exception(error)
    text = f"{type(error).__name__}: {str(error)[:200]}. The log of the studio has the details."
    return messages.Problem("This is a bug in retime", text, request)
