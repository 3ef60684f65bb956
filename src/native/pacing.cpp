// One timing problem: output times of source moments, by a sum of terms within limits of speed.
//
// The unknowns are output times T of nodes in source time. A cell between two nodes has the
// slowness u = (T_b - T_a) / width, which stays between two limits. The objective is
//
//     sum over cells of   weight (u ln u - u) - pull u           elastic, and paced: pull = w ln u*
//   + sum over bends of   stiffness ((u_b - u_a) m^-3/2)^2       smooth; m is the mean of both
//   + sum over points of  weight (T - target)^2                  T between two nodes
//   - sum over cells of   wall (ln(u - low) + ln(high - u))      limits
//
// The first and the last are convex. A bend is a square, so a Gauss-Newton step descends. Nodes
// that are known, or tied to others with an offset, are not unknowns: there are no equations beside
// the objective, and all that is solved is one symmetric system that is sparse in an envelope.
#include "envelope.hpp"
#include "modules.hpp"

namespace retime::pacing {

namespace {

constexpr double ENOUGH = 1e-9;      // Change of slowness below which the curve is found.
constexpr double NEAREST = 0.95;     // Share of the way to a limit that a step may go.
constexpr double SHORTEST = 1e-8;    // Share of a step below which nothing descends.
constexpr double SUFFICIENT = 1e-4;  // Share of the predicted descent that must be had.
constexpr double REACH = 1e4;        // Weight of the limits at first, relative to the last,
constexpr double NEARER = 0.1;       // and its decrease from step to step.
constexpr double FREE = 0.5;         // Share of a step from which the limits were not in its way.
constexpr double ROUNDING = 1e-13;   // Relative rounding of the objective.

/// The arrays of a problem; see `solve` below.
struct Problem {
    View<const std::int64_t, 1> unknown;
    View<const double, 1> offset;
    View<const std::int64_t, 2> cells;
    View<const double, 2> terms;
    View<const std::int64_t, 2> bends;
    View<const double, 1> stiffness;
    View<const std::int64_t, 2> points;
    View<const double, 2> wanted;
    index count;
    /// The limits act from far at first, then only beside them.
    double reach = REACH;

    double width(index c) const { return terms(c, 0); }
    double weight(index c) const { return terms(c, 1); }
    double pull(index c) const { return terms(c, 2); }
    double low(index c) const { return terms(c, 3); }
    double high(index c) const { return terms(c, 4); }
    double wall(index c) const { return reach * terms(c, 5); }

    /// Whether both ends move as one, so that the slowness is known.
    bool is_fixed(index c) const { return unknown[cells(c, 0)] == unknown[cells(c, 1)]; }

    void slowness(const std::vector<double> &x, std::vector<double> &u) const {
        for (index c = 0; c < cells.length(); ++c) {
            const index a = cells(c, 0), b = cells(c, 1);
            // Differences of unknowns first: times of long clips lose no digits.
            u[c] = ((x[unknown[b]] - x[unknown[a]]) + (offset[b] - offset[a])) / width(c);
        }
    }

    double error(const std::vector<double> &x, index p) const {
        const index a = points(p, 0), b = points(p, 1);
        const double share = wanted(p, 0);
        return (1 - share) * (x[unknown[a]] + offset[a]) + share * (x[unknown[b]] + offset[b]) -
               wanted(p, 1);
    }

    double objective(const std::vector<double> &x, const std::vector<double> &u) const {
        double out = 0.0;
        for (index c = 0; c < cells.length(); ++c) {
            if (is_fixed(c)) continue;
            const double below = u[c] - low(c), above = high(c) - u[c];
            if (!(below > 0.0 && above > 0.0)) return INFINITE;
            out += weight(c) * (u[c] * std::log(u[c]) - u[c]) - pull(c) * u[c] -
                   wall(c) * std::log(below * above);
        }
        for (index b = 0; b < bends.length(); ++b) {
            const double before = u[bends(b, 0)], after = u[bends(b, 1)];
            const double mean = 0.5 * (before + after), change = after - before;
            out += stiffness[b] * change * change / (mean * mean * mean);
        }
        for (index p = 0; p < points.length(); ++p) out += wanted(p, 2) * error(x, p) * error(x, p);
        return out;
    }
};

/// The gradient and the curvature of an objective.
class System {
  public:
    std::vector<double> slope;

