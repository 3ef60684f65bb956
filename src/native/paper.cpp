// The published search of guided time warping: scores of triples of frames, and the best path.
#include "modules.hpp"

namespace retime::paper {

namespace {

constexpr index TOGETHER = 4;  // Reference frames that are compared in one pass.
constexpr index CHUNK = 8;     // Reference frames, and input frames, whose values stay in the
constexpr index TILE = 128;    // cache.
constexpr index NEAREST = 3;   // Neighbours that are kept.
constexpr index MOST_STEPS = 255;

/// The least three sums at each of the frames of a tile.
struct Least {
    double value[NEAREST][TILE];

    Least() { std::fill(&value[0][0], &value[0][0] + NEAREST * TILE, INFINITE); }
};

/// Keep the least three of what is kept and one more.
inline void keep(double &a, double &b, double &c, double more) {
    const double first = more < a ? more : a, second = more < a ? a : more;
    const double third = second < b ? b : second;
    a = first;
    b = second < b ? second : b;
    c = third < c ? third : c;
}

/// Compare `count` frames with as many references as are compared together.
///
/// The rows of each array are references; a sum is that of a value for each pose of a triple.
FOR_WIDE_PROCESSORS
void compare(const double *before, const double *here, const double *after, index row, index count,
             Least &least) {
    double *a = least.value[0], *b = least.value[1], *c = least.value[2];
    const double *x1 = before + row, *y1 = here + row, *z1 = after + row;
    const double *x2 = x1 + row, *y2 = y1 + row, *z2 = z1 + row;
    const double *x3 = x2 + row, *y3 = y2 + row, *z3 = z2 + row;
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC ivdep
#endif
    for (index j = 0; j < count; ++j) {
        double first = a[j], second = b[j], third = c[j];
        keep(first, second, third, before[j] + here[j] + after[j]);
        keep(first, second, third, x1[j] + y1[j] + z1[j]);
        keep(first, second, third, x2[j] + y2[j] + z2[j]);
        keep(first, second, third, x3[j] + y3[j] + z3[j]);
        a[j] = first;
        b[j] = second;
        c[j] = third;
    }
}

/// The costs of paths that show frame j of the input at one output frame, after a step of a + 1.
struct Layer {
    index low, high, steps;
    std::vector<double> cost;

    Layer(index low, index high, index steps)
        : low(low), high(high), steps(steps), cost(width() * steps, INFINITE) {}

