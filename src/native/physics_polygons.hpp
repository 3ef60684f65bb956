// The nearest point of a polygon.
#pragma once

#include "arrays.hpp"

namespace retime::physics {

struct Nearest {
    bool inside;    ///< Whether the point itself is in the polygon.
    double square;  ///< Squared distance of the nearest point of the edge.
    double y, x;
};

/// Find the point nearest to (y, x) on the edge of a polygon: the corners `first` to `past`.
inline Nearest nearest_point(View<const double, 2> corners, index first, index past, double y,
                             double x) {
    // A frame without corners has no region.
    Nearest out{past - first >= 3 || past == first, 1e300, 0.0, 0.0};
    for (index a = first; a < past; ++a) {
        const double *here = corners.data + 2 * a;
        const double *next = a + 1 < past ? here + 2 : corners.data + 2 * first;
        const double ey = next[0] - here[0], ex = next[1] - here[1];
        const double wy = y - here[0], wx = x - here[1];
        if (ey * wx - ex * wy < 0.0) out.inside = false;
        const double square = ey * ey + ex * ex;
        const double share =
            square > 0.0 ? std::min(1.0, std::max(0.0, (ey * wy + ex * wx) / square)) : 0.0;
        const double qy = here[0] + share * ey, qx = here[1] + share * ex;
        const double off = (y - qy) * (y - qy) + (x - qx) * (x - qx);
        if (off < out.square) {
            out.square = off;
            out.y = qy;
            out.x = qx;
        }
    }
    return out;
}

}  // namespace retime::physics