    explicit System(const Problem &problem)
        : slope(problem.count),
          problem_(problem),
          matrix_(problem.count),
          along_(problem.cells.length()),
          own_(problem.cells.length()) {
        for (index c = 0; c < problem.cells.length(); ++c)
            couple({problem.cells(c, 0), problem.cells(c, 1)});
        for (index b = 0; b < problem.bends.length(); ++b) {
            const index c = problem.bends(b, 0), d = problem.bends(b, 1);
            couple({problem.cells(c, 0), problem.cells(c, 1), problem.cells(d, 0),
                    problem.cells(d, 1)});
        }
        for (index p = 0; p < problem.points.length(); ++p)
            couple({problem.points(p, 0), problem.points(p, 1)});
        matrix_.allocate();
    }

    /// Find the step of Newton's method, or of Gauss and Newton's where that does not descend.
    bool step(const std::vector<double> &x, const std::vector<double> &u,
              std::vector<double> &move) {
        for (const bool exact : {true, false}) {
            fill(x, u, exact);
            if (!matrix_.factor()) continue;
            for (index i = 0; i < problem_.count; ++i) move[i] = -slope[i];
            matrix_.solve(move);
            return true;
        }
        return false;
    }

  private:
    const Problem &problem_;
    Envelope matrix_;
    /// Slope and curvature of the objective along each cell's slowness.
    std::vector<double> along_, own_;

    void couple(std::initializer_list<index> nodes) {
        for (index a : nodes)
            for (index b : nodes) {
                const index i = problem_.unknown[a], j = problem_.unknown[b];
                if (i < problem_.count && j < problem_.count) matrix_.couple(i, j);
            }
    }

    void fill(const std::vector<double> &x, const std::vector<double> &u, bool exact) {
        matrix_.clear();
        std::fill(slope.begin(), slope.end(), 0.0);
        for (index c = 0; c < problem_.cells.length(); ++c) set_cell(c, u[c]);
        for (index b = 0; b < problem_.bends.length(); ++b) add_bend(b, u, exact);
        for (index c = 0; c < problem_.cells.length(); ++c) {
            if (problem_.is_fixed(c)) continue;
            const double by = 1 / problem_.width(c);
            const index a = problem_.cells(c, 0), b = problem_.cells(c, 1);
            add_slope(a, -by * along_[c]);
            add_slope(b, by * along_[c]);
            add_square(a, b, -by, by, own_[c]);
        }
        for (index p = 0; p < problem_.points.length(); ++p) {
            const double share = problem_.wanted(p, 0), weight = 2 * problem_.wanted(p, 2);
            const double error = problem_.error(x, p);
            const index a = problem_.points(p, 0), b = problem_.points(p, 1);
            add_slope(a, (1 - share) * weight * error);
            add_slope(b, share * weight * error);
            add_square(a, b, 1 - share, share, weight);
        }
    }

    void set_cell(index c, double u) {
        if (problem_.is_fixed(c)) return;
        const double below = u - problem_.low(c), above = problem_.high(c) - u;
        const double wall = problem_.wall(c), weight = problem_.weight(c);
        along_[c] = weight * std::log(u) - problem_.pull(c) - wall / below + wall / above;
        own_[c] = weight / u + wall / (below * below) + wall / (above * above);
    }

    /// Add stiffness d^2 m^-3, of the difference d and the mean m of two slownesses.
    ///
    /// Its exact curvature may be negative; that of the square (d m^-3/2)^2 after Gauss is not.
    void add_bend(index b, const std::vector<double> &u, bool exact) {
        const index c = problem_.bends(b, 0), d = problem_.bends(b, 1);
        const double mean = 0.5 * (u[c] + u[d]), lean = (u[d] - u[c]) / mean;
        const double unit = problem_.stiffness[b] / (mean * mean * mean);
        const double by_difference = 2 * unit * lean * mean,
                     by_mean = -3 * unit * lean * lean * mean;
        const double both = 2 * unit, mixed = (exact ? -6 : -3) * unit * lean;
        const double quarter = (exact ? 3.0 : 1.125) * unit * lean * lean;
        along_[c] += 0.5 * by_mean - by_difference;
        along_[d] += 0.5 * by_mean + by_difference;
        own_[c] += both - mixed + quarter;
        own_[d] += both + mixed + quarter;
        const double cross = (quarter - both) / (problem_.width(c) * problem_.width(d));
        for (int k = 0; k < 2; ++k)
            for (int l = 0; l < 2; ++l)
                add_product(problem_.cells(c, k), problem_.cells(d, l), k == l ? cross : -cross);
    }

