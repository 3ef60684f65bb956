"""Figures of Physics-Based Motion Retiming, made again: 1, 4, 6, 8 to 13; and worlds of ours."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import numpy as np

from bench.performances import MOCAP
from bench.physics import figure_12
from retime import Motion, PhysicsModel, TimeWarp, read, samples
from retime.methods.physics.limits.regions import UNIT
from retime.methods.physics.search.problem import TimingProblem, objective_of
from retime.plot.physics import draw_physics, draw_regions
from retime.plot.style import INK, KEY, ORIGINAL, SERIES, canvas, plain, save
from retime.plot.warps import draw_warps


def _clip(name: str, instead: Motion) -> Motion:
    file = MOCAP / f"{name}.bvh"
    return read(file) if file.exists() else instead


def figures(folder: Path) -> None:
    """Write all; bundled motions stand in where the clips are not at hand."""
    jump = PhysicsModel(_clip("16_06", samples.jump()))
    half = jump.warp(duration=0.5 * jump.motion.duration)
    draw_physics(jump, half, folder / "physics-figure-1.png")
    flight = jump.times[jump.flight]
    moments = (0.5, float(flight[0]) - 0.15, float(np.median(flight)))
    draw_regions(jump, folder / "physics-figure-4.png", times=moments, warp=half)
    _figure_6(jump, folder / "physics-figure-6.png")
    moment = float(np.median(flight))
    earlier = jump.warp(keytimes=[(moment - 0.5, moment)])
    draw_warps({"mid-flight 0.5 s earlier": earlier}, folder / "physics-figure-8.png")
    high = PhysicsModel(_clip("16_03", samples.jump()))
    gravities = {f"gravity {g}": high.changed(gravity=g).warp() for g in (4.9, 19.6)}
    draw_warps(gravities, folder / "physics-figure-9.png")
    walk = PhysicsModel(_clip("16_16", samples.walk()))
    sideways = {
        f"gravity to the {d}": walk.changed(gravity=f"{d}:9.81").warp(smoothness=0.03)
        for d in ("left", "right")
    }
    draw_warps(sideways, folder / "physics-figure-10.png")
    heavy = {
        f"{side} thigh x 10": walk.changed(mass_scale={f"{side}_upper_leg": 10.0}).warp(
            objective="match"
        )
        for side in ("left", "right")
    }
    draw_warps(heavy, folder / "physics-figure-11.png")
    with (folder / "physics-figure-12.csv").open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(
            ("ms a frame (the paper's)", *["Force", "Feasible", "Bake", "Obj", "NP-Obj", "Naive"])
        )
        rows.writerows(figure_12())
    _figure_13(jump, half, folder / "physics-figure-13.png")
    _worlds(high, walk, folder)
    with (folder / "physics-cases.csv").open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(("figure", "case", "value"))
        rows.writerows(cases(jump, high, walk))


def cases(jump: PhysicsModel, high: PhysicsModel, walk: PhysicsModel) -> list[tuple[str, ...]]:
    """Measure the paper's cases: rates of flights, and shares of the time on one foot."""
    own, least = jump.motion.duration, jump.minimum_duration()
    half = jump.warp(duration=0.5 * own)
    moment = float(np.median(jump.times[jump.flight]))
    earlier = jump.warp(keytimes=[(moment - 0.5, moment)])
    out = [
        ("1", "half the length, of the shortest", 0.5 * own / (least or np.nan)),
        ("1", "rate of the flight", _flight_rate(jump, half)),
        ("8", "rate of the flight", _flight_rate(jump, earlier)),
    ]
    for gravity in (4.9, 19.6):
        world = high.changed(gravity=gravity)
        out.append(("9", f"gravity {gravity}", _flight_rate(world, world.warp(duration="free"))))
    worlds = {"recorded": walk} | {
        f"gravity to the {side}": walk.changed(gravity=f"{side}:9.81") for side in ("left", "right")
    }
    thighs = {
        f"{side} thigh x 10": walk.changed(mass_scale={f"{side}_upper_leg": 10.0})
        for side in ("left", "right")
    }
    for case, world in (worlds | thighs).items():
        number = "11" if "thigh" in case else "10"
        warp = world.warp(duration=walk.motion.duration, objective="match")
        for foot, share in zip(("left", "right"), _on_one_foot(walk, warp), strict=True):
            out.append((number, f"{case}: on the {foot} foot alone", share))
    easy = walk.warp(duration="free", objective="effort").duration
    out.append(("", "least effort of the walk, of its length", easy / walk.motion.duration))
    loaded = walk.changed(load="8kg@hands").warp(duration="free").duration
    out.append(("", "8 kg in the hands, of the length", loaded / walk.motion.duration))
    weak = PhysicsModel(walk.motion, torque_limits={"left_lower_leg": 20.0})
    out.append(("", "left knee of 20 Nm, of the length",
                weak.warp(duration="free").duration / walk.motion.duration))  # fmt: skip
    return [(number, case, f"{value:.4g}") for number, case, value in out]


