// Joints at times of their own: how far they may be apart, and the nearest shifts within that.
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
                              double plant, std::int64_t most, bool loop) {
    const index count = above.shape[0];
    Array<double, 2> out(2, count);
    for (int way = 0; way < 2; ++way)
        for (index f = 0; f < count; ++f) {
            index room = 0;
            for (bool free = true; free && room < most;) {
                const index then = later(f, (way ? 1 : -1) * (room + 1), count, loop);
                const bool sinks = above(f, 1) + offset(then, 1) < floor - sink;
                const bool slips =
                    resting[f] > 0 && away(offset[then].data, offset[f].data) > plant;
                free = !sinks && !slips;
                if (free) ++room;
            }
            out(way, f) = static_cast<double>(room);
        }
    return out;
}

namespace {

constexpr int NEWTON = 60;       // Steps at most.
constexpr double FIRST = 1e-2;   // Weight of the barrier at first,
constexpr double LAST = 1e-9;    // and at last.
constexpr double NEARER = 0.15;  // Its decrease after a full step.
constexpr double INSIDE = 0.98;  // Share of the way to a bound that a step may go.
constexpr double FREE = 0.5;     // Share of a step from which bounds were not in its way.
constexpr double HELD = 1e12;    // Weight of a fixed value.

/// A bound on a linear form of one, two or three neighbouring values.
struct Form {
    int length;
    double by[3];
};

constexpr Form FORMS[] = {{1, {1, 0, 0}}, {2, {-1, 1, 0}}, {3, {1, -2, 1}}};

/// The problem of `nearest_shift`: a projection, by a barrier along its central path.
class Projection {
  public:
    Projection(View<const double, 1> asked, View<const double, 1> weight,
               View<const double, 3> bounds, bool loop)
        : asked_(asked), weight_(weight), bounds_(bounds), loop_(loop), matrix_(asked.length()) {
        for (index i = 0; i < count(); ++i)
            for (index k = 1; k < 3; ++k)
                if (has(2, i)) matrix_.couple(at(i), at(i + k));
        for (index i = 0; i < count(); ++i)
            if (has(1, i)) matrix_.couple(at(i), at(i + 1));
        for (index i = 0; i < count(); ++i)
            if (has(2, i)) matrix_.couple(at(i + 1), at(i + 2));
        matrix_.allocate();
    }

    void solve(std::vector<double> &x) {
        std::vector<double> move(count());
        double barrier = FIRST;
        for (int step = 0; step < NEWTON; ++step) {
            fill(x, barrier, move);
            if (!matrix_.factor()) return;
            matrix_.solve(move);
            const double share = room(x, move);
            for (index i = 0; i < count(); ++i) x[i] += share * move[i];
            if (share < FREE) continue;
            if (barrier <= LAST) return;
            barrier = std::max(barrier * NEARER, LAST);
        }
    }

  private:
    View<const double, 1> asked_, weight_;
    View<const double, 3> bounds_;
    bool loop_;
    Envelope matrix_;

    index count() const { return asked_.length(); }
    index at(index i) const { return i < count() ? i : i - count(); }
    bool has(int form, index i) const { return loop_ || i + form < count(); }

    double value(const std::vector<double> &x, int form, index i) const {
        double out = 0.0;
        for (int k = 0; k < FORMS[form].length; ++k) out += FORMS[form].by[k] * x[at(i + k)];
        return out;
    }

    void fill(const std::vector<double> &x, double barrier, std::vector<double> &move) {
        matrix_.clear();
        for (index i = 0; i < count(); ++i) {
            matrix_.add(i, i, 2 * weight_[i]);
            move[i] = -2 * weight_[i] * (x[i] - asked_[i]);
            if (weight_[i] >= HELD) move[i] = 0.0;
        }
        for (int form = 0; form < 3; ++form)
            for (index i = 0; i < count(); ++i) {
                if (!has(form, i)) continue;
                const double now = value(x, form, i);
                const double below = now - bounds_(form, 0, i), above = bounds_(form, 1, i) - now;
                const double slope = barrier * (1 / below - 1 / above);
                const double bend = barrier * (1 / (below * below) + 1 / (above * above));
                for (int k = 0; k < FORMS[form].length; ++k) {
                    const index a = at(i + k);
                    if (weight_[a] < HELD) move[a] += FORMS[form].by[k] * slope;
                    for (int l = 0; l < FORMS[form].length; ++l)
                        if (at(i + l) <= a)
                            matrix_.add(a, at(i + l), bend * FORMS[form].by[k] * FORMS[form].by[l]);
                }
            }
    }

    double room(const std::vector<double> &x, const std::vector<double> &move) const {
        double share = 1.0;
        for (int form = 0; form < 3; ++form)
            for (index i = 0; i < count(); ++i) {
                if (!has(form, i)) continue;
                const double now = value(x, form, i), by = value(move, form, i);
                if (by == 0.0) continue;
                const double way = by < 0 ? bounds_(form, 0, i) - now : bounds_(form, 1, i) - now;
                share = std::min(share, INSIDE * way / by);
            }
        return share;
    }
};

}  // namespace

Array<double, 1> nearest_shift(View<const double, 1> asked, View<const double, 1> weight,
                               View<const double, 1> start, View<const double, 3> bounds,
                               bool loop) {
    std::vector<double> x(start.begin(), start.end());
    Projection(asked, weight, bounds, loop).solve(x);
    Array<double, 1> out(asked.length());
    std::copy(x.begin(), x.end(), out.begin());
    return out;
}

void bind(nanobind::module_ &m) {
    define(m, "rooms", rooms, "tracks[K,F,3] others[K,F,3] limits[K] most:0..1000000 loop",
           "Return by how many frames earlier and later (2, F) tracks stay within limits.\n\n"
           "Track k at another frame is compared with `others` k at the frame itself.");
    define(m, "ground_rooms", ground_rooms,
           "above[F,3] offset[F,3] resting[F] floor sink plant most:0..1000000 loop",
           "Return by how many frames earlier and later (2, F) a part stays above the floor.\n\n"
           "It is at `offset` from a point `above`; where it rests, it stays within `plant`.");
    define(
        m, "nearest_shift", nearest_shift, "asked[N] weight[N] start[N] bounds[3,2,N] loop",
        "Return the values (N,) nearest to what is asked, by weighted squares, within bounds.\n\n"
        "`bounds` are the lowest and highest values, differences of two neighbours and second\n"
        "differences of three. The start must be within them. A weight of 1e12 fixes a value.");
}

}  // namespace retime::joint_times
