// Vectors and quaternions (w, x, y, z) as values, and interpolation along arcs.
#pragma once

#include "arrays.hpp"

namespace retime {

struct Vector {
    double x, y, z;

    double operator[](int k) const { return k == 0 ? x : k == 1 ? y : z; }
};

inline Vector operator+(Vector a, Vector b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
inline Vector operator-(Vector a, Vector b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
inline Vector operator*(double s, Vector v) { return {s * v.x, s * v.y, s * v.z}; }

struct Quaternion {
    double w, x, y, z;

    Quaternion operator-() const { return {-w, -x, -y, -z}; }
};

inline Quaternion operator+(Quaternion a, Quaternion b) {
    return {a.w + b.w, a.x + b.x, a.y + b.y, a.z + b.z};
}
inline Quaternion operator-(Quaternion a, Quaternion b) {
    return {a.w - b.w, a.x - b.x, a.y - b.y, a.z - b.z};
}
inline Quaternion operator*(double s, Quaternion q) { return {s * q.w, s * q.x, s * q.y, s * q.z}; }

inline Vector vector(const double *at) { return {at[0], at[1], at[2]}; }
inline Vector vector(View<const double, 1> at) { return vector(at.data); }
inline Quaternion quaternion(const double *at) { return {at[0], at[1], at[2], at[3]}; }
inline Quaternion quaternion(View<const double, 1> at) { return quaternion(at.data); }

inline void store(Vector v, double *to) {
    to[0] = v.x;
    to[1] = v.y;
    to[2] = v.z;
}

inline void store(Quaternion q, double *to) {
    to[0] = q.w;
    to[1] = q.x;
    to[2] = q.y;
    to[3] = q.z;
}

inline Vector operator/(Vector v, double s) { return {v.x / s, v.y / s, v.z / s}; }

inline double dot(Vector a, Vector b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
inline double dot(Quaternion a, Quaternion b) {
    return a.w * b.w + a.x * b.x + a.y * b.y + a.z * b.z;
}

inline double length(Vector v) { return std::sqrt(dot(v, v)); }

inline Vector cross(Vector a, Vector b) {
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

/// Return the Hamilton product a b.
inline Quaternion multiply(Quaternion a, Quaternion b) {
    return {a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z,
            a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
            a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
            a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
}

inline Quaternion conjugate(Quaternion q) { return {q.w, -q.x, -q.y, -q.z}; }

/// Rotate a vector by a unit quaternion.
inline Vector rotate(Quaternion q, Vector v) {
    const Vector u = {q.x, q.y, q.z}, t = cross(u, v);
    return v + 2.0 * q.w * t + 2.0 * cross(u, t);
}

struct HalfTurn {
    double cosine;         ///< cos(a / 2)
    double sine_by_angle;  ///< sin(a / 2) / a
};

/// Return the half-angle functions of an angle that is given squared.
///
/// On small angles a series is faster, and exact to the last digit.
inline HalfTurn half_turn(double square) {
    const double x = 0.25 * square;
    if (x > 0.02) {
        const double angle = std::sqrt(square);
        return {std::cos(0.5 * angle), std::sin(0.5 * angle) / angle};
    }
    const double cosine =
        1.0 -
        x * (1.0 / 2) *
            (1.0 - x * (1.0 / 12) *
                       (1.0 - x * (1.0 / 30) * (1.0 - x * (1.0 / 56) * (1.0 - x * (1.0 / 90)))));
    return {cosine, 0.5 * (1.0 - x * (1.0 / 6) *
                                     (1.0 - x * (1.0 / 20) *
                                                (1.0 - x * (1.0 / 42) * (1.0 - x * (1.0 / 72)))))};
}

/// Return the rotation by a rotation vector.
inline Quaternion exponential(Vector v) {
    const HalfTurn half = half_turn(dot(v, v));
    const Vector axis = half.sine_by_angle * v;
    return {half.cosine, axis.x, axis.y, axis.z};
}

struct Shares {
    double a, b;
};

namespace series {

/// Return sin(u a) / sin(a) for a gap of at most 0.03, by eight terms.
inline double medium(double gap, double u) {
    const double square = u * u;
    double out = 1.0 + gap * (8.0 / 17 - square * (1.0 / 136));
    out = 1.0 + gap * (7.0 / 15 - square * (1.0 / 105)) * out;
    out = 1.0 + gap * (6.0 / 13 - square * (1.0 / 78)) * out;
    out = 1.0 + gap * (5.0 / 11 - square * (1.0 / 55)) * out;
    out = 1.0 + gap * (4.0 / 9 - square * (1.0 / 36)) * out;
    out = 1.0 + gap * (3.0 / 7 - square * (1.0 / 21)) * out;
    out = 1.0 + gap * (2.0 / 5 - square * (1.0 / 10)) * out;
    return u * (1.0 + gap * (1.0 / 3 - square * (1.0 / 3)) * out);
}

/// Return sin(u a) / sin(a) for a gap of at most 0.0015, by four terms.
inline double low(double gap, double u) {
    const double square = u * u;
    double out = 1.0 + gap * (4.0 / 9 - square * (1.0 / 36));
    out = 1.0 + gap * (3.0 / 7 - square * (1.0 / 21)) * out;
    out = 1.0 + gap * (2.0 / 5 - square * (1.0 / 10)) * out;
    return u * (1.0 + gap * (1.0 / 3 - square * (1.0 / 3)) * out);
}

}  // namespace series

/// Return the weights of two unit vectors at a share `u` of the arc between them.
///
/// They are sin((1 - u) a) / sin(a) and sin(u a) / sin(a), where `gap` is 1 - cos(a) and `left` is
/// 1 + cos(a); each is accurate where the other is near 2. On arcs below 14 degrees a series in the
/// gap (Eberly 2011) differs by less than rounding does, and is up to three times as fast.
inline Shares arc_shares(double gap, double left, double u) {
    if (gap > 0.03) {
        const double angle = 2.0 * std::atan2(std::sqrt(gap), std::sqrt(left));
        const double sine = std::max(std::sqrt(gap * left), 1e-16);  // half a circle: no direction
        return {std::sin((1.0 - u) * angle) / sine, std::sin(u * angle) / sine};
    }
    if (gap > 0.0015) return {series::medium(gap, 1.0 - u), series::medium(gap, u)};
    return {series::low(gap, 1.0 - u), series::low(gap, u)};
}

}  // namespace retime
