"""Compiled loops of the BVH reader and writer."""

from __future__ import annotations

import math

import numpy as np

from retime.compiled import kernel

# Powers of ten that a double holds exactly.
_EXACT_POWERS = np.array([10.0**k for k in range(23)])


@kernel
def _is_blank(c):  # type: ignore[no-untyped-def]
    return c == 32 or (9 <= c <= 13)


@kernel
def _ends_line(text, i):  # type: ignore[no-untyped-def]
    """Return whether a byte ends a line: LF, or CR that no LF follows."""
    return text[i] == 10 or (text[i] == 13 and not (i + 1 < len(text) and text[i + 1] == 10))


@kernel
def count_numbers(text):  # type: ignore[no-untyped-def]
    """Count the words and the lines (CR, LF or both) of bytes."""
    words = 0
    lines = 1
    inside = False
    for i in range(len(text)):
        if _is_blank(text[i]):
            inside = False
            if _ends_line(text, i):
                lines += 1
        elif not inside:
            inside = True
            words += 1
    return words, lines


@kernel
def parse_numbers(text, words, lines, unusual):  # type: ignore[no-untyped-def]
    """Parse decimal numbers from bytes, each rounded correctly.

    Arguments give the capacity for words, lines and unusual words. Returns whether it was enough;
    the values; the number of words before each line's end; the byte range of words that need a
    slower, exact parser (or are not numbers); and the most decimals of a number.
    """
    values = np.empty(words)
    upto = np.empty(lines, np.int64)
    slow = np.empty((unusual, 3), np.int64)
    slow_count = 0
    most_decimals = 0
    word = 0
    line = 0
    i = 0
    n = len(text)
    while i < n:
        if _is_blank(text[i]):
            if _ends_line(text, i):
                if line >= lines:
                    return False, values, upto, slow, 0
                upto[line] = word
                line += 1
            i += 1
            continue
        if word >= words or slow_count >= unusual:
            return False, values, upto, slow, 0
        # The digits are read here: a call with the array for each word would cost more.
        begin = i
        negative = text[i] == 45
        if negative or text[i] == 43:
            i += 1
        mantissa = np.uint64(0)
        digits = 0
        seen = 0
        decimals = 0
        point = False
        while i < n:
            c = text[i]
            if 48 <= c <= 57:
                seen += 1
                if digits > 0 or c != 48:
                    digits += 1
                if digits <= 19:
                    mantissa = mantissa * np.uint64(10) + np.uint64(c - 48)
                if point:
                    decimals += 1
            elif c == 46 and not point:
                point = True
            else:
                break
            i += 1
        plain = seen > 0 and digits <= 19
        exponent = 0
        if plain and i < n and (text[i] == 101 or text[i] == 69):
            i, exponent, plain = _exponent(text, i + 1)
        while i < n and not _is_blank(text[i]):
            plain = False
            i += 1
        value = float(mantissa)
        power = exponent - decimals
        if mantissa <= np.uint64(9007199254740992) and -22 <= power <= 22:
            # Clinger's fast path: both factors are exact, so one operation rounds correctly.
            value = value / _EXACT_POWERS[-power] if power < 0 else value * _EXACT_POWERS[power]
        elif plain and mantissa != np.uint64(0):
            value, plain = _divided(mantissa, -power)
        if plain:
            values[word] = -value if negative else value
            most_decimals = max(most_decimals, decimals - min(exponent, 0))
        else:
            values[word] = np.nan
            slow[slow_count, 0] = word
            slow[slow_count, 1] = begin
            slow[slow_count, 2] = i
            slow_count += 1
        word += 1
    if line >= lines:
        return False, values, upto, slow, 0
    upto[line] = word
    return True, values[:word], upto[: line + 1], slow[:slow_count], most_decimals


