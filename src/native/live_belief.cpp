// Loops of the filters for copies and takes over a grid of (place in the recording, rate).
#include "live_belief.hpp"

#include "modules.hpp"

namespace retime::live_belief {

namespace {

using namespace live;

// Smaller beliefs are set to 0.
constexpr double NONE = 1e-9;
// Less than this more belief elsewhere is a rounding error.
constexpr double MORE = 1 + 1e-9;

/// The way of jumps along the recording.
enum Jump { ON, BACK, FAR_ON, JUMPS };

/// Return the belief that jumps to each place.
Array<double, 1> landings(const std::vector<double> &total, Numbers jump,
                          View<const double, 2> decay, View<const double, 2> reach, Numbers fresh) {
    const index count = decay.length();
    Array<double, 1> out = filled(0.0, count);
    double on = 0.0, far = 0.0, back = 0.0;
    for (index i = 1, j = count - 2; i < count; ++i, --j) {  // both ways at once: faster
        on = decay(i, ON) * (on + jump[ON] * total[i - 1] / reach(i - 1, ON));
        far = decay(i, FAR_ON) * (far + jump[FAR_ON] * total[i - 1] / reach(i - 1, FAR_ON));
        back = decay(j + 1, BACK) * (back + jump[BACK] * total[j + 1] / reach(j + 1, BACK));
        out[i] += on + far * fresh[i];
        out[j] += back;
    }
    return out;
}

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

/// A sum of logarithms; it takes few of them.
class Logarithms {
  public:
    void add(double factor) {
        product_ *= factor;
        if (product_ > 1e200) {
            sum_ += std::log(product_);
            product_ = 1.0;
        }
    }

    double sum() const { return sum_ + std::log(product_); }

  private:
    double product_ = 1.0, sum_ = 0.0;
};

/// Recorded velocities without the common travel and turn of the joints visible.
class OwnMotion {
  public:
    OwnMotion(Pose path, Pose motion, Mask moving) : path_(path), motion_(motion) {
        double seen = 0.0;
        for (index j = 0; j < moving.length(); ++j) {
            if (!moving[j]) continue;
            middle_ = middle_ + level(path, j);
            travel_ = travel_ + level(motion, j);
            seen += 1.0;
        }
        middle_ = {middle_.x / seen, 0.0, middle_.z / seen};
        travel_ = {travel_.x / seen, 0.0, travel_.z / seen};
        double arm = 0.0;
        for (index j = 0; j < moving.length(); ++j) {
            if (!moving[j]) continue;
            const Vector place = joint(path, j) - middle_, speed = joint(motion, j) - travel_;
            turn_ += place.x * speed.z - place.z * speed.x;
            arm += place.x * place.x + place.z * place.z;
        }
        turn_ = arm > 0 ? turn_ / arm : 0.0;
    }

    Vector operator()(index j) const {
        const Vector place = joint(path_, j) - middle_, speed = joint(motion_, j) - travel_;
        return {speed.x + turn_ * place.z, speed.y, speed.z - turn_ * place.x};
    }

  private:
    static Vector level(Pose of, index j) { return {of(j, 0), 0.0, of(j, 2)}; }

    Pose path_, motion_;
    Vector middle_ = {0.0, 0.0, 0.0}, travel_ = {0.0, 0.0, 0.0};
    double turn_ = 0.0;
};

/// Compare live velocities with recorded ones, `motion(j)`.
template <class Motion>
Speeds compare(Motion motion, Turn turn, Pose velocity, Mask moving, double relative2,
               double floor2) {
    Speeds out;
    for (index j = 0; j < moving.length(); ++j) {
        if (!moving[j]) continue;
        const Vector live = turn(joint(velocity, j)), recorded = motion(j);
        const double live2 = dot(live, live), recorded2 = dot(recorded, recorded);
        out.add(live, live2, recorded, recorded2, 1.0 / (floor2 + relative2 * (live2 + recorded2)));
    }
    return out;
}

/// Divide belief by its sum. Places that were left out have none.
void normalise(Belief belief, const std::vector<char> &counts, double total) {
    for (index i = 0; i < belief.length(); ++i) {
        if (!counts[i]) continue;
        for (double &value : belief[i]) value /= total;
    }
}

/// How well the poses and motions of another take fit a live pose and its motion.
struct Take {
    Poses path, motion;
    Numbers tolerance;
    Pose bias, pose;
    Mask visible;
    Pose velocity;
    Mask moving;
    double pose_tail, motion_tail, relative2, floor2;
    index known;  ///< How many joints are compared in motion.

