// Joints at times of their own: how far they may be apart, and the nearest shifts within that.
#include <array>

#include "envelope.hpp"
#include "modules.hpp"

namespace retime::joint_times {

namespace {

/// The frame that is `steps` later: held at the ends, or going round.
index later(index frame, index steps, index count, bool loop) {
    const index then = frame + steps;
    return loop ? ((then % count) + count) % count : std::clamp<index>(then, 0, count - 1);
}

double away(const double *a, const double *b) {
    const double x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2];
    return std::sqrt(x * x + y * y + z * z);
}

}  // namespace

Array<double, 2> rooms(View<const double, 3> tracks, View<const double, 3> others,
                       View<const double, 1> limits, std::int64_t most, bool loop) {
    const index count = tracks.shape[1];
    Array<double, 2> out(2, count);
    for (int way = 0; way < 2; ++way)
        for (index f = 0; f < count; ++f) {
            index room = 0;
            for (bool free = true; free && room < most;) {
                const index then = later(f, (way ? 1 : -1) * (room + 1), count, loop);
                for (index k = 0; free && k < tracks.shape[0]; ++k)
                    free = away(tracks[k][then].data, others[k][f].data) <= limits[k];
                if (free) ++room;
            }
            out(way, f) = static_cast<double>(room);
        }
    return out;
}

Array<double, 2> ground_rooms(View<const double, 2> above, View<const double, 2> offset,
                              View<const double, 1> resting, double floor, double sink,
                              double plant, double stray, std::int64_t most, bool loop) {
    const index count = above.shape[0];
    Array<double, 2> out(2, count);
    for (int way = 0; way < 2; ++way)
        for (index f = 0; f < count; ++f) {
            index room = 0;
            for (bool free = true; free && room < most;) {
                const index then = later(f, (way ? 1 : -1) * (room + 1), count, loop);
                const double way = away(offset[then].data, offset[f].data);
                const bool sinks = above(f, 1) + offset(then, 1) < floor - sink + stray * way;
                const bool slips = resting[f] > 0 && way > plant;
                free = !sinks && !slips;
                if (free) ++room;
            }
            out(way, f) = static_cast<double>(room);
        }
    return out;
}

namespace {

constexpr int STEPS = 40;         // Steps at most; 8 to 15 are usual.
constexpr double UNIT = 0.1;      // Seconds of shift that the solver counts as one.
constexpr double ROOM = 1e-7;     // Room beyond each bound, so that closed ones have an inside.
constexpr double SLACK = 0.05;    // Least distance from a bound at the start.
constexpr double CLOSE = 1e-12;   // Mean product of slacks and multipliers at the end.
constexpr int POINT = 4;          // Values that a point of the curve depends on.
constexpr double INSIDE = 0.995;  // Share of the way to a bound that a step may go.

/// A bound on a linear form of one, two or three neighbouring values.
struct Form {
    index first;
    int length;
    double by[3], low, high;
};

/// A projection within bounds, by a primal-dual interior point method (Mehrotra 1992).
class Projection {
  public:
    Projection(double step, View<const double, 1> asked, View<const double, 1> weight,
               View<const std::int64_t, 1> first, View<const double, 2> by,
               View<const double, 1> wanted, View<const double, 2> values,
               View<const double, 2> slopes, double bend, double stiffness, bool loop)
        : asked_(asked),
          weight_(weight),
          first_(first),
          by_points_(by),
          wanted_(wanted),
          loop_(loop),
          matrix_(asked.length()) {
        for (index i = 0; i < count(); ++i)
            add(i, 1, {1, 0, 0}, values(0, i) / UNIT, values(1, i) / UNIT);
        const double slope = UNIT / step, second = UNIT / (step * step * bend);
        for (index i = 0; i < (loop ? count() : count() - 1); ++i)
            add(i, 2, {-slope, slope, 0}, slopes(0, i), slopes(1, i));
        const std::size_t bends = forms_.size();
        for (index i = 0; i < (loop ? count() : count() - 2); ++i)
            add(i, 3, {second, -2 * second, second}, -1, 1);
        for (const Form &f : forms_)
            for (int k = 0; k < f.length; ++k)
                for (int l = 0; l < k; ++l) matrix_.couple(at(f.first + k), at(f.first + l));
        for (index i : first_)
            for (int k = 0; k < POINT; ++k)
                for (int l = 0; l < k; ++l) matrix_.couple(at(i + k), at(i + l));
        matrix_.allocate();
        stiff_.assign(forms_.size(), 0.0);
        for (std::size_t r = bends; r < forms_.size(); ++r)
            stiff_[r] = stiffness * step * bend * bend / (UNIT * UNIT);
    }