@kernel
def _exponent(text, i):  # type: ignore[no-untyped-def]
    """Parse the exponent at a byte: its end, its value, and whether it has digits."""
    falling = i < len(text) and text[i] == 45
    if falling or (i < len(text) and text[i] == 43):
        i += 1
    begin = i
    exponent = 0
    while i < len(text) and 48 <= text[i] <= 57:
        if exponent < 10000:
            exponent = exponent * 10 + (text[i] - 48)
        i += 1
    return i, -exponent if falling else exponent, i > begin


@kernel
def _divided(mantissa, power):  # type: ignore[no-untyped-def]
    """Divide 17 to 19 digits by a power of ten, in double-double.

    Returns the quotient and whether it is correctly rounded; it may not be near a rounding tie.
    """
    if power < 0 or power > 22:
        return 0.0, False
    divisor = _EXACT_POWERS[power]
    high = float(mantissa)
    if high >= 18446744073709551615.0:
        return 0.0, False
    whole = np.uint64(high)
    low = -float(whole - mantissa) if whole >= mantissa else float(mantissa - whole)
    quotient = high / divisor
    # Dekker: the exact error of quotient * divisor.
    split = 134217729.0 * quotient
    qh = split - (split - quotient)
    ql = quotient - qh
    split = 134217729.0 * divisor
    dh = split - (split - divisor)
    dl = divisor - dh
    product = quotient * divisor
    error = ((qh * dh - product) + qh * dl + ql * dh) + ql * dl
    rest = (((high - product) - error) + low) / divisor
    margin = 1e-10 * abs(rest) + 1e-26 * quotient
    return quotient + rest, quotient + (rest - margin) == quotient + (rest + margin)


@kernel
def euler_to_quaternions(rows, first, axes):  # type: ignore[no-untyped-def]
    """Turn rows of Euler angles in degrees into quaternions, signs continuous in time.

    ``first`` (J, 3) are the columns of each joint's rotations in order, -1 for none; ``axes``
    (J, 3) their axes. A joint's rotation is the product in the file's order.
    """
    frames = rows.shape[0]
    joints = first.shape[0]
    out = np.empty((frames, joints, 4))
    radians = math.pi / 360.0
    for f in range(frames):
        for j in range(joints):
            w = 1.0
            x = 0.0
            y = 0.0
            z = 0.0
            for k in range(3):
                column = first[j, k]
                if column < 0:
                    break
                half = rows[f, column] * radians
                c = math.cos(half)
                s = math.sin(half)
                axis = axes[j, k]
                if axis == 0:
                    w, x, y, z = w * c - x * s, x * c + w * s, y * c + z * s, z * c - y * s
                elif axis == 1:
                    w, x, y, z = w * c - y * s, x * c - z * s, y * c + w * s, z * c + x * s
                else:
                    w, x, y, z = w * c - z * s, x * c + y * s, y * c - x * s, z * c + w * s
            if f > 0:
                b = out[f - 1, j]
                if w * b[0] + x * b[1] + y * b[2] + z * b[3] < 0.0:
                    w, x, y, z = -w, -x, -y, -z
            out[f, j, 0] = w
            out[f, j, 1] = x
            out[f, j, 2] = y
            out[f, j, 3] = z
    return out


