// Loops of the live filter: belief over places and rates, with repetitions.
#include "live_belief.hpp"
#include "modules.hpp"

namespace retime::live_cycles {

namespace {

using namespace live;
using Indices = View<const std::int64_t, 1>;

// Belief at a place, and at a place and rate, below which it is dropped.
constexpr double NONE = 1e-10, NONE_AT_RATE = 1e-13;
// Evidence of one pose is bounded, in nats.
constexpr double BOUND = 300.0;
// Belief that comes back from elsewhere moves; this share more of it stands.
constexpr double STANDING = 0.2;

/// Return the belief that jumps a little on and back to each place.
Array<double, 1> landings(Numbers total, double near, double back, Numbers decay,
                          View<const double, 2> reach) {
    const index count = total.length();
    Array<double, 1> out = filled(0.0, count);
    double on = 0.0, behind = 0.0;
    for (index i = 1, j = count - 2; i < count; ++i, --j) {  // both ways at once: faster
        on = decay[i] * (on + near * total[i - 1] / reach(0, i - 1));
        behind = decay[j + 1] * (behind + back * total[j + 1] / reach(1, j + 1));
        out[i] += on;
        out[j] += behind;
    }
    return out;
}

/// Compare live velocities with the recorded ones of a place.
Speeds compare(Pose motion, Turn turn, Pose velocity, Numbers speed2, Numbers weights,
               double floor2, double relative2) {
    Speeds out;
    for (index j = 0; j < weights.length(); ++j) {
        if (!(weights[j] > 0)) continue;
        const Vector recorded = joint(motion, j);
        const double recorded2 = dot(recorded, recorded);
        out.add(turn(joint(velocity, j)), speed2[j], recorded, recorded2,
                weights[j] / (floor2 + relative2 * (speed2[j] + recorded2)));
    }
    return out;
}

/// Sum the products of the elements of two arrays.
double product(Pose a, Pose b) {
    double out = 0.0;
    for (index e = 0; e < a.size(); ++e) out += a.data[e] * b.data[e];
    return out;
}

/// Joints of all places, with the places last.
struct Columns {
    const double *x, *y, *z;

