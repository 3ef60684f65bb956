// A live pose beside a recorded one: turned about the vertical and moved along the ground.
#pragma once

#include "rotations.hpp"

namespace retime::live {

using Numbers = View<const double, 1>;
using Pose = View<const double, 2>;  ///< Places of the joints (J, 3), Y up.
using Poses = View<const double, 3>;
using Mask = View<const bool, 1>;  ///< Which joints are seen.

constexpr double FAR = 1e300;
// Poses may be this much higher or lower than recorded (m). Beyond it a difference of heights tells
// of another floor or a lost reference, and not of another place in the recording.
constexpr double SAME_HEIGHT = 0.1;

inline Vector joint(Pose pose, index j) { return vector(pose.data + 3 * j); }

inline index count(Mask seen) { return std::count(seen.begin(), seen.end(), true); }

/// Return the sum of the squares of two vectors.
inline double squares(Vector a, Vector b) {
    return (a.x * a.x + b.x * b.x) + (a.y * a.y + b.y * b.y) + (a.z * a.z + b.z * b.z);
}

/// A turn about the vertical.
struct Turn {
    double cosine = 1.0, sine = 0.0;

    Vector operator()(Vector v) const {
        return {cosine * v.x - sine * v.z, v.y, sine * v.x + cosine * v.z};
    }
};

/// Sums over the joints of two poses, from which the turn of one onto the other follows.
struct Turning {
    double along = 0.0, across = 0.0;

    void add(Vector from, Vector onto) {
        along += from.x * onto.x + from.z * onto.z;
        across += from.x * onto.z - from.z * onto.x;
    }

    /// Return the turn; none if the joints are all above one point.
    Turn turn() const {
        const double length = std::sqrt(along * along + across * across);
        if (length > 1e-12) return {along / length, across / length};
        return {};
    }
};

/// A recorded pose, as the target of a fit.
struct Recorded {
    Pose pose;

    Vector operator()(index j) const { return joint(pose, j); }
    Vector off(Vector place, index j) const { return place - joint(pose, j); }
};

/// A recorded pose with the constant difference between the postures of two performers.
struct Biased {
    Pose pose, bias;

    Vector operator()(index j) const { return joint(pose, j) + joint(bias, j); }
    Vector off(Vector place, index j) const { return place - joint(pose, j) - joint(bias, j); }
};

/// A turn of a centred pose, then a shift: along the ground, and of another floor.
struct Fit {
    Turn turn;
    double x, y, z;

    Vector operator()(Vector v) const {
        v = turn(v);
        return {v.x + x, v.y + y, v.z + z};
    }
};

/// Return what brings the visible joints of a centred pose nearest to a target.
template <class Target>
Fit fit(Target target, Pose pose, Mask visible) {
    Turning turning;
    double x = 0.0, y = 0.0, z = 0.0, seen = 0.0;
    for (index j = 0; j < visible.length(); ++j) {
        if (!visible[j]) continue;
        const Vector from = joint(pose, j), onto = target(j);
        turning.add(from, onto);
        x += onto.x;
        y += onto.y - from.y;
        z += onto.z;
        seen += 1.0;
    }
    y /= seen;
    return {turning.turn(), x / seen, y - std::clamp(y, -SAME_HEIGHT, SAME_HEIGHT), z / seen};
}

/// Return the vectors from a recorded pose to a live one (J, 3) once fitted; 0 where unseen.
inline Array<double, 2> difference(Pose recorded, Pose pose, Mask visible) {
    Array<double, 2> out = filled(0.0, visible.length(), 3);
    const Recorded target{recorded};
    const Fit place = fit(target, pose, visible);
    for (index j = 0; j < visible.length(); ++j)
        if (visible[j]) store(target.off(place(joint(pose, j)), j), out[j].data);
    return out;
}

/// Return poses (N, J, 3) as (J, 3, N): loops over poses then vectorise.
inline Array<double, 3> poses_last(Poses poses) {
    const index count = poses.shape[0], joints = poses.shape[1];
    Array<double, 3> out(joints, 3, count);
    for (index i = 0; i < count; ++i)
        for (index j = 0; j < joints; ++j)
            for (index c = 0; c < 3; ++c) out(j, c, i) = poses(i, j, c);
    return out;
}

}  // namespace retime::live