    /// Return the values nearest to what is asked; those that `x` holds are a first guess.
    void solve(std::vector<double> &x) {
        for (double &value : x) value /= UNIT;
        const std::size_t rows = forms_.size();
        for (int side = 0; side < 2; ++side) {
            slack_[side].resize(rows), force_[side].resize(rows), aim_[side].resize(rows);
            for (std::size_t r = 0; r < rows; ++r) {
                slack_[side][r] = std::max(inside(x, r, side), SLACK);
                force_[side][r] = SLACK / slack_[side][r];
            }
        }
        std::vector<double> move(count());
        for (int step = 0; step < STEPS; ++step) {
            const double mean = product(0.0);
            double off = 0.0;
            for (std::size_t r = 0; r < rows; ++r)
                for (int side = 0; side < 2; ++side)
                    off = std::max(off, std::abs(inside(x, r, side) - slack_[side][r]));
            if (mean < CLOSE && off < CLOSE) break;
            if (!factor()) break;
            // The step that aims at no distance at all tells how near to aim for.
            for (int side = 0; side < 2; ++side)
                for (std::size_t r = 0; r < rows; ++r)
                    aim_[side][r] = -slack_[side][r] * force_[side][r];
            direction(x, move);
            const double free = std::min(1.0, room());
            const double nearer = std::pow(product(free) / mean, 3);
            for (int side = 0; side < 2; ++side)
                for (std::size_t r = 0; r < rows; ++r)
                    aim_[side][r] += nearer * mean - by_[side][r] * force_by_[side][r];
            direction(x, move);
            const double share = std::min(1.0, INSIDE * room());
            for (index i = 0; i < count(); ++i) x[i] += share * move[i];
            for (int side = 0; side < 2; ++side)
                for (std::size_t r = 0; r < rows; ++r) {
                    slack_[side][r] += share * by_[side][r];
                    force_[side][r] += share * force_by_[side][r];
                }
        }
        for (double &value : x) value *= UNIT;
    }

  private:
    View<const double, 1> asked_, weight_;
    View<const std::int64_t, 1> first_;
    View<const double, 2> by_points_;
    View<const double, 1> wanted_;
    bool loop_;
    Envelope matrix_;
    std::vector<Form> forms_;
    std::vector<double> stiff_;  // weight of the square of each form
    // Of the lower and the upper bound of each form: distance, multiplier, and what they change by.
    std::vector<double> slack_[2], force_[2], aim_[2], by_[2], force_by_[2];

    index count() const { return asked_.length(); }
    index at(index i) const { return i < count() ? i : i - count(); }

    void add(index first, int length, std::array<double, 3> by, double low, double high) {
        forms_.push_back({first, length, {by[0], by[1], by[2]}, low - ROOM, high + ROOM});
    }

    double value(const std::vector<double> &x, const Form &f) const {
        double out = 0.0;
        for (int k = 0; k < f.length; ++k) out += f.by[k] * x[at(f.first + k)];
        return out;
    }

    double inside(const std::vector<double> &x, std::size_t r, int side) const {
        const double now = value(x, forms_[r]);
        return side ? forms_[r].high - now : now - forms_[r].low;
    }

    double product(double share) const {
        double sum = 0.0;
        for (int side = 0; side < 2; ++side)
            for (std::size_t r = 0; r < forms_.size(); ++r) {
                const double s = share ? share * by_[side][r] : 0.0;
                const double z = share ? share * force_by_[side][r] : 0.0;
                sum += (slack_[side][r] + s) * (force_[side][r] + z);
            }
        return sum / static_cast<double>(2 * forms_.size());
    }

    bool factor() {
        matrix_.clear();
        for (index i = 0; i < count(); ++i) matrix_.add(i, i, weight_[i]);
        for (index r = 0; r < first_.length(); ++r)
            for (int k = 0; k < POINT; ++k)
                for (int l = 0; l <= k; ++l)
                    matrix_.add(at(first_[r] + k), at(first_[r] + l),
                                by_points_(r, k) * by_points_(r, l));
        for (std::size_t r = 0; r < forms_.size(); ++r) {
            const Form &f = forms_[r];
            const double stiff =
                stiff_[r] + force_[0][r] / slack_[0][r] + force_[1][r] / slack_[1][r];
            for (int k = 0; k < f.length; ++k)
                for (int l = 0; l < f.length; ++l)
                    if (at(f.first + l) <= at(f.first + k))
                        matrix_.add(at(f.first + k), at(f.first + l), stiff * f.by[k] * f.by[l]);
        }
        return matrix_.factor();
    }

    void direction(const std::vector<double> &x, std::vector<double> &move) {
        for (index i = 0; i < count(); ++i) move[i] = weight_[i] * (asked_[i] / UNIT - x[i]);
        for (index r = 0; r < first_.length(); ++r) {
            double off = wanted_[r] / UNIT;
            for (int k = 0; k < POINT; ++k) off -= by_points_(r, k) * x[at(first_[r] + k)];
            for (int k = 0; k < POINT; ++k) move[at(first_[r] + k)] += by_points_(r, k) * off;
        }
        for (std::size_t r = 0; r < forms_.size(); ++r) {
            const Form &f = forms_[r];
            double pull = -stiff_[r] * value(x, f);
            for (int side = 0; side < 2; ++side) {
                const double s = slack_[side][r], z = force_[side][r];
                const double lack = inside(x, r, side) - s;
                pull += (side ? -1 : 1) * (z + (aim_[side][r] - z * lack) / s);
            }
            for (int k = 0; k < f.length; ++k) move[at(f.first + k)] += pull * f.by[k];
        }
        matrix_.solve(move);
        for (int side = 0; side < 2; ++side) {
            by_[side].resize(forms_.size()), force_by_[side].resize(forms_.size());
            for (std::size_t r = 0; r < forms_.size(); ++r) {
                const double s = slack_[side][r], z = force_[side][r];
                const double change = value(move, forms_[r]);
                by_[side][r] = (side ? -change : change) + inside(x, r, side) - s;
                force_by_[side][r] = (aim_[side][r] - z * by_[side][r]) / s;
            }
        }
    }

