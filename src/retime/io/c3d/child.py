"""The child process that runs the C3D library (see :mod:`retime.process.library`)."""

from __future__ import annotations

from typing import Any

import numpy as np

from retime.process.library import Arrays, serve

__all__: list[str] = []


def _open(path: str) -> Any:
    import ezc3d

    return ezc3d.c3d(path)


def _value(parameters: Any, group: str, name: str, default: Any) -> Any:
    """Return a parameter's values as a plain list."""
    found = parameters.get(group, {}).get(name)
    if found is None:
        return default
    value = found["value"]
    return value.tolist() if isinstance(value, np.ndarray) else list(value)


def _labels(parameters: Any, group: str) -> list[str]:
    out = _value(parameters, group, "LABELS", [])
    more = 2
    while f"LABELS{more}" in parameters.get(group, {}):
        out += _value(parameters, group, f"LABELS{more}", [])
        more += 1
    return [str(label) for label in out]


def _events(parameters: Any) -> list[list[Any]]:
    times = np.array(_value(parameters, "EVENT", "TIMES", []), dtype=float)
    if times.ndim != 2 or times.shape[0] != 2:
        return []
    sides = _value(parameters, "EVENT", "CONTEXTS", [])
    labels = _value(parameters, "EVENT", "LABELS", [])
    missing = [""] * times.shape[1]
    rows = zip(times.T.tolist(), [*sides, *missing], [*labels, *missing], strict=False)
    return [[60 * minutes + seconds, str(s), str(x)] for (minutes, seconds), s, x in rows]


def read(request: dict[str, Any], _: Arrays) -> tuple[dict[str, Any], Arrays]:
    """Read a file's points, with rate, labels, units and events."""
    c3d = _open(request["path"])
    parameters, data = c3d["parameters"], c3d["data"]
    points = np.moveaxis(data["points"][:3], 0, 2).transpose(1, 0, 2)
    residuals = data["meta_points"]["residuals"][0].T
    header = c3d["header"]
    answer = {
        "labels": _labels(parameters, "POINT"),
        "rate": float(header["points"]["frame_rate"]),
        "first_frame": int(header["points"]["first_frame"]),
        "units": [str(u) for u in _value(parameters, "POINT", "UNITS", [])],
        "screen": [str(u) for u in _value(parameters, "POINT", "Y_SCREEN", [])],
        "analogs": int(data["analogs"].shape[1]),
        "analog_samples": int(data["analogs"].shape[2]),
        "events": _events(parameters),
        "header_events": sum(bool(str(x).strip()) for x in header["events"]["events_label"]),
    }
    return answer, {"points": points, "residuals": residuals}


def _between(values: Any, position: Any) -> Any:
    """Sample the last axis of values at fractional positions."""
    before = np.floor(position).astype(np.int64)
    after = np.minimum(before + 1, values.shape[-1] - 1)
    share = position - before
    low, high = values[..., before], values[..., after]
    return np.where(share == 0, low, low + share * (high - low))


def write(request: dict[str, Any], arrays: Arrays) -> tuple[dict[str, Any], Arrays]:
    """Write new points, analog channels and events into a copy of a file."""
    c3d = _open(request["path"])
    parameters, data = c3d["parameters"], c3d["data"]
    points, frames, analog = arrays["points"], arrays["frames"], arrays["analog"]
    old = data["points"]
    new = np.ones((4, old.shape[1], len(points)))
    new[:3] = points.transpose(2, 1, 0)
    nearest = np.round(frames).astype(np.int64)
    gone = np.isnan(new[:3]).any(axis=0)
    residuals = data["meta_points"]["residuals"][..., nearest]
    residuals[0][gone] = -1.0
    residuals[0][~gone & (residuals[0] < 0)] = 0.0
    masks = data["meta_points"]["camera_masks"][..., nearest]
    data["points"] = new
    data["meta_points"] = {"residuals": residuals, "camera_masks": masks}
    data["analogs"] = _between(data["analogs"], analog)
    rotations = data["rotations"]
    if rotations.size:
        ratio = rotations.shape[3] // old.shape[2]
        rows = nearest[:, None] * ratio + np.arange(ratio)
        data["rotations"] = rotations[..., rows.ravel()]
    rate = request["rate"]
    parameters["POINT"]["RATE"]["value"] = np.array([rate])
    parameters["ANALOG"]["RATE"]["value"] = np.array([rate * len(analog) / max(len(points), 1)])
    _set_span(c3d, len(points))
    _set_events(parameters, request["events"])
    c3d.write(request["into"])
    return {}, {}


def _set_span(c3d: Any, frames: int) -> None:
    """Set the first and last frame in the TRIAL group: two words each, the lower first."""
    trial = c3d["parameters"].get("TRIAL", {})
    start = int(c3d["header"]["points"]["first_frame"]) + 1
    end = start + frames - 1
    for name, frame in (("ACTUAL_START_FIELD", start), ("ACTUAL_END_FIELD", end)):
        if name in trial and len(trial[name]["value"]) == 2:
            trial[name]["value"] = np.array([frame & 0xFFFF, frame >> 16])


def _set_events(parameters: Any, events: list[list[float]]) -> None:
    """Replace the events; each new one is ``[number of the old one, seconds]``."""
    group = parameters.get("EVENT")
    if group is None or "TIMES" not in group:
        return
    times = group["TIMES"]["value"]
    count = times.shape[1] if times.ndim == 2 else 0
    rows = [int(number) for number, _ in events]
    for name, parameter in group.items():
        if name not in ("__METADATA__", "USED", "TIMES"):
            parameter["value"] = _chosen(parameter["value"], count, rows)
    if count:
        seconds = np.array([s for _, s in events])
        minutes = np.floor(seconds / 60)
        group["TIMES"]["value"] = np.array([minutes, seconds - 60 * minutes])
        group["USED"]["value"] = np.array([len(events)])


def _chosen(value: Any, count: int, rows: list[int]) -> Any:
    """Select rows of per-event data; other data describe the whole file and stay unchanged."""
    if isinstance(value, np.ndarray) and value.ndim and value.shape[-1] == count:
        return value[..., rows]
    if isinstance(value, list) and len(value) == count:
        return [value[k] for k in rows]
    return value


def main() -> None:
    """Load the library before the first request, and answer requests until the input ends."""
    import ezc3d  # noqa: F401

    serve({"read": read, "write": write})


if __name__ == "__main__":
    main()