    /// Return what the pose costs at a place, by the logarithms of a heavy tail.
    double of_pose(Biased recorded, const Fit &place) const {
        Logarithms out;
        for (index j = 0; j < visible.length(); ++j) {
            if (!visible[j]) continue;
            const Vector off = recorded.off(place(joint(pose, j)), j);
            out.add(1.0 + dot(off, off) / (pose_tail * tolerance[j]));
        }
        return out.sum();
    }

    Speeds speeds(index place, Turn turn) const {
        const auto with = [&](auto recorded) {
            return compare(recorded, turn, velocity, moving, relative2, floor2);
        };
        if (known == moving.length()) return with(Recorded{motion[place]});
        return with(OwnMotion(path[place], motion[place], moving));
    }

    double of_motion(const Speeds &speeds, double rate) const {
        return std::log(1.0 + speeds.off(rate) / (known * motion_tail));
    }
};

/// Multiply belief by what it costs; return all that is left, and what would be at rate 0.
std::pair<double, double> weigh(Belief belief, const Array<double, 2> &cost, double least,
                                std::vector<char> &counts) {
    double left = 0.0, rest = 0.0;
    for (index i = 0; i < belief.length(); ++i) {
        if (!counts[i]) continue;
        const double still = std::exp(least - cost(i, 0));
        for (index k = 0; k < belief.shape[1]; ++k) {
            double &value = belief(i, k);
            if (!(value > NONE)) {
                value = 0.0;
                continue;
            }
            rest += value * still;
            value *= k == 0 ? still : std::exp(least - cost(i, k));
            left += value;
        }
    }
    return {left, rest};
}

/// Sum belief over rates.
Array<double, 1> by_place(View<const double, 2> belief) {
    Array<double, 1> out(belief.length());
    for (index i = 0; i < belief.length(); ++i) out[i] = sum(belief[i]);
    return out;
}

}  // namespace

void move_belief(Belief belief, Numbers rates, double cells, double drift, double stop, double go,
                 Numbers going, Numbers jump, View<const double, 2> decay,
                 View<const double, 2> reach, Numbers fresh) {
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
    const double stay = 1.0 - jump[ON] - jump[BACK] - jump[FAR_ON];
    const Array<double, 1> landed =
        stay < 1.0 ? landings(total, jump, decay, reach, fresh) : filled(0.0, count);
    const Changes changes{drift, stop, go, going};
    for (index i = 0; i < count; ++i) {
        if (total[i] + landed[i] < NONE)
            clear(belief[i]);
        else
            changes.apply(moved[i].data, total[i], stay, landed[i], belief[i].data);
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

std::pair<bool, double> weigh_take(Belief belief, Poses path, Numbers tolerance, Poses motion,
                                   Pose bias, Pose pose, Mask visible, Pose velocity, Mask moving,
                                   Numbers rates, double pose_weight, double pose_tail,
                                   double motion_weight, double motion_tail, double relative2,
                                   double floor2) {
    check_rates(rates);
    const index places = belief.shape[0], speeds = belief.shape[1];
    const index known = motion_weight > 0 ? count(moving) : 0;
    const Take take{path,   motion,    tolerance,   bias,      pose,   visible, velocity,
                    moving, pose_tail, motion_tail, relative2, floor2, known};
    const double by_pose = pose_weight * (pose_tail + 3) / 2, seen = count(visible);
    const double by_motion = motion_weight * (motion_tail + 3) / 2;
    std::vector<char> counts(places);
    Array<double, 2> cost(places, speeds);
    double least = FAR;
    for (index i = 0; i < places; ++i) {
        counts[i] = !(sum(belief[i]) < NONE);
        if (!counts[i]) {
            clear(belief[i]);
            continue;
        }
        const Biased recorded{path[i], bias};
        const Fit place = fit(recorded, pose, visible);
        const double of_pose = by_pose * take.of_pose(recorded, place) / seen;
        const Speeds motions = known ? take.speeds(i, place.turn) : Speeds{};
        for (index k = 0; k < speeds; ++k) {
            const bool some = belief(i, k) > NONE;
            if (!some && k > 0) continue;
            cost(i, k) = of_pose;
            if (known) cost(i, k) += by_motion * take.of_motion(motions, rates[k]);
            if (some) least = std::min(least, cost(i, k));
        }
    }
    const auto [left, rest] = weigh(belief, cost, least, counts);
    if (!(left > 0)) return {false, 0.0};
    normalise(belief, counts, left);
    return {true, std::log(left / std::max(rest, 1e-300))};
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

std::tuple<double, double, double, double, std::int64_t, std::int64_t> strongest_moments(
    View<const double, 2> belief, Numbers rates, Numbers fresh, double expected, double least,
    std::int64_t around, std::int64_t reach, double power) {
    check_rates(rates);
    const index count = belief.length();
    around = std::clamp<std::int64_t>(around, 0, count);
    reach = std::clamp<std::int64_t>(reach, 0, count);
    const Array<double, 1> at = by_place(belief);
    const auto within = [&](index i, index range) {
        return std::pair(std::max<index>(0, i - range), std::min(count, i + range + 1));
    };
    double best = 0.0;
    index mode = 0, first = count, past = 0;
    for (index i = 0; i < count; ++i) {
        const auto [low, high] = within(i, around);
        double total = sum(at.view().rows(low, high));
        if (std::abs(i - expected) >= reach) total *= std::max(fresh[i], least);
        if (total > best * MORE) {
            best = total;
            mode = i;
        }
    }
    const auto [low, high] = within(mode, reach);
    double inside = 0.0, all = 0.0, here = 0.0, place = 0.0, rate = 0.0, still = 0.0;
    for (index i = 0; i < count; ++i) {
        if (!(at[i] > 0)) continue;
        first = std::min(first, i);
        past = i + 1;
        const double value = std::pow(at[i], power);
        all += value;
        if (i < low || i >= high) continue;
        inside += value;
        here += at[i];
        place += i * at[i];
        still += belief(i, 0);
        for (index k = 0; k < rates.length(); ++k) rate += rates[k] * belief(i, k);
    }
    here = std::max(here, 1e-12);
    const double share = inside / std::max(all, 1e-12);
    return {place / here, rate / here, still / here, share, std::min(first, past), past};
}

void bind(nanobind::module_ &m) {
    define(
        m, "move_belief", move_belief,
        "belief[N,K] rates[K] cells drift stop go going[K] jump[3] decay[N,3] reach[N,3] fresh[N]",
        "Move belief (N, K) on by one step: at each rate, with drift of the rate, stops and jumps."
        "\n\n`cells` is how many places rate 1 passes; `drift` the share that changes to the next\n"
        "rate, `stop` and `go` those that stop and start; `going` (K,) the rates that start.\n"
        "`jump` (3,) are the shares that jump a little forward, a little back, and far forward to\n"
        "where the recording is `fresh` (N,); `decay` (N, 3) is what is left of a jump from one\n"
        "place to the next, and `reach` (N, 3) the sum over all places.");
    define(m, "weigh_copy", weigh_copy,
           "belief[N,K] path[N,J,3] spread[N] pose[J,3] visible[J] weight",
           "Multiply belief by how well a pose fits each place of the recording, Gaussian.\n\n"
           "`spread` (N,) is the variance of a joint's distance there; `weight` tempers the\n"
           "evidence, for errors of successive poses go together. Returns whether anything is "
           "left.");
    define(
        m, "weigh_take", weigh_take,
        "belief[N,K] path[N,J,3] tolerance[J] motion[N,J,3] bias[J,3] pose[J,3] visible[J] "
        "velocity[J,3] moving[J] rates[K] pose_weight pose_tail motion_weight motion_tail "
        "relative2 floor2",
        "Multiply belief by how well a pose and its motion fit each place of another take.\n\n"
        "The pose counts by joint with a heavy tail, each joint within its own `tolerance` (J,)\n"
        "(squared) and less the `bias` (J, 3) between the performers; the motion as\n"
        "`velocity == rate * recorded`, within `floor2 + relative2 * speeds`. `motion` (N, J, 3)\n"
        "are the recording's velocities. Returns whether anything is left, and how much better\n"
        "the belief explains the pose than it would if the performer stood still, in nats.");
    define(m, "moments", moments, "belief[N,K] rates[K]",
           "Return belief by place (N,), mean and variance of place, mode, rate and stillness.");
    define(
        m, "strongest_moments", strongest_moments,
        "belief[N,K] rates[K] fresh[N] expected least around reach power",
        "Return mean place, rate, stillness and share of the belief about its strongest place.\n\n"
        "A place counts with those `around` it; farther than `reach` from the `expected` one, by\n"
        "how `fresh` the recording is there, `least` at the least: repeats are not switched to\n"
        "lightly. The means are of what is within `reach` of it; its share is of a `power` of the\n"
        "belief at each place. Returns also the first place with belief, and the one past the\n"
        "last.");
}

}  // namespace retime::live_belief
