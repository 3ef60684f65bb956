"""Names of changes, from the documents before and after them."""

from __future__ import annotations

import functools
from typing import Any

from retime.studio.forms import method_forms
from retime.studio.project import Project, StepEntry

# Lists of a step's parameters whose entries have a name of their own.
_ENTRIES = {"keytimes": "keytime", "keys": "surface key", "edits": "pose edit", "rates": "speed"}


def change_name(before: Project, after: Project) -> str:
    """Name the change between two documents, as in a menu: "Move keytime"."""
    if before.motions != after.motions:
        return _motions(before, after)
    if before.audio != after.audio:
        return "Remove sound" if after.audio is None else (
            "Add sound" if before.audio is None else "Move sound"
        )  # fmt: skip
    if before.joint_sets != after.joint_sets:
        return "Change sets of joints"
    if before.source != after.source and after.source is not None:
        return f"Retime {after.motion(after.source).name}"
    if before.recipes != after.recipes:
        changed = [m for m in after.motions if before.versions_of(m) != after.versions_of(m)]
        count = "1 motion" if len(changed) == 1 else f"{len(changed)} motions"
        return f"Give a recipe to {count}"
    for version in ("A", "B"):
        old, new = before.versions[version], after.versions[version]
        if old != new:
            return _steps(old, new)
    return "Change"


def _motions(before: Project, after: Project) -> str:
    added = [m.name for k, m in after.motions.items() if k not in before.motions]
    gone = [m.name for k, m in before.motions.items() if k not in after.motions]
    if added:
        return f"Open {added[0]}" if len(added) == 1 else f"Open {len(added)} motions"
    return f"Remove {gone[0]}" if gone else "Find a motion's file"


def _steps(old: tuple[StepEntry, ...], new: tuple[StepEntry, ...]) -> str:
    before, after = {s.id: s for s in old}, {s.id: s for s in new}
    added, gone = [s for s in new if s.id not in before], [s for s in old if s.id not in after]
    if (added and gone) or len(added) > 1 or len(gone) > 1:
        return "Replace the recipe"
    if added:
        return f"Add {_title(added[0])}"
    if gone:
        return f"Remove {_title(gone[0])}"
    changed = [(before[s.id], s) for s in new if before[s.id] != s]
    return _step(*changed[0]) if changed else "Reorder steps"


def _step(old: StepEntry, new: StepEntry) -> str:
    title = _title(new)
    if old.mute != new.mute:
        return f"{'Mute' if new.mute else 'Unmute'} {title}"
    if old.label != new.label:
        return "Rename step"
    if old.weight != new.weight:
        return f"Change weight of {title}"
    names = [n for n in {**old.parameters, **new.parameters} if _differs(old, new, n)]
    entry = next((name for name in _ENTRIES if name in names), None)
    if entry is not None:
        return _change_of_list(old, new, entry)
    if "contacts" in names or "contacts_only" in names:
        return "Change contacts"
    label = _labels().get((new.method, names[0]), names[0]) if names else "step"
    return f"Change {label[0].lower()}{label[1:]} of {title}"


def _change_of_list(old: StepEntry, new: StepEntry, name: str) -> str:
    """Name the change of a list of a step: "Add 3 keytimes"."""
    before, after = ([*(s.parameters.get(name) or ())] for s in (old, new))
    noun, more = _ENTRIES[name], len(after) - len(before)
    if more == 0:
        moved = sum(a != b for a, b in zip(before, after, strict=True))
        return f"Move {noun}{'s' if moved > 1 else ''}"
    if abs(more) == 1:
        return f"{'Add' if more > 0 else 'Delete'} {noun}"
    fewer, many = (before, after) if more > 0 else (after, before)
    if any(entry not in many for entry in fewer):
        return f"Replace {noun}s"
    return f"{'Add' if more > 0 else 'Delete'} {abs(more)} {noun}s"


def _differs(old: StepEntry, new: StepEntry, name: str) -> bool:
    return bool(old.parameters.get(name) != new.parameters.get(name))


def _title(step: StepEntry) -> str:
    return step.label or _titles().get(step.method, step.method)


@functools.cache
def _titles() -> dict[str, str]:
    return {form.name: form.title for form in method_forms()}


@functools.cache
def _labels() -> dict[tuple[str, str], str]:
    found: Any = {(f.name, field.name): field.label for f in method_forms() for field in f.fields}
    labels: dict[tuple[str, str], str] = found
    return labels
