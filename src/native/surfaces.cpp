// Where a bent surface of time meets the joints' paths (section 3.5).
#include "modules.hpp"

namespace retime::surfaces {

namespace {

// A surface that moves nothing by more than this, in seconds, is where it was.
constexpr double SMALL = 1e-9;
// Seconds from one trial to the next, and how many there are at most.
constexpr double STEP = 0.002;
constexpr index MOST_STEPS = 1 << 20;
constexpr int HALVINGS = 50;

/// A place among `count` samples: the sample before it, and the share of the way to the next.
struct Place {
    index before;
    double share;

    /// Clamp to the samples; what is not a number becomes the first.
    Place(double at, index count) {
        at = std::min(std::max(0.0, at), count - 1.0);
        before = std::min(static_cast<index>(at), count - 2);
        share = at - before;
    }
    double mix(double a, double b) const { return (1 - share) * a + share * b; }
};

/// A joint's path over the bent surface, and the surface's shifts as the joint weighs them.
class Path {
  public:
    Path(View<const double, 3> paths, index joint, double start, double rate,
         View<const double, 3> grids, View<const double, 1> weights)
        : paths_(paths),
          joint_(joint),
          start_(start),
          rate_(rate),
          grids_(grids),
          weights_(weights) {}

    /// Return the surface's shift where the joint is at a time of the source.
    double shift(double source) const {
        const Place at((source - start_) * rate_, paths_.length());
        const double *a = &paths_(at.before, joint_, 0), *b = &paths_(at.before + 1, joint_, 0);
        const Place across(at.mix(a[0], b[0]), grids_.shape[1]);
        const Place up(at.mix(a[1], b[1]), grids_.shape[2]);
        double total = 0.0;
        for (index c = 0; c < grids_.length(); ++c) {
            const double *low = &grids_(c, across.before, up.before);
            const double *high = low + grids_.shape[2];
            total += weights_[c] * across.mix(up.mix(low[0], low[1]), up.mix(high[0], high[1]));
        }
        return total;
    }

    /// Return the source time near a guess where the path meets the surface of output time `t`.
    ///
    /// It is at most `reach` away from `t`. `share` is the surface's share of the drag.
    double meeting(double t, double share, double guess, double reach) const;

  private:
    View<const double, 3> paths_;
    index joint_;
    double start_, rate_;
    View<const double, 3> grids_;
    View<const double, 1> weights_;
};

double Path::meeting(double t, double share, double guess, double reach) const {
    const auto miss = [&](double source) { return source - t + share * shift(source); };
    // Step from the guess until the sign changes; the nearest intersection is there.
    const double here = miss(guess), step = here > 0 ? -STEP : STEP;
    double low = guess, high = guess, there = here;
    for (index n = 0; n < MOST_STEPS && there * here > 0; ++n) {
        if (!(t - reach <= high + step && high + step <= t + reach)) break;
        low = high;
        high += step;
        there = miss(high);
    }
    if (there * here > 0) high = here > 0 ? t - reach : t + reach;
    for (int n = 0; n < HALVINGS; ++n) {
        const double middle = 0.5 * (low + high);
        (miss(middle) * here > 0 ? low : high) = middle;
        if (std::abs(high - low) < SMALL) break;
    }
    return 0.5 * (low + high);
}

double largest(View<const double, 2> grid) {
    double out = 0.0;
    for (const double value : grid) out = std::max(out, std::abs(value));
    return out;
}

}  // namespace

Array<double, 2> intersect(View<const double, 1> times, View<const double, 1> shares,
                           View<const double, 3> paths, double start, double rate,
                           View<const double, 3> grids, View<const double, 2> weights) {
    if (paths.shape[0] < 2 || grids.shape[1] < 2 || grids.shape[2] < 2)
        throw std::invalid_argument("intersect: paths and grids need two samples each way");
    const index count = times.length(), joints = paths.shape[1];
    std::vector<double> heights;
    for (index c = 0; c < grids.length(); ++c) heights.push_back(largest(grids[c]));
    Array<double, 2> out(count, joints);
    for (index j = 0; j < joints; ++j) {
        const Path path(paths, j, start, rate, grids, weights[j]);
        double most = 0.0;
        for (index c = 0; c < grids.length(); ++c) most += heights[c] * std::abs(weights(j, c));
        for (index n = 0; n < count; ++n) {
            const double t = times[n], reach = shares[n] * most;
            if (reach < SMALL) {
                out(n, j) = t;
                continue;
            }
            const double guess = n ? out(n - 1, j) + (t - times[n - 1]) : t;
            out(n, j) =
                path.meeting(t, shares[n], std::min(std::max(guess, t - reach), t + reach), reach);
        }
    }
    return out;
}

void bind(nanobind::module_ &m) {
    define(
        m, "intersect", intersect,
        "times[N] shares[N] paths[F,J,2] start rate grids[C,P,Q] weights[J,C]",
        "Find where surfaces meet joint paths: source times (N, J).\n\n"
        "`times` and `shares` are the output time of each surface and its share of the drag;\n"
        "`paths` are in cells of the grids, which contain shifts in seconds; `weights` is the\n"
        "range filter. If a path meets a surface more than once, the intersection nearest to the\n"
        "previous one is used.");
}

}  // namespace retime::surfaces
