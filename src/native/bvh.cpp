// Text of BVH files: numbers from and to text, and Euler angles from and to quaternions.
#include <cstdlib>
#include <optional>
#include <stdexcept>

#include "modules.hpp"
#include "rotations.hpp"

namespace retime::bvh {

namespace {

using Byte = std::uint8_t;
using Indices = View<const std::int64_t, 1>;
using Angles = std::array<double, 3>;

// Powers of ten that a double holds exactly.
constexpr double POWERS[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                             1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
constexpr index MOST_POWER = 22;
// Whole numbers up to this one are exact as doubles.
constexpr std::uint64_t MOST_EXACT = std::uint64_t(1) << 53;
// Any number of this many digits fits 64 bits.
constexpr index MOST_DIGITS = 19;

// ---- numbers from text

bool is_blank(Byte c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

/// Return whether a byte ends a line: LF, or CR that no LF follows.
bool ends_line(const Byte *at, const Byte *end) {
    return *at == '\n' || (*at == '\r' && !(at + 1 < end && at[1] == '\n'));
}

/// Return the rounding error of a product of doubles, exactly (Dekker 1971).
double rounding_error(double a, double b, double product) {
    constexpr double SPLIT = 134217729.0;  // 2^27 + 1
    double split = SPLIT * a;
    const double a_high = split - (split - a), a_low = a - a_high;
    split = SPLIT * b;
    const double b_high = split - (split - b), b_low = b - b_high;
    return ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low;
}

/// Divide 17 to 19 digits by a power of ten, in double-double.
///
/// Returns the correctly rounded quotient, or none near a rounding tie.
std::optional<double> divided(std::uint64_t mantissa, index power) {
    if (power < 0 || power > MOST_POWER) return {};
    const double divisor = POWERS[power], high = static_cast<double>(mantissa);
    const auto whole = static_cast<std::uint64_t>(high);  // 19 digits are below 2^64
    const double low = whole >= mantissa ? -static_cast<double>(whole - mantissa)
                                         : static_cast<double>(mantissa - whole);
    const double quotient = high / divisor, product = quotient * divisor;
    const double error = rounding_error(quotient, divisor, product);
    const double rest = (((high - product) - error) + low) / divisor;
    const double margin = 1e-10 * std::abs(rest) + 1e-26 * quotient;
    if (quotient + (rest - margin) != quotient + (rest + margin)) return {};
    return quotient + rest;
}

/// Return a number times a power of ten, correctly rounded, or none if that takes more digits.
std::optional<double> scaled(std::uint64_t mantissa, index power) {
    if (mantissa == 0) return 0.0;
    if (mantissa > MOST_EXACT || std::abs(power) > MOST_POWER) return divided(mantissa, -power);
    // Clinger's fast path: both factors are exact, so one operation rounds correctly.
    const double value = static_cast<double>(mantissa);
    return power < 0 ? value / POWERS[-power] : value * POWERS[power];
}

/// Read the exponent at a byte, and move on; return none if it has no digits.
std::optional<index> read_exponent(const Byte *&at, const Byte *end) {
    constexpr index FAR = 10000;  // far beyond a double; more digits change nothing
    const bool negative = at < end && *at == '-';
    if (negative || (at < end && *at == '+')) ++at;
    const Byte *const begin = at;
    index exponent = 0;
    for (; at < end && *at >= '0' && *at <= '9'; ++at)
        if (exponent < FAR) exponent = 10 * exponent + (*at - '0');
    if (at == begin) return {};
    return negative ? -exponent : exponent;
}

struct Number {
    std::optional<double> value;  ///< None if it needs a slower, exact parser, or is no number.
    index decimals = 0;           ///< Digits after the point, without an exponent.
};

/// Read the word at a byte, and move to its end.
Number read_number(const Byte *&at, const Byte *end) {
    const bool negative = *at == '-';
    if (negative || *at == '+') ++at;
    const Byte *const begin = at, *point = nullptr;
    std::uint64_t mantissa = 0;
    index digits = 0;  // from the first that is not 0
    for (; at < end; ++at) {
        const unsigned digit = *at - unsigned('0');
        if (digit < 10) {
            if (digits < MOST_DIGITS) mantissa = 10 * mantissa + digit;
            digits += mantissa != 0;
        } else if (*at == '.' && !point) {
            point = at;
        } else {
            break;
        }
    }
    const index decimals = point ? at - point - 1 : 0;
    bool is_plain = at - begin > (point ? 1 : 0) && digits <= MOST_DIGITS;
    index exponent = 0;
    if (is_plain && at < end && (*at == 'e' || *at == 'E')) {
        const std::optional<index> read = read_exponent(++at, end);
        is_plain = read.has_value();
        exponent = read.value_or(0);
    }
    for (; at < end && !is_blank(*at); ++at) is_plain = false;
    if (!is_plain) return {};
    const std::optional<double> value = scaled(mantissa, exponent - decimals);
    if (!value) return {};
    return {negative ? -*value : *value, decimals - std::min<index>(exponent, 0)};
}

/// An array that grows at its end.
template <class T>
class Column {
  public:
    explicit Column(index expected) : array_(expected) {}

    index size() const { return size_; }

    void push(T value) {
        if (size_ == array_.length()) {
            Array<T, 1> larger(2 * size_ + 16);
            std::copy(array_.begin(), array_.end(), larger.begin());
            array_ = std::move(larger);
        }
        array_[size_++] = value;
    }

    Array<T, 1> take() { return std::move(array_.shorten(size_)); }

  private:
    Array<T, 1> array_;
    index size_ = 0;
};

// ---- rotations

/// Multiply by a rotation about an axis, given the cosine and sine of half its angle.
Quaternion turned(Quaternion q, std::int64_t axis, double c, double s) {
    const auto [w, x, y, z] = q;
    if (axis == 0) return {w * c - x * s, x * c + w * s, y * c + z * s, z * c - y * s};
    if (axis == 1) return {w * c - y * s, x * c - z * s, y * c + w * s, z * c + x * s};
    return {w * c - z * s, x * c + y * s, y * c - x * s, z * c + w * s};
}

struct Matrix {
    double at[3][3];

    explicit Matrix(Quaternion q) {
        const auto [w, x, y, z] = q;
        at[0][0] = w * w + x * x - y * y - z * z;
        at[0][1] = 2 * (x * y - w * z);
        at[0][2] = 2 * (x * z + w * y);
        at[1][0] = 2 * (x * y + w * z);
        at[1][1] = w * w - x * x + y * y - z * z;
        at[1][2] = 2 * (y * z - w * x);
        at[2][0] = 2 * (x * z - w * y);
        at[2][1] = 2 * (y * z + w * x);
        at[2][2] = w * w - x * x - y * y + z * z;
    }

    const double *operator[](index row) const { return at[row]; }
};

/// Return an angle plus the full turns that bring it nearest to another.
double nearest(double angle, double wanted) {
    constexpr double TURN = 2.0 * PI;
    return angle + TURN * std::nearbyint((wanted - angle) / TURN);
}

double distance(const Angles &angles, const double *wanted) {
    double square = 0.0;
    for (int c = 0; c < 3; ++c) square += (angles[c] - wanted[c]) * (angles[c] - wanted[c]);
    return square;
}

/// Three axes in the order of their rotations.
struct Order {
    index i, j, k;
    double sign;  ///< 1 for XYZ, YZX and ZXY, -1 for the others.

    explicit Order(Indices axes)
        : i(axes[0]), j(axes[1]), k(axes[2]), sign((j - i + 3) % 3 == 1 ? 1.0 : -1.0) {}

    Angles three(Quaternion q, const double *wanted) const;
    Angles fewer(Quaternion q, std::int64_t count, const double *wanted) const;
};

/// Return the angles about three axes that are nearest to the wanted ones.
inline Angles Order::three(Quaternion q, const double *wanted) const {
    const Matrix m(q);
    const double cosine = std::hypot(m[i][i], m[i][j]);
    Angles one;
    one[1] = std::atan2(sign * m[i][k], cosine);
    const bool is_locked = cosine <= 1e-7;
    if (is_locked) {
        // Gimbal lock: only one of the outer angles is free; the first stays as wanted.
        const double c = std::cos(wanted[0]), s = sign * std::sin(wanted[0]);
        one[0] = wanted[0];
        one[2] = std::atan2(sign * (c * m[j][i] + s * m[k][i]), c * m[j][j] + s * m[k][j]);
    } else {
        one[0] = std::atan2(-sign * m[j][k], m[k][k]);
        one[2] = std::atan2(-sign * m[i][j], m[i][i]);
    }
    Angles two = is_locked ? one : Angles{one[0] + PI, PI - one[1], one[2] + PI};
    for (int c = 0; c < 3; ++c) {
        one[c] = nearest(one[c], wanted[c]);
        two[c] = nearest(two[c], wanted[c]);
    }
    return distance(one, wanted) <= distance(two, wanted) ? one : two;
}

/// Return the angles about the first axes whose rotation is nearest; the others are 0.
Angles Order::fewer(Quaternion q, std::int64_t count, const double *wanted) const {
    Angles out{};
    if (count == 1) {
        out[0] = 2.0 * std::atan2(i == 0 ? q.x : i == 1 ? q.y : q.z, q.w);
    } else if (count == 2) {
        // R_i(x) R_j(y) turns axis j by x alone, and shows axis i turned by y alone.
        const Matrix m(q);
        out[0] = std::atan2(sign * m[k][j], m[j][j]);
        out[1] = std::atan2(sign * m[i][k], m[i][i]);
    }
    for (int c = 0; c < count; ++c) out[c] = nearest(out[c], wanted[c]);
    return out;
}

// ---- numbers to text

// Characters of a number: a sign, up to 17 digits, a point and what follows.
constexpr index WIDTH = 20;

/// Write a whole number with a point before its last digits; return the text's end.
Byte *write_fixed(std::uint64_t whole, std::int64_t decimals, Byte *to) {
    Byte field[WIDTH];
    Byte *at = field + WIDTH;
    for (std::int64_t count = 0; whole != 0 || count <= decimals; ++count, whole /= 10) {
        if (count == decimals && count > 0) *--at = '.';
        *--at = static_cast<Byte>('0' + whole % 10);
    }
    return std::copy(at, field + WIDTH, to);
}

}  // namespace

std::tuple<Array<double, 1>, Array<std::int64_t, 1>, Array<std::int64_t, 2>, std::int64_t>
parse_numbers(View<const Byte, 1> text, std::int64_t words, std::int64_t lines) {
    const index most = text.length() / 2 + 1;
    Column<double> values(std::clamp<index>(words, 0, most));
    Column<std::int64_t> upto(std::clamp<index>(lines, 0, most));
    std::vector<std::array<std::int64_t, 3>> unread;
    index decimals = 0;
    for (const Byte *at = text.begin(), *const end = text.end(); at < end;) {
        if (is_blank(*at)) {
            if (ends_line(at, end)) upto.push(values.size());
            ++at;
            continue;
        }
        const Byte *const word = at;
        const Number number = read_number(at, end);
        if (!number.value)
            unread.push_back({values.size(), word - text.begin(), at - text.begin()});
        decimals = std::max(decimals, number.decimals);
        values.push(number.value.value_or(NOT_A_NUMBER));
    }
    upto.push(values.size());
    return {values.take(), upto.take(), copied(unread), decimals};
}

Array<double, 3> euler_to_quaternions(View<const double, 2> rows,
                                      View<const std::int64_t, 2> columns,
                                      View<const std::int64_t, 2> axes) {
    const index frames = rows.shape[0], joints = columns.shape[0];
    Array<double, 3> out(frames, joints, 4);
    for (index f = 0; f < frames; ++f)
        for (index j = 0; j < joints; ++j) {
            Quaternion q{1.0, 0.0, 0.0, 0.0};
            for (int k = 0; k < 3 && columns(j, k) >= 0; ++k) {
                const double half = rows(f, columns(j, k)) * (PI / 360.0);
                q = turned(q, axes(j, k), std::cos(half), std::sin(half));
            }
            if (f > 0 && dot(q, quaternion(out[f - 1][j])) < 0.0) q = -q;
            store(q, out[f][j].data);
        }
    return out;
}

FOR_EACH_PROCESSOR
Array<double, 2> quaternions_to_euler(View<const double, 2> rotations, Indices axes,
                                      std::int64_t count, View<const double, 2> near,
                                      bool continuous) {
    const Order order(axes);
    const index frames = rotations.shape[0];
    Array<double, 2> out(frames, 3);
    for (index f = 0; f < frames; ++f) {
        const double *wanted = continuous && f > 0 ? out[f - 1].data : near[f].data;
        const Quaternion q = quaternion(rotations[f]);
        const Angles angles = count < 3 ? order.fewer(q, count, wanted) : order.three(q, wanted);
        std::copy(angles.begin(), angles.end(), out[f].begin());
    }
    return out;
}

FOR_EACH_PROCESSOR
Array<Byte, 1> format_rows(View<const double, 2> rows, std::int64_t decimals) {
    const index columns = rows.shape[1];
    const double scale = POWERS[decimals], limit = MOST_EXACT / scale;
    Array<Byte, 1> out(rows.size() * WIDTH);
    Byte *to = out.begin();
    for (index f = 0; f < rows.shape[0]; ++f)
        for (index c = 0; c < columns; ++c) {
            const double value = rows(f, c), size = std::abs(value);
            if (!(size < limit))
                throw std::invalid_argument("format_rows: a value has more digits than a double");
            const auto whole = static_cast<std::uint64_t>(std::nearbyint(size * scale));
            if (value < 0.0 && whole != 0) *to++ = '-';
            to = write_fixed(whole, decimals, to);
            *to++ = c + 1 < columns ? ' ' : '\n';
        }
    out.shorten(to - out.begin());
    return out;
}

void bind(nanobind::module_ &m) {
    define(m, "parse_numbers", parse_numbers, "text[N] words lines",
           "Parse decimal numbers from bytes, each rounded correctly.\n\n"
           "`words` and `lines` are how many are expected. Returns the values (W,); the number of\n"
           "words before each line's end (CR, LF or both); word and byte range (U, 3) of those\n"
           "that need a slower, exact parser or are not numbers, whose value is NaN; and the most\n"
           "decimals of a number.");
    define(m, "euler_to_quaternions", euler_to_quaternions,
           "rows[F,C] columns[J,3]:-1..C axes[J,3]:0..3",
           "Turn rows of Euler angles in degrees into quaternions, signs continuous in time.\n\n"
           "`columns` (J, 3) are those of each joint's rotations in order, -1 for none; `axes`\n"
           "(J, 3) their axes. A joint's rotation is the product in the file's order.");
    define(
        m, "quaternions_to_euler", quaternions_to_euler,
        "rotations[F,4] axes[3]:0..3 count:0..4 near[F,3] continuous",
        "Turn quaternions (F, 4) into Euler angles (F, 3) in radians about three distinct\n"
        "axes.\n\n"
        "Of the two solutions and their full turns, the one nearest to `near` (F, 3) is taken;\n"
        "with `continuous`, the one nearest to the frame before (`near` then matters for frame\n"
        "0 only). Where only the first `count` axes may turn, the others stay 0 and the nearest\n"
        "rotation that they can make is taken.");
    define(m, "format_rows", format_rows, "rows[F,C] decimals:0..17",
           "Write rows as decimal text with a fixed number of decimals, blanks between, a row per\n"
           "line.\n\n"
           "Values must be below 2**53 / 10**decimals.");
}

}  // namespace retime::bvh
