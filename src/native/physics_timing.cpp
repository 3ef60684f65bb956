// Loops over timings: the objective, minimum and maximum time.
#include "modules.hpp"
#include "physics_intervals.hpp"
#include "physics_polygons.hpp"

namespace retime::physics_timing {

namespace {

using namespace physics;
using Numbers = View<const double, 1>;
using Indices = View<const std::int64_t, 1>;
using Corners = View<const double, 2>;

constexpr double FAR = 1e300;

struct Point {
    double y, x;

    Point between(Point to, double share) const {
        return {y + share * (to.y - y), x + share * (to.x - x)};
    }
};

Point point(Corners corners, index at) { return {corners.data[2 * at], corners.data[2 * at + 1]}; }

/// A convex polygon that half-planes cut.
class Polygon {
  public:
    /// Cutting by a convex polygon adds at most as many corners as that has.
    explicit Polygon(index most) : here_(most), there_(most), heights_(most) {}

    void copy(Corners corners, index first, index past) {
        size_ = std::clamp<index>(past - first, 0, room());
        for (index i = 0; i < size_; ++i) here_[i] = point(corners, first + i);
    }

    void clear() { size_ = 0; }
    index size() const { return size_; }
    const Point *begin() const { return here_.data(); }
    const Point *end() const { return here_.data() + size_; }

    /// Keep what is not below a line: `height(point)` is at least -tolerance.
    template <class Height>
    void cut(Height height, double tolerance) {
        const Point *from = here_.data();
        double *heights = heights_.data();
        bool cuts = false;
        for (index i = 0; i < size_; ++i) {
            heights[i] = height(from[i]);
            cuts |= heights[i] < -tolerance;
        }
        if (!cuts) return;
        Point *to = there_.data();
        const Point *const end = to + room();
        for (index i = 0; i < size_; ++i) {
            const index j = i + 1 < size_ ? i + 1 : 0;
            const double h = heights[i], g = heights[j];
            const bool keeps = h >= -tolerance;
            if (keeps && to < end) *to++ = from[i];
            const bool crosses = keeps ? h > tolerance && g < -tolerance : g > tolerance;
            if (crosses && to < end) *to++ = from[i].between(from[j], h / (h - g));
        }
        size_ = to - there_.data();
        std::swap(here_, there_);
    }

  private:
    index room() const { return here_.size(); }

