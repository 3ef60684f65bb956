"""Songs and dances whose beats are known."""

from __future__ import annotations

import wave
from dataclasses import replace
from pathlib import Path

import numpy as np

from retime import Motion, quat, samples

RATE = 22050


def even_beats(bpm: float, seconds: float, first: float = 0.3) -> np.ndarray:
    """Beats of one tempo."""
    return np.arange(first, seconds - 0.1, 60 / bpm)


def sliding_beats(bpm: float, last: float, seconds: float, first: float = 0.3) -> np.ndarray:
    """Beats of a tempo that goes from one to another."""
    out = [first]
    while out[-1] < seconds - 0.1:
        out.append(out[-1] + 60 / (bpm + (last - bpm) * out[-1] / seconds))
    return np.array(out[:-1])


def clicks(beats: np.ndarray, seconds: float, *, noise: float = 0.0, seed: int = 0) -> np.ndarray:
    """A click at every beat."""
    random = np.random.default_rng(seed)
    out = noise * random.standard_normal(round(seconds * RATE))
    t = np.arange(round(0.03 * RATE)) / RATE
    click = np.sin(2 * np.pi * 1000 * t) * np.exp(-t / 0.006)
    for beat in beats:
        _add(out, beat, click)
    return np.asarray(out / np.abs(out).max())


def song(beats: np.ndarray, seconds: float, *, meter: int = 4, seed: int = 0) -> np.ndarray:
    """Drums, a bass and chords on known beats; hi-hats on half beats, nothing syncopated."""
    random = np.random.default_rng(seed)
    out = 0.003 * random.standard_normal(round(seconds * RATE))
    t = np.arange(round(0.25 * RATE)) / RATE
    kick = np.sin(2 * np.pi * (50 * t + 60 * 0.03 * (1 - np.exp(-t / 0.03)))) * np.exp(-t / 0.09)
    snare = random.standard_normal(len(t)) * np.exp(-t / 0.05)
    hat = np.diff(random.standard_normal(len(t) + 1)) * np.exp(-t / 0.015)
    roots = random.choice([110.0, 130.8, 98.0, 146.8], len(beats) // meter + 1)
    for k, beat in enumerate(beats):
        place = k % meter
        length = (beats[k + 1] if k + 1 < len(beats) else beat + 0.5) - beat
        _add(out, beat, (1.0 if place == 0 else 0.7) * kick if place % 2 == 0 else 0.6 * snare)
        for half in (0.0, 0.5):
            _add(out, beat + half * length, random.uniform(0.08, 0.15) * hat)
        tone = np.arange(round(length * RATE)) / RATE
        fade = np.minimum(tone / 0.005, 1) * np.exp(-tone / 0.5)
        root = float(roots[k // meter])
        _add(out, beat, 0.25 * np.sin(2 * np.pi * root / 2 * tone) * fade)
        if place == 0:
            hold = np.arange(round(meter * length * RATE)) / RATE
            soft = np.minimum(hold / 0.02, 1) * np.exp(-hold / 1.5)
            for ratio in (1.0, 1.25, 1.5):
                _add(out, beat, 0.08 * np.sin(2 * np.pi * root * ratio * hold) * soft)
    return np.asarray(out / np.abs(out).max())


def _add(out: np.ndarray, at: float, sound: np.ndarray) -> None:
    first = round(at * RATE)
    sound = sound[: max(len(out) - first, 0)]
    out[first : first + len(sound)] += sound


def write_wave(path: Path, samples: np.ndarray, rate: int = RATE) -> Path:
    """Write sound as a WAV file of 16 bits."""
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(rate)
        file.writeframes((np.clip(samples, -1, 1) * 32000).astype("<i2").tobytes())
    return path


def dance(
    bpm: float = 120.0, seconds: float = 20.0, *, seed: int = 0, uneven: float = 0.0
) -> tuple[Motion, np.ndarray]:
    """A figure that strikes a pose on every beat, and the times of its poses.

    ``uneven`` is how far poses are off their beats: a standard deviation, in beats.
    """
    base, fps = samples.walk(), 60.0
    random = np.random.default_rng(seed)
    t, step = np.arange(round(seconds * fps) + 1) / fps, 60 / bpm
    count = int(seconds / step) + 3
    accents = np.sort(np.r_[-step, (np.arange(count) + random.normal(0, uneven, count)) * step])
    k = np.clip(np.searchsorted(accents, t, side="right") - 1, 0, len(accents) - 2)
    share = (1 - np.cos(np.pi * (t - accents[k]) / (accents[k + 1] - accents[k]))) / 2
    rotations = np.zeros((len(t), len(base.skeleton.names), 4))
    rotations[..., 0] = 1
    for joint in range(1, rotations.shape[1]):
        poses = random.normal(0, 0.5, (len(accents), 3))
        turn = poses[k] * (1 - share)[:, None] + poses[k + 1] * share[:, None]
        rotations[:, joint] = quat.exp(turn)
    still = {n: np.repeat(v[:1], len(t), axis=0) for n, v in base.translations.items()}
    motion = replace(base, rotations=rotations, translations=still, fps=fps, sample_times=None)
    return motion, accents[(accents > 0.2) & (accents < seconds - 0.2)]


def f_measure(found: np.ndarray, beats: np.ndarray, *, window: float = 0.07) -> tuple[float, float]:
    """F of beats found within a window of true ones, and their mean distance."""
    found, beats = np.asarray(found), np.asarray(beats)
    if not len(found):
        return 0.0, 0.0
    nearest = np.abs(found[:, None] - beats[None]).argmin(axis=1)
    gap = found - beats[nearest]
    hits = {int(n) for n, g in zip(nearest, gap, strict=True) if abs(g) <= window}
    return 2 * len(hits) / (len(found) + len(beats)), float(gap[np.abs(gap) <= window].mean())