@kernel
def quaternions_to_euler(rotations, axes, count, near, continuous):  # type: ignore[no-untyped-def]
    """Turn quaternions (F, 4) into Euler angles (F, 3) in radians about three distinct axes.

    Of the two solutions and their full turns, the one nearest to ``near`` (F, 3) is taken; with
    ``continuous``, the one nearest to the frame before (``near`` then matters for frame 0 only).
    Where only the first ``count`` axes may turn, the others stay 0 and the nearest rotation that
    they can make is taken.
    """
    frames = rotations.shape[0]
    out = np.empty((frames, 3))
    i, j, k = axes[0], axes[1], axes[2]
    sign = 1.0 if (j - i) % 3 == 1 else -1.0
    turn = 2.0 * math.pi
    m = np.empty((3, 3))
    want = np.empty(3)
    one = np.empty(3)
    two = np.empty(3)
    for f in range(frames):
        w = rotations[f, 0]
        x = rotations[f, 1]
        y = rotations[f, 2]
        z = rotations[f, 3]
        m[0, 0] = w * w + x * x - y * y - z * z
        m[0, 1] = 2 * (x * y - w * z)
        m[0, 2] = 2 * (x * z + w * y)
        m[1, 0] = 2 * (x * y + w * z)
        m[1, 1] = w * w - x * x + y * y - z * z
        m[1, 2] = 2 * (y * z - w * x)
        m[2, 0] = 2 * (x * z - w * y)
        m[2, 1] = 2 * (y * z + w * x)
        m[2, 2] = w * w - x * x - y * y + z * z
        for c in range(3):
            want[c] = out[f - 1, c] if continuous and f > 0 else near[f, c]
        if count < 3:
            # R_i(x) R_j(y) turns axis j by x alone, and shows axis i turned by y alone.
            one[0] = 2.0 * math.atan2(rotations[f, 1 + i], w)
            one[1] = 0.0
            if count == 2:
                one[0] = math.atan2(sign * m[k, j], m[j, j])
                one[1] = math.atan2(sign * m[i, k], m[i, i])
            for c in range(3):
                turns = np.round((want[c] - one[c]) / turn) if c < count else 0.0
                out[f, c] = one[c] + turn * turns if c < count else 0.0
            continue
        cosine = math.hypot(m[i, i], m[i, j])
        one[1] = math.atan2(sign * m[i, k], cosine)
        if cosine > 1e-7:
            one[0] = math.atan2(-sign * m[j, k], m[k, k])
            one[2] = math.atan2(-sign * m[i, j], m[i, i])
        else:
            # Gimbal lock: only one of the outer angles is free; the first stays as wanted.
            one[0] = want[0]
            c0 = math.cos(want[0])
            s0 = sign * math.sin(want[0])
            one[2] = math.atan2(sign * (c0 * m[j, i] + s0 * m[k, i]), c0 * m[j, j] + s0 * m[k, j])
        two[0] = one[0] + math.pi
        two[1] = math.pi - one[1]
        two[2] = one[2] + math.pi
        if cosine <= 1e-7:
            two[0] = one[0]
            two[1] = one[1]
            two[2] = one[2]
        far_one = 0.0
        far_two = 0.0
        for c in range(3):
            one[c] += turn * np.round((want[c] - one[c]) / turn)
            two[c] += turn * np.round((want[c] - two[c]) / turn)
            far_one += (one[c] - want[c]) ** 2
            far_two += (two[c] - want[c]) ** 2
        for c in range(3):
            out[f, c] = one[c] if far_one <= far_two else two[c]
    return out


@kernel
def format_rows(rows, decimals):  # type: ignore[no-untyped-def]
    """Write rows as decimal text with a fixed number of decimals, blanks between, a row per line.

    Values must be below 2**53 / 10**decimals for their digits to be right.
    """
    frames, columns = rows.shape
    out = np.empty(frames * columns * (21 + decimals), np.uint8)
    digit = np.empty(24, np.uint8)
    scale = 1.0
    for _ in range(decimals):
        scale *= 10.0
    n = 0
    for f in range(frames):
        for c in range(columns):
            value = rows[f, c]
            whole = np.uint64(np.rint(abs(value) * scale))
            if value < 0.0 and whole != np.uint64(0):
                out[n] = 45
                n += 1
            count = 0
            while whole != np.uint64(0) or count <= decimals:
                rest = whole // np.uint64(10)
                digit[count] = np.uint8(48 + (whole - rest * np.uint64(10)))
                whole = rest
                count += 1
            for k in range(count - 1, -1, -1):
                out[n] = digit[k]
                n += 1
                if k == decimals and decimals > 0:
                    out[n] = 46
                    n += 1
            out[n] = 32 if c + 1 < columns else 10
            n += 1
    return out[:n]
