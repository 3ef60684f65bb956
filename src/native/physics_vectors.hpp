// Vectors and rotation matrices of the rigid-body model.
#pragma once

#include "rotations.hpp"

namespace retime::physics {

/// Rotate a vector by a matrix of three rows.
inline Vector turned(const double *turn, Vector v) {
    return {dot(vector(turn), v), dot(vector(turn + 3), v), dot(vector(turn + 6), v)};
}

/// Rotate a vector by the inverse of a matrix of three rows.
inline Vector turned_back(const double *turn, Vector v) {
    return {turn[0] * v.x + turn[3] * v.y + turn[6] * v.z,
            turn[1] * v.x + turn[4] * v.y + turn[7] * v.z,
            turn[2] * v.x + turn[5] * v.y + turn[8] * v.z};
}

/// A rotation about the vertical.
struct Heading {
    double cosine, sine;

    explicit Heading(double angle) : cosine(std::cos(angle)), sine(std::sin(angle)) {}

    /// Rotate a vector from the world to the body's axes: across, up, ahead.
    Vector turned_back(Vector v) const {
        return {cosine * v.x - sine * v.z, v.y, sine * v.x + cosine * v.z};
    }
};

}  // namespace retime::physics
