// Dynamic time warping: the cheapest path through a matrix of costs, within a corridor.
#include <stdexcept>

#include "live_poses.hpp"
#include "modules.hpp"

namespace retime::dtw {

namespace {

using live::joint;
using live::Poses;
using Indices = View<const std::int64_t, 1>;

constexpr double NO = 1e300;
// Paths whose costs differ by less are equal, metres: rounding errors must not choose.
constexpr double EQUAL = 1e-9;
constexpr index TILE = 256;

/// Add the weighted distances from a pose to `count` others, given with their joints first.
FOR_WIDE_PROCESSORS
void add_distances(live::Pose pose, live::Numbers weights, View<const double, 3> others,
                   index first, index count, double *out) {
    for (index p = 0; p < weights.length(); ++p) {
        const View<const double, 2> places = others[p];
        const double *x = places[0].data + first, *y = places[1].data + first,
                     *z = places[2].data + first;
        const Vector from = joint(pose, p);
        const double weight = weights[p];
        for (index c = 0; c < count; ++c)
            out[c] += weight * length(from - Vector{x[c], y[c], z[c]});
    }
}

/// Extend paths by a row in which they stay in their column; label those that become the best.
FOR_EACH_PROCESSOR
void stall(const double *from, const double *cost, index count, std::int32_t label, double *out,
           double *best, std::int32_t *labels) {
    for (index c = 0; c < count; ++c) {
        const double value = from[c] + cost[c];
        const bool better = value < best[c] - EQUAL;
        out[c] = value;
        best[c] = better ? value : best[c];
        labels[c] = better ? label : labels[c];
    }
}

/// Extend paths by a row in which they pass `step` columns; label those that become the best.
FOR_EACH_PROCESSOR
void advance(const double *from, const double *passed, index count, std::int32_t step, double *best,
             std::int32_t *labels) {
    for (index c = 0; c < count; ++c) {
        const double value = from[c] + passed[c] / step;
        const bool better = value < best[c] - EQUAL;
        best[c] = better ? value : best[c];
        labels[c] = better ? step : labels[c];
    }
}

/// The cheapest paths to each cell, row by row; a path that is none costs infinitely much.
class Search {
  public:
    Search(View<const double, 2> costs, Indices low, index columns, index most_steps,
           index most_stalls)
        : costs_(costs),
          low_(low),
          columns_(columns),
          width_(costs.shape[1]),
          most_steps_(std::min(most_steps, width_)),
          limited_(most_stalls >= 0),
          depth_(limited_ ? std::min(most_stalls, costs.shape[0]) + 1 : 2),
          ends_(filled(INFINITE, depth_, width_)),
          new_ends_(filled(INFINITE, depth_, width_)),
          best_(filled(INFINITE, width_)),
          before_(filled(INFINITE, width_)),
          passed_(width_),
          steps_(costs.shape[0], width_),
          stalls_(costs.shape[0], width_) {
        start();
        for (index i = 1; i < costs.shape[0]; ++i) extend(i);
    }

    /// Return the column, in the last row, where the cheapest path ends.
    index end(bool open) const {
        if (!open) return columns_ - 1 - low_[rows() - 1];
        index out = 0;
        for (index c = 0; c < width_; ++c)
            if (best_[c] < best_[out] - EQUAL) out = c;
        return out;
    }

    /// Return the cost of the path that ends in a column of the last row.
    double cost(index end) const { return end >= 0 && end < width_ ? best_[end] : INFINITE; }

    /// Write the first and the last column that the path to an end passes in each row.
    void trace(index end, View<std::int64_t, 2> way) const {
        index j = low_[rows() - 1] + end;
        for (index i = rows() - 1; i >= 0;) {
            const index stalls = stalls_(i, j - low_[i]);
            for (index s = 0; s < stalls; ++s, --i) way(i, 0) = way(i, 1) = j;
            if (stalls && !limited_) continue;
            const index steps = steps_(i, j - low_[i]);
            way(i, 0) = j - steps + 1;
            way(i, 1) = j;
            j -= steps;
            --i;
        }
    }

  private:
    index rows() const { return costs_.shape[0]; }

    /// Return how many columns there are in a row.
    index known(index row) const { return std::min(width_, columns_ - low_[row]); }

    /// The first row: the start, and what is passed beyond it at once.
    void start() {
        double total = 0.0;
        std::fill(stalls_[0].begin(), stalls_[0].end(), 0);
        for (index c = 0; c < std::min(most_steps_, known(0)); ++c) {
            total += costs_(0, c);
            best_[c] = ends_(0, c) = total / (c + 1);
            steps_(0, c) = static_cast<std::int32_t>(c + 1);
        }
    }

    void extend(index row) {
        std::swap(best_, before_);
        best_.fill(INFINITE);
        new_ends_.fill(INFINITE);
        std::fill(stalls_[row].begin(), stalls_[row].end(), 0);
        arrive(row);
        std::copy(best_.begin(), best_.end(), new_ends_[0].begin());
        wait(row);
        std::swap(ends_, new_ends_);
    }

