// Intervals between two nodes of a timing, and the squared torque errors there.
#pragma once

#include "arrays.hpp"

namespace retime::physics {

/// The speed p' at a node, given squared.
struct Node {
    double square, speed;

    explicit Node(double b) : square(b), speed(std::sqrt(b)) {}
};

/// The timing between two nodes, `step` source seconds apart: p'' is constant, p'^2 linear.
struct Interval {
    double slope;  ///< How y grows by p'^2 at the end, and falls by that at the start.
    double y, x;   ///< p'' / unit, and the mean p'^2.
    double mean;   ///< Speed.
    double time;

    Interval(const Node &from, const Node &to, double step, double unit)
        : slope(1.0 / (2 * step * unit)),
          y((to.square - from.square) / (2 * step * unit)),
          x(0.5 * (from.square + to.square)),
          mean(0.5 * (from.speed + to.speed)),
          time(step / mean) {}
};

/// The seconds for which an interval counts: its own time, or a given one where that is above 0.
inline double counted(const Interval &at, double given) { return given > 0.0 ? given : at.time; }

/// Return the squared torque errors of a frame at a timing, by their six coefficients.
inline double matched(const double *c, double y, double x) {
    return c[0] * x * x + c[1] * x + c[2] * x * y + c[3] * y * y + c[4] * y + c[5];
}

}  // namespace retime::physics
