// Loops of the filter for copies over a grid of (place in the recording, rate).
#include "live_belief.hpp"

#include "modules.hpp"

namespace retime::live_belief {

namespace {

using namespace live;

// Smaller beliefs are set to 0.
constexpr double NONE = 1e-9;
// Less than this more belief elsewhere is a rounding error.
constexpr double MORE = 1 + 1e-9;

void clear(View<double, 1> row) { std::fill(row.begin(), row.end(), 0.0); }

/// Return the first place with belief, and the one past the last.
std::pair<index, index> believed(View<const double, 2> belief) {
    const auto some = [](double value) { return value >= NONE; };
    const auto any = [&](index i) { return std::any_of(belief[i].begin(), belief[i].end(), some); };
    index low = 0, high = belief.length();
    while (low < high && !any(low)) ++low;
    while (high > low && !any(high - 1)) --high;
    return {low, high};
}

/// Divide belief by its sum. Places that were left out have none.
void normalise(Belief belief, const std::vector<char> &counts, double total) {
    for (index i = 0; i < belief.length(); ++i) {
        if (!counts[i]) continue;
        for (double &value : belief[i]) value /= total;
    }
}

/// Sum belief over rates.
Array<double, 1> by_place(View<const double, 2> belief) {
    Array<double, 1> out(belief.length());
    for (index i = 0; i < belief.length(); ++i) out[i] = sum(belief[i]);
    return out;
}

}  // namespace

void move_belief(Belief belief, Numbers rates, double cells, double drift, double stop, double go,
                 Numbers going) {
    const index count = belief.shape[0], speeds = belief.shape[1], last = count - 1;
    const std::vector<Way> ways = ways_of(rates, cells, count);
    Array<double, 2> moved = filled(0.0, count, speeds);
    std::vector<double> total(count);
    const auto [low, high] = believed(belief);
    for (index k = 0; k < speeds; ++k)
        for (index i = low; i < high; ++i) {
            const double b = belief(i, k);
            if (b < NONE) continue;
            const index j = i + ways[k].whole;
            if (j >= last) {
                moved(last, k) += b;
                total[last] += b;
                continue;
            }
            const double part = ways[k].part, here = b * (1 - part), next = b * part;
            moved(j, k) += here;
            moved(j + 1, k) += next;
            total[j] += here;
            total[j + 1] += next;
        }
    const Changes changes{drift, stop, go, going};
    for (index i = 0; i < count; ++i) {
        if (total[i] < NONE)
            clear(belief[i]);
        else
            changes.apply(moved[i].data, total[i], 1.0, 0.0, belief[i].data);
    }
}

bool weigh_copy(Belief belief, Poses path, Numbers spread, Pose pose, Mask visible, double weight) {
    const index places = belief.length();
    const double seen = count(visible);
    std::vector<double> cost(places, FAR);
    double least = FAR;
    for (index i = 0; i < places; ++i) {
        if (sum(belief[i]) < NONE) continue;
        const Recorded recorded{path[i]};
        const Fit place = fit(recorded, pose, visible);
        double square = 0.0;
        for (index j = 0; j < visible.length(); ++j) {
            if (!visible[j]) continue;
            const Vector off = recorded.off(place(joint(pose, j)), j);
            square += dot(off, off);
        }
        cost[i] = weight * (square / spread[i] + seen * std::log(spread[i]));
        least = std::min(least, cost[i]);
    }
    std::vector<char> counts(places);
    double left = 0.0;
    for (index i = 0; i < places; ++i) {
        counts[i] = cost[i] < FAR;
        if (!counts[i]) {
            clear(belief[i]);
            continue;
        }
        const double share = std::exp(-std::min(cost[i] - least, 700.0));
        for (double &value : belief[i]) {
            value *= share;
            left += value;
        }
    }
    if (!(left > 0)) return false;
    normalise(belief, counts, left);
    return true;
}

std::tuple<Array<double, 1>, double, double, std::int64_t, double, double> moments(
    View<const double, 2> belief, Numbers rates) {
    check_rates(rates);
    Array<double, 1> at = by_place(belief);
    double mean = 0.0, rate = 0.0, still = 0.0, strongest = 0.0, variance = 0.0;
    index mode = 0;
    for (index i = 0; i < at.length(); ++i) {
        if (at[i] == 0.0) continue;
        for (index k = 0; k < rates.length(); ++k) rate += rates[k] * belief(i, k);
        still += belief(i, 0);
        mean += i * at[i];
        if (at[i] > strongest * MORE) {
            strongest = at[i];
            mode = i;
        }
    }
    for (index i = 0; i < at.length(); ++i) variance += at[i] * ((i - mean) * (i - mean));
    return {std::move(at), mean, variance, mode, rate, still};
}

void bind(nanobind::module_ &m) {
    define(m, "move_belief", move_belief, "belief[N,K] rates[K] cells drift stop go going[K]",
           "Move belief (N, K) on by one step: at each rate, with drift of the rate and stops.\n\n"
           "`cells` is how many places rate 1 passes; `drift` the share that changes to the next\n"
           "rate, `stop` and `go` those that stop and start; `going` (K,) the rates that start.");
    define(m, "weigh_copy", weigh_copy,
           "belief[N,K] path[N,J,3] spread[N] pose[J,3] visible[J] weight",
           "Multiply belief by how well a pose fits each place of the recording, Gaussian.\n\n"
           "`spread` (N,) is the variance of a joint's distance there; `weight` tempers the\n"
           "evidence, for errors of successive poses go together. Returns whether anything is "
           "left.");
    define(m, "moments", moments, "belief[N,K] rates[K]",
           "Return belief by place (N,), mean and variance of place, mode, rate and stillness.");
}

}  // namespace retime::live_belief