    void add_slope(index node, double value) {
        const index i = problem_.unknown[node];
        if (i < problem_.count) slope[i] += value;
    }

    /// Add the curvature of a product of two nodes' times.
    void add_product(index a, index b, double value) {
        const index i = problem_.unknown[a], j = problem_.unknown[b];
        if (i < problem_.count && j < problem_.count) matrix_.add(i, j, i == j ? 2 * value : value);
    }

    /// Add the curvature of half the square of a sum of two nodes' times.
    void add_square(index a, index b, double by_a, double by_b, double value) {
        const index i = problem_.unknown[a], j = problem_.unknown[b];
        if (i < problem_.count) matrix_.add(i, i, value * by_a * by_a);
        if (j < problem_.count) matrix_.add(j, j, value * by_b * by_b);
        add_product(a, b, value * by_a * by_b);
    }
};

/// Return the largest share of a move that stays within the limits of speed.
double room(const Problem &problem, const std::vector<double> &u, const std::vector<double> &du) {
    double share = 1.0;
    for (index c = 0; c < problem.cells.length(); ++c) {
        if (problem.is_fixed(c) || du[c] == 0.0) continue;
        const double way = du[c] < 0 ? problem.low(c) - u[c] : problem.high(c) - u[c];
        share = std::min(share, NEAREST * way / du[c]);
    }
    return share;
}

}  // namespace

std::pair<Array<double, 1>, std::int64_t> solve(
    View<const double, 1> start, View<const std::int64_t, 1> unknown, View<const double, 1> offset,
    View<const std::int64_t, 2> cells, View<const double, 2> terms,
    View<const std::int64_t, 2> bends, View<const double, 1> stiffness,
    View<const std::int64_t, 2> points, View<const double, 2> wanted, std::int64_t most_steps) {
    const index count = start.length();
    Problem problem{unknown, offset, cells, terms, bends, stiffness, points, wanted, count};
    std::vector<double> x(start.begin(), start.end()), move(count), next(count + 1);
    x.push_back(0.0);  // the last unknown is known: nodes at given times are offsets from it
    std::vector<double> u(cells.length()), du(cells.length()), next_u(cells.length());
    System system(problem);
    problem.slowness(x, u);
    double now = problem.objective(x, u);
    std::int64_t steps = 0;
    while (steps < most_steps && std::isfinite(now)) {
        ++steps;
        if (!system.step(x, u, move)) break;
        double fall = 0.0, largest = 0.0;
        for (index i = 0; i < count; ++i) fall += system.slope[i] * move[i];
        for (index i = 0; i < count; ++i) next[i] = x[i] + move[i];
        next[count] = 0.0;
        problem.slowness(next, next_u);
        for (index c = 0; c < cells.length(); ++c) {
            du[c] = next_u[c] - u[c];
            largest = std::max(largest, std::abs(du[c]));
        }
        double share = room(problem, u, du), then = INFINITE;
        for (; share > SHORTEST; share /= 2) {
            for (index i = 0; i < count; ++i) next[i] = x[i] + share * move[i];
            problem.slowness(next, next_u);
            then = problem.objective(next, next_u);
            if (then <= now + SUFFICIENT * share * fall + ROUNDING * std::abs(now)) break;
        }
        if (share <= SHORTEST) break;
        x.swap(next);
        u.swap(next_u);
        now = then;
        if (problem.reach > 1.0) {
            if (share < FREE) continue;
            problem.reach = std::max(problem.reach * NEARER, 1.0);
            now = problem.objective(x, u);
        } else if (share * largest < ENOUGH) {
            break;
        }
    }
    Array<double, 1> out(unknown.length());
    for (index k = 0; k < unknown.length(); ++k) out[k] = x[unknown[k]] + offset[k];
    return {std::move(out), steps};
}

void bind(nanobind::module_ &m) {
    define(
        m, "solve", solve,
        "start[V] unknown[N]:0..V+1 offset[N] cells[C,2]:0..N terms[C,6] bends[B,2]:0..C "
        "stiffness[B] points[P,2]:0..N wanted[P,3] most_steps",
        "Return the output times (N,) of nodes that minimise the objective, and the steps made.\n\n"
        "Node k is at `x[unknown[k]] + offset[k]`; an unknown of V is time 0. `terms` are width,\n"
        "weight, pull, low, high and wall of each cell; `wanted` are share, target and weight of\n"
        "each point. The start must be within the limits.");
}

}  // namespace retime::pacing