    index width() const { return std::max<index>(high - low + 1, 0); }
    bool shows(index j) const { return low <= j && j <= high; }
    double *paths(index j) { return &cost[(j - low) * steps]; }
};

/// Extend the paths (S,) that show a frame by all steps; `scores` are (S, S).
FOR_WIDE_PROCESSORS
void extend(const double *cost, const double *scores, index steps, double *best) {
    std::fill(best, best + steps, INFINITE);
    for (index a = 0; a < steps; ++a) {
        const double *row = scores + a * steps;
        for (index b = 0; b < steps; ++b) {
            const double sum = cost[a] + row[b];
            best[b] = sum < best[b] ? sum : best[b];
        }
    }
}

/// Return the step before one of `after` + 1 on the best path to a frame: `extend`'s choice.
index step_before(const double *cost, View<const double, 2> scores, index after) {
    index best = 0;
    for (index a = 1; a < scores.length(); ++a)
        if (cost[a] + scores(a, after) < cost[best] + scores(best, after)) best = a;
    return best;
}

}  // namespace

/// Score the triples of frames (j - a - 1, j, j + b + 1).
Array<double, 3> scores(View<const double, 2> before, View<const double, 2> here,
                        View<const double, 2> after, View<const double, 2> products,
                        View<const double, 1> weights, std::int64_t steps,
                        std::int64_t neighbours) {
    const index others = here.length(), count = here.shape[1];
    if (others % TOGETHER) throw std::invalid_argument("references are padded to fours");
    if (steps < 1 || steps > MOST_STEPS) throw std::invalid_argument("steps are 1 to 255");
    if (products.length() != 2 * steps + 1) throw std::invalid_argument("products of 2 S lags");
    if (neighbours < 1 || neighbours > NEAREST)
        throw std::invalid_argument("one to three neighbours are compared");
    const double pose = weights[0], speed = weights[1], bend = weights[2];
    auto out = filled(INFINITE, count, steps, steps);
    std::vector<Least> least(steps * steps);
    for (index tile = 0; tile < count; tile += TILE) {
        std::fill(least.begin(), least.end(), Least());
        // The frames j of a tile that a pair of steps does not take beyond the clip.
        const auto first = [&](index a) { return std::max(tile, a + 1); };
        const auto past = [&](index b) { return std::min(tile + TILE, count - 1 - b); };
        for (index chunk = 0; chunk < others; chunk += CHUNK)
            for (index a = 0; a < steps; ++a)
                for (index b = 0; b < steps; ++b)
                    for (index q = chunk; q < std::min(chunk + CHUNK, others); q += TOGETHER)
                        compare(before[q].data + first(a) - a - 1, here[q].data + first(a),
                                after[q].data + first(a) + b + 1, count, past(b) - first(a),
                                least[a * steps + b]);
        for (index a = 0; a < steps; ++a) {
            for (index b = 0; b < steps; ++b) {
                for (index j = first(a); j < past(b); ++j) {
                    const index i = j - a - 1, k = j + b + 1;
                    const double x = products(0, i), y = products(0, j), z = products(0, k);
                    const double xy = products(a + 1, i), yz = products(b + 1, j);
                    const double xz = products(a + b + 2, i);
                    const double square = pose * y + speed * (x + z - 2 * xz) +
                                          bend * (x + 4 * y + z - 4 * xy - 4 * yz + 2 * xz);
                    double sum = 0.0;
                    for (index n = 0; n < neighbours; ++n)
                        sum += std::sqrt(
                            std::max(least[a * steps + b].value[n][j - first(a)] + square, 0.0));
                    out(j, a, b) = sum / static_cast<double>(neighbours);
                }
            }
        }
    }
    return out;
}

/// Find the path of least cost through a corridor: the recurrence (4).
std::pair<double, Array<std::int64_t, 1>> path(View<const double, 3> scores,
                                               View<const std::int64_t, 1> low,
                                               View<const std::int64_t, 1> high) {
    const index count = scores.length(), steps = scores.shape[1], length = low.length();
    auto frames = filled<std::int64_t>(0, length);
    if (length < 2) throw std::invalid_argument("a path has two frames or more");
    std::vector<Layer> layers;
    layers.reserve(length);
    layers.emplace_back(0, -1, steps);
    layers.emplace_back(low[1], high[1], steps);
    for (index a = 0; a < steps; ++a)
        if (layers[1].shows(a + 1)) layers[1].paths(a + 1)[a] = 0.0;
    std::vector<double> best(steps);
    for (index t = 1; t + 1 < length; ++t) {
        layers.emplace_back(low[t + 1], high[t + 1], steps);
        Layer &now = layers[t], &next = layers[t + 1];
        for (index j = now.low; j <= now.high; ++j) {
            extend(now.paths(j), scores[j].data, steps, best.data());
            for (index b = 0; b < steps; ++b)
                if (next.shows(j + b + 1)) next.paths(j + b + 1)[b] = best[b];
        }
    }
    if (!layers.back().shows(count - 1))
        throw std::invalid_argument("a path ends at the last frame");
    const double *ends = layers.back().paths(count - 1);
    index step = std::min_element(ends, ends + steps) - ends;
    const double least = ends[step];
    frames[length - 1] = count - 1;
    for (index t = length - 2; t > 0 && least < INFINITE; --t) {
        frames[t] = frames[t + 1] - step - 1;
        step = step_before(layers[t].paths(frames[t]), scores[frames[t]], step);
    }
    return {least, std::move(frames)};
}

/// Find the path of least cost of any length; each frame costs `price` more.
std::pair<double, Array<std::int64_t, 1>> free_path(View<const double, 3> scores, double price) {
    const index count = scores.length(), steps = scores.shape[1];
    if (count < 2) throw std::invalid_argument("a path has two frames or more");
    Layer all(0, count - 1, steps);
    for (index a = 0; a < std::min<index>(steps, count - 1); ++a) all.paths(a + 1)[a] = 0.0;
    std::vector<double> best(steps);
    for (index j = 1; j + 1 < count; ++j) {
        extend(all.paths(j), scores[j].data, steps, best.data());
        for (index b = 0; b < steps && all.shows(j + b + 1); ++b)
            all.paths(j + b + 1)[b] = best[b] + price;
    }
    const double *ends = all.paths(count - 1);
    index step = std::min_element(ends, ends + steps) - ends;
    const double least = ends[step];
    std::vector<std::int64_t> frames{count - 1};
    while (frames.back() > 0 && least < INFINITE) {
        const index j = frames.back() - step - 1;
        if (j > 0) step = step_before(all.paths(j), scores[j], step);
        frames.push_back(j);
    }
    std::reverse(frames.begin(), frames.end());
    return {least, copied(frames)};
}

void bind(nanobind::module_ &m) {
    define(
        m, "scores", scores,
        "before[Q,N] here[Q,N] after[Q,N] products[L,N] weights[3] steps neighbours",
        "Return the mean distance (N, S, S) of triples of frames to their nearest references.\n\n"
        "The square of a distance is the norm of the triple's feature and a value of each of its\n"
        "frames, from `before`, `here` and `after`. `products[l, i]` is that of the poses i and\n"
        "i + l, for l up to 2 S.");
    define(m, "path", path, "scores[N,S,S] low[M]:0..N high[M]:-1..N",
           "Return the least cost and the frames (M,) of a path from frame 0 to the last.\n\n"
           "`low` and `high` are the first and last frame that each output frame can show.");
    define(m, "free_path", free_path, "scores[N,S,S] price",
           "Return the least cost and the frames of a path of any length.");
}

}  // namespace retime::paper