def _flight_rate(model: PhysicsModel, warp: TimeWarp) -> float:
    """Return the mean rate in the middle of the longest flight."""
    frames = np.flatnonzero(model.flight)
    runs = np.split(frames, np.flatnonzero(np.diff(frames) > 1) + 1)
    times = model.times[max(runs, key=len)]
    middle = times[np.abs(times - times.mean()) < 0.25 * np.ptp(times)]
    return float(np.mean(warp.rate(warp.inverse(middle))))


def _on_one_foot(walk: PhysicsModel, warp: TimeWarp) -> list[float]:
    """Return the shares of the time that the left and the right foot stand alone."""
    left, right = np.any(walk._measured.supports.down, axis=2).T
    spent = np.gradient(warp.inverse(walk.times))
    return [float(spent[a & ~b].sum() / spent.sum()) for a, b in ((left, right), (right, left))]


def _worlds(jump: PhysicsModel, walk: PhysicsModel, folder: Path) -> None:
    """A jump on the moon, a walk with a backpack, and a walk in a hurry on ice."""
    moon = jump.changed(gravity="moon")
    draw_physics(moon, moon.warp(duration="free"), folder / "physics-moon.png")
    loads = {
        f"{kg} kg backpack": walk.changed(load=f"{kg}kg@backpack").warp(duration="free")
        for kg in (10, 20, 40)
    }
    draw_warps(loads, folder / "physics-backpack.png")
    grounds = {"dry": 0.7, "wet": 0.3, "ice": 0.1}
    hurried = {}
    for name, friction in grounds.items():
        ground = walk.changed(friction=friction)
        least = ground.minimum_duration()
        if least is not None:
            hurried[f"{name}: at least {least:.2f} s"] = ground.warp(duration=1.001 * least)
    draw_warps(hurried, folder / "physics-ice.png")


def _figure_6(model: PhysicsModel, path: Path) -> None:
    """The parts of the objective over the plane of (p'', p'^2), at a frame before take-off."""
    k = int(np.flatnonzero(model.flight)[0]) - 18
    region = model.regions[k]
    y, x = np.meshgrid(np.linspace(-30, 30, 160), np.linspace(0, 5, 160))
    far = np.array([region.distance((a, b)) for a, b in zip(y.ravel(), x.ravel(), strict=True)])

    def torques(kind: str) -> Any:
        c = model.baked(kind).matching[k]
        u = y / UNIT
        return c[0] * x * x + c[1] * x + c[2] * x * u + c[3] * u * u + c[4] * u + c[5]

    parts = {
        "distance to what is feasible": far.reshape(x.shape) ** 2,
        "torques matched": torques("match"),
        "least torques": torques("effort"),
    }
    figure = canvas(11.0, 3.6)
    closed = np.r_[region.corners, region.corners[:1]]
    for axes, (title, value) in zip(figure.subplots(1, 3), parts.items(), strict=True):
        axes.contourf(y, x, np.log10(value + 1e-3), 24, cmap="Greys")
        axes.plot(closed[:, 0], closed[:, 1], color=ORIGINAL, linewidth=2)
        axes.plot(0, 1, "+", color=KEY, markersize=10)
        axes.set_xlim(-30, 30)
        axes.set_ylim(0, 5)
        axes.set_title(title, color=INK, fontsize=10)
        axes.set_xlabel("p'' (1/s)", color=INK)
        plain(axes)
        axes.grid(visible=False)
    save(figure, path)


def _figure_13(model: PhysicsModel, warp: TimeWarp, path: Path) -> None:
    """How the objective changes as single points of the warp are shifted in time."""
    baked = model.baked()
    problem = TimingProblem(
        model.times, baked, [], [], 0.05, np.full(len(model.times), 6.0), False, 100.0, 1.0
    )
    output = warp.inverse(model.times)
    shifts = np.linspace(-0.1, 0.1, 41)
    figure = canvas(7.0, 4.2)
    axes = figure.subplots()
    for colour, share in zip(SERIES, (0.15, 0.3, 0.45, 0.6, 0.75, 0.9), strict=True):
        centre = output[0] + share * (output[-1] - output[0])
        bump = np.exp(-0.5 * ((output - centre) / 0.15) ** 2)
        values = []
        for shift in shifts:
            moved = output + shift * bump
            speed = np.gradient(model.times, np.maximum.accumulate(moved + 1e-9 * model.times))
            values.append(objective_of(problem, np.clip(speed, 0.05, 6) ** 2))
        axes.plot(1e3 * shifts, values, color=colour, label=f"at {centre:.2f} s")
    axes.set_yscale("log")
    axes.set_xlabel("shift of a point of the warp (ms)", color=INK)
    axes.set_ylabel("objective", color=INK)
    axes.legend(frameon=False, fontsize=8)
    plain(axes)
    save(figure, path)


if __name__ == "__main__":
    folder = Path("papers")
    folder.mkdir(exist_ok=True)
    figures(folder)