    index size_ = 0;
    std::vector<Point> here_, there_;
    std::vector<double> heights_;
};

index most_corners(Indices starts) {
    index out = 0;
    for (index k = 0; k + 1 < starts.length(); ++k) out = std::max(out, starts[k + 1] - starts[k]);
    return out;
}

struct Range {
    double low, high;
};

/// Return the range of y of a region at a given x; from FAR to -FAR where there is none.
Range section(Corners corners, index first, index past, double x, double tolerance) {
    Range out{FAR, -FAR};
    if (past <= first) return out;
    const auto include = [&](double y) {
        out.low = std::min(out.low, y);
        out.high = std::max(out.high, y);
    };
    Point a = point(corners, past - 1);
    for (index i = first; i < past; ++i) {
        const Point b = point(corners, i);
        if ((a.x - x) * (b.x - x) <= tolerance) {
            if (std::abs(a.x - b.x) < 1e-14) {
                include(a.y);
                include(b.y);
            } else {
                const double share = std::min(1.0, std::max(0.0, (x - a.x) / (b.x - a.x)));
                include(a.y + share * (b.y - a.y));
            }
        }
        a = b;
    }
    return out;
}

}  // namespace

Array<double, 1> objective_terms(Numbers square_speed, Numbers steps, double unit, Indices starts,
                                 Corners corners, View<const double, 2> matching, Numbers alphas,
                                 double beta, Numbers given, Numbers usual, Numbers gammas) {
    Array<double, 1> out(steps.length());
    Node from(square_speed[0]), to = from;
    double before = from.speed / std::sqrt(usual[0]);
    for (index k = 0; k < steps.length(); ++k, from = to) {
        to = Node(square_speed[k + 1]);
        const Interval at(from, to, steps[k], unit);
        double rate = 0.0;
        for (index f = k; f < k + 2; ++f) {
            const Nearest near = nearest_point(corners, starts[f], starts[f + 1], at.y, at.x);
            if (!near.inside) rate += 0.5 * alphas[f] * near.square;
            rate += 0.5 * beta * matched(matching[f].data, at.y, at.x);
        }
        const double after = to.speed / std::sqrt(usual[k + 1]), bend = after - before;
        out[k] = rate * counted(at, given[k]) + gammas[k] / steps[k] * bend * bend;
        before = after;
    }
    return out;
}

std::tuple<Array<double, 1>, Array<double, 2>, std::int64_t> fastest(Indices starts,
                                                                     Corners corners, double step,
                                                                     double unit, Numbers low,
                                                                     Numbers high, double change) {
    const index count = std::max<index>(starts.length() - 1, 0);
    Array<double, 1> out = filled(0.0, count);
    Array<double, 2> sets = filled(0.0, count, 2);
    if (count == 0) return {std::move(out), std::move(sets), -1};
    const double reach = 2 * step * unit;
    sets(count - 1, 0) = low[count - 1];
    sets(count - 1, 1) = high[count - 1];
    Polygon polygon(most_corners(starts) + 12);
    for (index k = count - 2; k >= 0; --k) {
        const double least = sets(k + 1, 0), most = sets(k + 1, 1);
        polygon.copy(corners, starts[k], starts[k + 1]);
        polygon.cut([=](Point at) { return most - at.x - reach * at.y; }, 1e-12);
        polygon.cut([=](Point at) { return at.x + reach * at.y - least; }, 1e-12);
        polygon.cut([=](Point at) { return change - at.y; }, 1e-12);
        polygon.cut([=](Point at) { return change + at.y; }, 1e-12);
        Range x{FAR, -FAR};
        for (const Point corner : polygon) {
            x.low = std::min(x.low, corner.x);
            x.high = std::max(x.high, corner.x);
        }
        sets(k, 0) = std::max(x.low, low[k]);
        sets(k, 1) = std::min(x.high, high[k]);
        if (sets(k, 0) > sets(k, 1) + 1e-12) return {std::move(out), std::move(sets), k};
    }
    out[0] = sets(0, 1);
    for (index k = 0; k + 1 < count; ++k) {
        const double y = section(corners, starts[k], starts[k + 1], out[k], 0.0).high;
        const double next = out[k] + reach * std::min(y, change);
        out[k + 1] = std::max(std::min(next, sets(k + 1, 1)), sets(k + 1, 0));
    }
    return {std::move(out), std::move(sets), -1};
}

Array<double, 1> slowest(Indices starts, Corners corners, double step, double unit,
                         View<const double, 2> sets, double change) {
    const index count = sets.shape[0];
    const double reach = 2 * step * unit;
    Array<double, 1> out = filled(0.0, count);
    if (count > 0) out[0] = sets(0, 0);
    for (index k = 0; k + 1 < count; ++k) {
        double y = section(corners, starts[k], starts[k + 1], out[k], 1e-15).low;
        if (y == FAR) y = 0.0;
        const double next = out[k] + reach * std::max(y, -change);
        out[k + 1] = std::min(std::max(next, sets(k + 1, 0)), sets(k + 1, 1));
    }
    return out;
}

std::tuple<Array<std::int64_t, 1>, Array<double, 2>, std::int64_t> intervals(Indices starts,
                                                                             Corners corners,
                                                                             double step,
                                                                             double unit) {
    const index count = std::max<index>(starts.length() - 1, 0);
    Array<std::int64_t, 1> begins = filled<std::int64_t>(0, count + 1);
    if (count == 0) return {std::move(begins), Array<double, 2>(0, 2), -1};
    std::vector<Point> out;
    out.reserve(2 * corners.shape[0] + 4);
    Polygon polygon(4 * most_corners(starts) + 8);
    for (index k = 0; k + 1 < count; ++k) {
        const index first = starts[k + 1], past = starts[k + 2];
        polygon.copy(corners, starts[k], first);
        if (past == first) polygon.clear();
        for (index i = first; i < past; ++i) {
            const Point a = point(corners, i), b = point(corners, i + 1 < past ? i + 1 : first);
            const double ey = b.y - a.y, ex = b.x - a.x;
            if (std::abs(ey) + std::abs(ex) < 1e-13) continue;
            polygon.cut([=](Point at) { return ey * (at.x - a.x) - ex * (at.y - a.y); }, 1e-13);
        }
        if (polygon.size() == 0) return {std::move(begins), Array<double, 2>(0, 2), k};
        for (const Point at : polygon) out.push_back({at.y, at.x - step * unit * at.y});
        begins[k + 1] = out.size();
    }
    for (index i = starts[count - 1]; i < starts[count]; ++i) out.push_back(point(corners, i));
    begins[count] = out.size();
    Array<double, 2> flat(out.size(), 2);
    for (std::size_t i = 0; i < out.size(); ++i) {
        flat(i, 0) = out[i].y;
        flat(i, 1) = out[i].x;
    }
    const index stuck = starts[count] > starts[count - 1] ? -1 : count - 1;
    return {std::move(begins), std::move(flat), stuck};
}

void bind(nanobind::module_ &m) {
    define(
        m, "objective_terms", objective_terms,
        "square_speed[K] steps[K-1] unit starts[K+1]:0..V+1 corners[V,2] matching[K,6] "
        "alphas[K] beta given[K-1] usual[K] gammas[K-1]",
        "Return the objective (14) of every interval over b(s) = p'^2 at the nodes, (K - 1,).\n\n"
        "Between nodes k and k + 1, `steps[k]` source seconds apart, p'' = (b1 - b0) / (2 step)\n"
        "and the time is step / mean speed; it counts as `given` seconds where those are above 0. "
        "Both nodes' regions and torques count half.\n"
        "Distances are in (p'' / unit, p'^2) and count by `alphas` (K,); `matching` (K, 6) are\n"
        "the coefficients of x^2, x, x y, y^2, y, 1. Smoothness adds `gammas` (K - 1,) times the\n"
        "square of the slope of u = sqrt(b / usual).");
    define(
        m, "fastest", fastest, "starts[F+1]:0..V+1 corners[V,2] step unit low[F] high[F] change",
        "Find the fastest feasible b(s) = p'^2, (F,): controllable sets backward, then greedily\n"
        "on.\n\n"
        "`low` and `high` bound b at each frame, and `change` |p''| / unit. Returns b, the sets\n"
        "(F, 2), and the frame at which nothing is left, or -1.");
    define(m, "slowest", slowest, "starts[F+1]:0..V+1 corners[V,2] step unit sets[F,2] change",
           "Find the slowest feasible b(s) = p'^2, (F,), within the controllable sets of the\n"
           "fastest.");
    define(
        m, "intervals", intervals, "starts[N]:0..V+1 corners[V,2] step unit",
        "Intersect neighbouring frames' regions and shear them to b at the interval's first\n"
        "frame.\n\n"
        "On an interval (p'', mean p'^2) must lie in the regions of both its frames. With mean\n"
        "p'^2 = b + step p'' that is a polygon over (p'' / unit, b). Returns starts (F + 1,) and\n"
        "corners of all (the last frame has its own region), and the first interval that is\n"
        "empty, or -1.");
}

}  // namespace retime::physics_timing