    /// Extend the paths by steps.
    void arrive(index row) {
        const index shift = low_[row] - low_[row - 1], count = known(row);
        passed_.fill(0.0);
        for (index k = 1; k <= most_steps_; ++k) {
            const double *first = costs_[row].data;  // the first cell of this row that is passed
            for (index c = k - 1; c < count; ++c) passed_[c] += first[c - k + 1];
            const index low = std::max<index>(k - 1, k - shift);
            const index past = std::min(count, width_ + k - shift);
            if (low < past)
                advance(before_.begin() + low - k + shift, passed_.begin() + low, past - low,
                        static_cast<std::int32_t>(k), best_.begin() + low, steps_[row].data + low);
        }
    }

    /// Extend the paths by stalls: each number of them on its own, where it is limited.
    void wait(index row) {
        const index shift = low_[row] - low_[row - 1];
        const index low = std::max<index>(0, -shift), past = std::min(known(row), width_ - shift);
        for (index s = 1; s < depth_ && low < past; ++s) {
            const double *from = limited_ ? ends_[s - 1].data : before_.begin();
            stall(from + low + shift, costs_[row].data + low, past - low,
                  static_cast<std::int32_t>(s), new_ends_[s].data + low, best_.begin() + low,
                  stalls_[row].data + low);
        }
    }

    View<const double, 2> costs_;
    Indices low_;
    index columns_, width_, most_steps_;
    bool limited_;
    index depth_;
    /// The cheapest way to end a row in a column after so many stalls there; see `wait`.
    Array<double, 2> ends_, new_ends_;
    Array<double, 1> best_, before_, passed_;
    /// How many columns the best path passes in a row, and how many rows it stalled before.
    Array<std::int32_t, 2> steps_, stalls_;
};

}  // namespace

Array<double, 2> pose_costs(Poses performed, Poses recorded, live::Numbers weights, Indices low,
                            std::int64_t width) {
    const index rows = performed.shape[0], columns = recorded.shape[0];
    const Array<double, 3> by_part = live::poses_last(recorded);
    Array<double, 2> out = filled(NO, rows, width);
    for (index i = 0; i < rows; ++i)
        std::fill(out[i].data, out[i].data + std::min<index>(width, columns - low[i]), 0.0);
    // In tiles: the poses of one stay in the cache.
    for (index tile = 0; tile < columns; tile += TILE)
        for (index i = 0; i < rows; ++i) {
            const index first = std::max<index>(tile, low[i]);
            const index past = std::min({tile + TILE, low[i] + width, columns});
            if (first < past)
                add_distances(performed[i], weights, by_part, first, past - first,
                              out[i].data + first - low[i]);
        }
    return out;
}

std::pair<double, Array<std::int64_t, 2>> cheapest_path(View<const double, 2> costs, Indices low,
                                                        std::int64_t columns,
                                                        std::int64_t most_steps,
                                                        std::int64_t most_stalls, bool open_end) {
    Array<std::int64_t, 2> way = filled<std::int64_t>(-1, costs.shape[0], 2);
    for (index first : low)
        if (first < 0 || first >= columns)
            throw std::invalid_argument("cheapest_path: low contains " + std::to_string(first) +
                                        ", expected 0 to " + std::to_string(columns - 1));
    if (!costs.size()) return {INFINITE, std::move(way)};
    const Search search(costs, low, columns, most_steps, most_stalls);
    const index end = search.end(open_end);
    const double cost = search.cost(end);
    if (!(cost < INFINITE)) return {INFINITE, std::move(way)};
    search.trace(end, way);
    return {cost, std::move(way)};
}

void bind(nanobind::module_ &m) {
    define(m, "pose_costs", pose_costs,
           "live[M,P,3] recorded[N,P,3] weights[P] low[M]:0..N width:0..N+1",
           "Sum weighted distances of joints (5) between poses (M, P, 3) and (N, P, 3).\n\n"
           "Row i of the result (M, width) holds columns from `low[i]` on; beyond the last\n"
           "recorded pose the cost is forbidding.");
    define(m, "cheapest_path", cheapest_path,
           "costs[M,W] low[M] columns:0..2147483648 most_steps most_stalls open_end",
           "Find the cheapest monotone path from the first cell to the last column, or any.\n\n"
           "From one row to the next a path stays in its column (a stall, at most `most_stalls`\n"
           "in a row; -1: any number) or moves on by up to `most_steps` columns. A row costs the\n"
           "mean of the cells that the path passes in it, so that an open end favours neither\n"
           "haste nor delay. Returns the cost, and for every row the first and the last column\n"
           "that it passes (M, 2); the cost is infinite where there is no path.");
}

}  // namespace retime::dtw