    Columns(const Array<double, 3> &from, index j)
        : x(from[j][0].data), y(from[j][1].data), z(from[j][2].data) {}
};

/// Add the products from which the turn of a pose onto each of the first `count` others follows.
FOR_EACH_PROCESSOR
void add_turnings(Vector v, Columns to, index count, double *along, double *across) {
    for (index b = 0; b < count; ++b) {
        along[b] += v.x * to.x[b] + v.z * to.z[b];
        across[b] += v.x * to.z[b] - v.z * to.x[b];
    }
}

FOR_EACH_PROCESSOR
void turn_from(index count, double *along, double *across) {
    for (index b = 0; b < count; ++b) {
        const Turn turn = Turning{along[b], across[b]}.turn();
        along[b] = turn.cosine;
        across[b] = turn.sine;
    }
}

/// The terms of a joint's distance.
struct Scale {
    double weight, tolerance, cut, relative2, floor2;
};

/// Add the distances of a joint with a velocity from those of the first `count` places.
FOR_EACH_PROCESSOR
void add_distances(Vector v, Vector speed, Columns path, Columns motion, const double *cosine,
                   const double *sine, Scale by, index count, double *out) {
    for (index b = 0; b < count; ++b) {
        const Vector at = {path.x[b], path.y[b], path.z[b]};
        const Vector other = {motion.x[b], motion.y[b], motion.z[b]};
        const Turn turn{cosine[b], sine[b]};
        const Vector off = turn(v) - at, change = speed - other;
        const double r = dot(off, off) / by.tolerance;
        const double allowed = by.floor2 + by.relative2 * squares(speed, other);
        out[b] += by.weight * (r / (1.0 + r / by.cut) + dot(change, change) / allowed);
    }
}

}  // namespace

std::int64_t fit_places(Poses path, Pose bias, Pose pose, Mask seen, Numbers weights,
                        Numbers tolerance, double cut, Numbers at, double least,
                        View<double, 1> cost, View<double, 1> square, View<double, 2> turn) {
    const index known = count(seen);
    const double saturation = 1.0 / cut;
    index nearest = -1;
    double best = FAR;
    for (index i = 0; i < at.length(); ++i) {
        if (at[i] < least) {
            cost[i] = square[i] = FAR;
            continue;
        }
        const Biased recorded{path[i], bias};
        const Fit place = fit(recorded, pose, seen);
        double total = 0.0, plain = 0.0;
        for (index j = 0; j < seen.length(); ++j) {
            if (!seen[j]) continue;
            const Vector off = recorded.off(place(joint(pose, j)), j);
            const double d = dot(off, off);
            plain += d;
            total += weights[j] * d / (tolerance[j] + d * saturation);
        }
        cost[i] = total;
        square[i] = plain / known;
        turn(i, 0) = place.turn.cosine;
        turn(i, 1) = place.turn.sine;
        if (plain < best) {
            best = plain;
            nearest = i;
        }
    }
    return nearest;
}

void move_on(Belief belief, View<double, 1> at, Numbers rates, double cells, double drift,
             double stop, double go, Numbers going, double near, double back, Numbers decay,
             View<const double, 2> reach, double again, Indices first, Indices alike, double leave,
             double come, Numbers anywhere, double least) {
    const index count = belief.shape[0], speeds = belief.shape[1], last = count - 1;
    const std::vector<Way> ways = ways_of(rates, cells, count);
    Array<double, 2> moved = filled(0.0, count, speeds);
    for (index i = 0; i < count; ++i) {
        if (at[i] < NONE) continue;
        const index repeats = first[i + 1] - first[i];
        for (index k = 0; k < speeds; ++k) {
            double v = belief(i, k);
            if (v < NONE_AT_RATE) continue;
            const auto [whole, part] = ways[k];
            v *= 1.0 - leave;
            if (repeats > 0) {
                const double share = v * again / repeats;
                for (index a = first[i]; a < first[i + 1]; ++a)
                    moved(std::min(alike[a] + whole, last), k) += share;
                v *= 1.0 - again;
            }
            const index j = std::min(i + whole, last);
            moved(j, k) += v * (1.0 - part);
            moved(std::min(j + 1, last), k) += v * part;
        }
    }
    Array<double, 1> total(count);
    for (index i = 0; i < count; ++i) total[i] = sum(moved[i]);
    const Array<double, 1> landed = landings(total, near, back, decay, reach);
    const double stay = 1.0 - near - back;
    const Changes changes{drift, stop, go, going};
    for (index i = 0; i < count; ++i) {
        const double found = come * anywhere[i];
        at[i] = total[i] * stay + landed[i] + (1.0 + STANDING) * found;
        if (at[i] < least) {
            at[i] = 0.0;
            std::fill(belief[i].begin(), belief[i].end(), 0.0);
            continue;
        }
        changes.apply(moved[i].data, total[i], stay, landed[i] + found, belief[i].data);
        belief(i, 0) += STANDING * found;
    }
}

/// Multiply belief by a number, where there is any.
void scale(Belief belief, View<double, 1> at, double share) {
    for (index i = 0; i < at.length(); ++i) {
        if (!(at[i] > 0)) continue;
        at[i] *= share;
        for (double &value : belief[i]) value *= share;
    }
}

std::pair<double, double> weigh_places(Belief belief, View<double, 1> at, Numbers cost,
                                       View<const double, 2> turn, Poses motion, Pose velocity,
                                       Numbers weights, Numbers rates, double weight, double tail,
                                       double floor2, double relative2, double elsewhere,
                                       double lost, double tell, Indices first, Indices alike) {
    const index count = belief.shape[0], speeds = belief.shape[1], joints = weights.length();
    Array<double, 1> speed2(joints);
    double standing = 0.0;  // how far motion is from none: the recorded motion does not excuse it
    for (index j = 0; j < joints; ++j) {
        const Vector v = joint(velocity, j);
        speed2[j] = dot(v, v);
        standing += weights[j] * speed2[j] / (floor2 + relative2 * speed2[j]);
    }
    std::vector<double> fits(count);
    double before = 0.0, rest = 0.0;  // all belief, and what would be left of it at rate 0
    for (index i = 0; i < count; ++i) {
        const double here = at[i];
        before += here;
        at[i] = 0.0;
        if (here < NONE || here * std::exp(std::min(elsewhere - cost[i], BOUND)) < 1e-12) {
            std::fill(belief[i].begin(), belief[i].end(), 0.0);
            continue;
        }
        Speeds motions;
        if (weight > 0)
            motions = compare(motion[i], {turn(i, 0), turn(i, 1)}, velocity, speed2, weights,
                              floor2, relative2);
        for (index k = 0; k < speeds; ++k) {
            double &value = belief(i, k);
            if (value <= 0.0) continue;
            const double off = rates[k] == 0.0 ? standing : motions.off(rates[k]);
            const double more = elsewhere - cost[i] - weight * tail * std::log(1.0 + off / tail);
            value *= std::exp(std::min(more, BOUND));
            at[i] += value;
        }
        const double still = elsewhere - cost[i] - weight * tail * std::log(1.0 + standing / tail);
        rest += here * std::exp(std::min(still, BOUND));
        fits[i] = at[i] / here;
    }
    double left = 0.0, plain = 0.0;
    for (index i = 0; i < count; ++i) {
        plain += at[i];
        if (tell < 1.0 && fits[i] > 0 && first[i + 1] > first[i]) {
            double best = fits[i];
            for (index a = first[i]; a < first[i + 1]; ++a) best = std::max(best, fits[alike[a]]);
            const double up = std::pow(best / fits[i], 1.0 - tell);
            at[i] *= up;
            for (double &value : belief[i]) value *= up;
        }
        left += at[i];
    }
    const double total = lost + left;
    const double other = std::max({rest, before, 1e-300});
    const double explained = std::log(std::max(plain, 1e-300) / other);
    if (!(total > 1e-300)) return {1.0, explained};
    scale(belief, at, 1.0 / total);
    return {lost / total, explained};
}

std::tuple<Array<double, 2>, double, double> residual(Poses path, std::int64_t place, Pose pose,
                                                      Mask seen, Pose before) {
    const Array<double, 2> here = difference(path[place], pose, seen);
    Array<double, 2> off = copied(here.view());
    double best = product(here, here);
    for (const index step : {-1, 1}) {
        const index j = std::clamp<index>(place + step, 0, path.shape[0] - 1);
        const Array<double, 2> there = difference(path[j], pose, seen);
        Array<double, 2> change(seen.length(), 3), nearest(seen.length(), 3);
        for (index e = 0; e < here.size(); ++e)
            change.begin()[e] = here.begin()[e] - there.begin()[e];
        const double share = product(here, change) / std::max(product(change, change), 1e-12);
        const double part = std::min(std::max(share, 0.0), 1.0);
        for (index e = 0; e < here.size(); ++e)
            nearest.begin()[e] = here.begin()[e] - part * change.begin()[e];
        const double square = product(nearest, nearest);
        if (square < best) {
            best = square;
            off = std::move(nearest);
        }
    }
    const double known = count(seen), lasts = product(off, before) / known;
    return {std::move(off), best / known, lasts};
}

void add_copy_cost(View<double, 1> cost, Numbers at, Numbers square, Numbers step2, double error2,
                   double between, double weight, double present, double most, double forgiven) {
    struct Own {
        index place;
        double cost;
    };
    std::vector<Own> all;
    all.reserve(at.length());
    double least = FAR, left = 0.0;
    for (index i = 0; i < at.length(); ++i) {
        if (!(at[i] > 0)) continue;
        all.push_back({i, square[i] / (error2 + between * step2[i])});
        least = std::min(least, all.back().cost);
    }
    for (Own &own : all) {
        own.cost = weight * (own.cost - least);
        left += at[own.place] * std::exp(-own.cost);
    }
    const double mean = -std::log(std::max(left / std::max(present, 1e-9), 1e-9));
    for (const Own &own : all)
        cost[own.place] += std::min(own.cost, most) - std::min(mean, forgiven);
}

std::tuple<double, std::int64_t, double> strongest_window(Numbers at, std::int64_t half,
                                                          std::int64_t here) {
    const index count = at.length();
    half = std::clamp<std::int64_t>(half, 0, count);
    double total = sum(at.data, half), own = 0.0, best = -1.0;
    index where = 0;
    for (index i = 0; i < count; ++i) {
        if (i + half < count) total += at[i + half];
        if (i - half - 1 >= 0) total -= at[i - half - 1];
        if (total > best) {
            best = total;
            where = i;
        }
        if (i == here) own = total;
    }
    return {best, where, own};
}

double phase_belief(Numbers at, std::int64_t place, std::int64_t half, Indices low, Indices high) {
    const index count = at.length();
    half = std::clamp<std::int64_t>(half, 0, count);
    std::vector<char> marked(count);
    double total = 0.0;
    const auto add = [&](index lower, index upper) {
        const index past = std::min<index>(upper + half + 1, count);
        for (index i = std::max<index>(lower - half, 0); i < past; ++i) {
            if (!marked[i]) total += at[i];
            marked[i] = true;
        }
    };
    add(place, place);
    for (index a = 0; a < low.length(); ++a) add(low[a], high[a]);
    return total;
}

Array<double, 2> likeness(Poses path, Poses motion, Numbers weights, Numbers tolerance, double cut,
                          double relative2, double floor2) {
    const index count = path.shape[0], joints = path.shape[1];
    const Array<double, 3> places = poses_last(path), speeds = poses_last(motion);
    Array<double, 2> out = filled(0.0, count, count);
    Array<double, 1> cosine(count), sine(count);
    for (index i = 0; i < count; ++i) {
        std::fill(cosine.begin(), cosine.begin() + i, 0.0);
        std::fill(sine.begin(), sine.begin() + i, 0.0);
        for (index j = 0; j < joints; ++j)
            add_turnings(joint(path[i], j), Columns(places, j), i, cosine.begin(), sine.begin());
        turn_from(i, cosine.begin(), sine.begin());
        for (index j = 0; j < joints; ++j)
            add_distances(joint(path[i], j), joint(motion[i], j), Columns(places, j),
                          Columns(speeds, j), cosine.begin(), sine.begin(),
                          {weights[j], tolerance[j], cut, relative2, floor2}, i, out[i].data);
        for (index b = 0; b < i; ++b) out(b, i) = out(i, b);
    }
    return out;
}

void bind(nanobind::module_ &m) {
    define(
        m, "fit_places", fit_places,
        "path[N,J,3] bias[J,3] pose[J,3] seen[J] weights[J] tolerance[J] cut at[N] least "
        "cost[N] square[N] turn[N,2]",
        "Compare a pose with the places that hold at least `least` belief `at` (N,).\n\n"
        "Writes the weighted, saturated squared distance in tolerances to `cost` (N,), the\n"
        "plain mean squared distance to `square` (N,) and cosine and sine of the turn about\n"
        "the vertical to `turn` (N, 2). Returns the place with the least plain distance, or -1.");
    define(m, "move_on", move_on,
           "belief[N,K] at[N] rates[K] cells drift stop go going[K] near back decay[N] reach[2,N] "
           "again first[N+1]:0..R+1 alike[R]:0..N leave come anywhere[N] least",
           "Move belief (N, K) on by one step, and sum it by place into `at` (N,).\n\n"
           "It continues at each rate (`cells` places at rate 1), changes rate, stops and starts,\n"
           "jumps a little on and back along the travel, moves to repetitions (`alike` from\n"
           "`first`), leaves for elsewhere and comes back from there, to `anywhere` (N,). Less\n"
           "than `least` at a place is dropped.");
    define(m, "weigh_places", weigh_places,
           "belief[N,K] at[N] cost[N] turn[N,2] motion[N,J,3] velocity[J,3] weights[J] rates[K] "
           "weight tail floor2 relative2 elsewhere lost tell first[N+1]:0..R+1 alike[R]:0..N",
           "Multiply belief by how well pose (`cost`) and motion fit, against `elsewhere`.\n\n"
           "`motion` (N, J, 3) are recorded velocities, `velocity` (J, 3) the live ones. Which of\n"
           "several repetitions fits better counts `tell` of what other evidence does. Belief\n"
           "and what is `lost`, elsewhere, are made to sum to 1; sums belief by place into `at`.\n"
           "Returns what is lost, and how much better the recording explains the pose than\n"
           "standing or something else does, in nats.");
    define(m, "residual", residual, "path[N,J,3] place:0..N pose[J,3] seen[J] before[J,3]",
           "Return how far a pose is from the path around a place, between its places too (J, 3)."
           "\n\nAnd the mean over joints of its square, and of its product with what it was\n"
           "`before`.");
    define(m, "add_copy_cost", add_copy_cost,
           "cost[N] at[N] square[N] step2[N] error2 between weight present most forgiven",
           "Add what a copy's pose costs at each place with belief: its errors are noise.\n\n"
           "No more than `forgiven` nats are taken off: a place that does not fit stays unlikely.");
    define(m, "strongest_window", strongest_window, "at[N] half here:0..N",
           "Return the most belief within `half` places of one, that place, and that of `here`.");
    define(m, "phase_belief", phase_belief, "at[N] place:0..N half low[R]:0..N high[R]:0..N",
           "Return the belief within `half` places of one or of any repetition of it.\n\n"
           "`low` and `high` (R,) are the first and the last place of each repetition.");
    define(m, "likeness", likeness,
           "path[N,J,3] motion[N,J,3] weights[J] tolerance[J] cut relative2 floor2",
           "Return how unlike all places of a recording are to each other (N, N), pose and motion."
           "\n\nIn mean squared tolerances. Headings are common to all places, so only poses are\n"
           "turned.");
}

}  // namespace retime::live_cycles