    /// Return the share of the step that keeps all slacks and multipliers above 0.
    double room() const {
        double share = 1.0 / INSIDE;
        for (int side = 0; side < 2; ++side)
            for (std::size_t r = 0; r < forms_.size(); ++r) {
                if (by_[side][r] < 0) share = std::min(share, -slack_[side][r] / by_[side][r]);
                if (force_by_[side][r] < 0)
                    share = std::min(share, -force_[side][r] / force_by_[side][r]);
            }
        return share;
    }
};

}  // namespace

Array<double, 1> nearest_shift(double step, View<const double, 1> asked,
                               View<const double, 1> weight, View<const std::int64_t, 1> first,
                               View<const double, 2> by, View<const double, 1> wanted,
                               View<const double, 2> values, View<const double, 2> slopes,
                               double bend, double stiffness, bool loop) {
    if (asked.length() < POINT)
        throw std::invalid_argument("nearest_shift: there must be at least 4 values");
    std::vector<double> x(asked.length(), 0.0);
    Projection(step, asked, weight, first, by, wanted, values, slopes, bend, stiffness, loop)
        .solve(x);
    return copied(x);
}

std::pair<Array<std::int64_t, 1>, Array<double, 2>> curve_points(View<const double, 1> times,
                                                                 double start, double step,
                                                                 std::int64_t count, bool loop) {
    if (count < POINT || !(step > 0.0))
        throw std::invalid_argument("curve_points: a curve has 4 values or more, a step apart");
    const index total = times.length();
    const double cells = static_cast<double>(loop ? count : count - 1);
    Array<std::int64_t, 1> first(total);
    Array<double, 2> by(total, POINT);
    for (index n = 0; n < total; ++n) {
        double place = (times[n] - start) / step;
        if (!std::isfinite(place)) throw std::invalid_argument("curve_points: times are finite");
        place = loop ? place - cells * std::floor(place / cells) : std::clamp(place, 0.0, cells);
        const double k = std::min(std::floor(place), cells - 1);
        const double u = place - k, v = 1 - u;
        const double before = -0.5 * u * v * v, after = -0.5 * u * u * v;
        const double low = v * v * (1 + 2 * u) - after, high = u * u * (1 + 2 * v) - before;
        index from = static_cast<index>(k) - 1;
        std::array<double, POINT> share = {before, low, high, after};
        // At the ends the slope is 0: the value beyond is that on the other side.
        if (loop)
            from = (from + count) % count;
        else if (from < 0) {
            share = {low, high + before, after, 0.0};
            from = 0;
        } else if (from > count - POINT) {
            share = {0.0, before, low + after, high};
            from = count - POINT;
        }
        first[n] = from;
        std::copy(share.begin(), share.end(), by[n].data);
    }
    return {std::move(first), std::move(by)};
}

void bind(nanobind::module_ &m) {
    define(m, "rooms", rooms, "tracks[K,F,3] others[K,F,3] limits[K] most:0..1000000 loop",
           "Return by how many frames earlier and later (2, F) tracks stay within limits.\n\n"
           "Track k at another frame is compared with `others` k at the frame itself.");
    define(m, "ground_rooms", ground_rooms,
           "above[F,3] offset[F,3] resting[F] floor sink plant stray most:0..1000000 loop",
           "Return by how many frames earlier and later (2, F) a part stays above the floor.\n\n"
           "It is at `offset` from a point `above`; where it rests, it stays within `plant`.\n"
           "It may be off by `stray` times its way between two frames.");
    define(m, "curve_points", curve_points, "times[M] start step count:4..1000000000 loop",
           "Return the first of the four values of points of a curve, (M,), and weights (M, 4).\n\n"
           "The curve has `count` values, and slopes of parabolas through three (Catmull, Rom).");
    define(
        m, "nearest_shift", nearest_shift,
        "step asked[N] weight[N] first[R]:0..N by[R,4] wanted[R] values[2,N] slopes[2,N] "
        "bend stiffness loop",
        "Return the values (N,), one each step, nearest to what is asked, by squares.\n\n"
        "What is asked are the values themselves, with weights, and points of the curve, each a\n"
        "sum of four values from `first` on. `values` and `slopes` are the lowest and highest\n"
        "of each value and of the slope after it; second derivatives are at most `bend`.\n"
        "`stiffness` times the integral of their square is added.");
}

}  // namespace retime::joint_times
