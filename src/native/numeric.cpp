// Banded systems, filters along time, peaks, and bases of splines.
#include <numeric>

#include "banded.hpp"
#include "modules.hpp"

namespace retime::numeric {

namespace {

using Numbers = View<const double, 1>;
using Rows = View<const double, 2>;
using Indices = View<const std::int64_t, 1>;

/// How a signal goes on beyond its ends.
enum Ends : std::int64_t { NEAREST, REFLECT, WRAP };

/// Return the frame of a signal of `count` frames that stands for any frame.
index inside(index frame, index count, std::int64_t ends) {
    if (ends == NEAREST) return std::clamp<index>(frame, 0, count - 1);
    const index period = ends == REFLECT ? 2 * count : count;
    frame %= period;
    if (frame < 0) frame += period;
    return frame < count ? frame : period - 1 - frame;
}

/// Return a signal with frames before its first and after its last.
Array<double, 2> extended(Rows values, index before, index after, std::int64_t ends) {
    const index count = values.shape[0], columns = values.shape[1];
    Array<double, 2> out(count + before + after, columns);
    for (index i = 0; i < out.length(); ++i) {
        const double *const from = values[inside(i - before, count, ends)].data;
        std::copy(from, from + columns, out[i].begin());
    }
    return out;
}

/// Return the weights of a Gaussian at 0 to `reach`, which sum to 1 over both sides.
std::vector<double> gaussian(double sigma, index reach) {
    std::vector<double> out(reach + 1);
    out[0] = 1.0;  // also where sigma is 0
    for (index k = 1; k <= reach; ++k) out[k] = std::exp(-0.5 * double(k * k) / (sigma * sigma));
    const double total = 2 * std::accumulate(out.rbegin(), out.rend() - 1, 0.0) + out[0];
    for (double &weight : out) weight /= total;
    return out;
}

/// Add the frames on both sides of `count` numbers; the sums of few numbers stay in the cache.
FOR_EACH_PROCESSOR void weigh(const double *middle, const double *weights, index reach,
                              index columns, double *out, index count) {
    for (index i = 0; i < count; ++i) out[i] = weights[0] * middle[i];
    for (index k = reach; k > 0; --k) {
        const double *const before = middle - k * columns, *const after = middle + k * columns;
        const double weight = weights[k];
        for (index i = 0; i < count; ++i) out[i] += weight * (before[i] + after[i]);
    }
}

constexpr index BLOCK = 1024;

/// A Butterworth filter of second order (bilinear transform), with a cutoff in shares of the rate.
struct Butterworth {
    explicit Butterworth(double cutoff) {
        const double k = std::tan(PI * cutoff), root = std::sqrt(2.0) * k;
        const double whole = 1 + root + k * k;
        b = k * k / whole;
        a1 = 2 * (k * k - 1) / whole;
        a2 = (1 - root + k * k) / whole;
    }

    /// Filter a signal in place; it is taken to have had its first value before.
    void run(double *value, index step, index count) const {
        double z0 = (1 - b) * *value, z1 = (b - a2) * *value;
        for (index i = 0; i < count; ++i, value += step) {
            const double x = *value, y = b * x + z0;
            z0 = 2 * b * x + z1 - a1 * y;
            z1 = b * x - a2 * y;
            *value = y;
        }
    }

    double b, a1, a2;
};

}  // namespace

std::pair<Array<double, 2>, std::int64_t> banded_cholesky(Rows bands, bool lower) {
    const index width = bands.shape[0], n = bands.shape[1];
    Array<double, 2> out(n, width);
    for (index i = 0; i < n; ++i)
        for (index below = 0; below < width; ++below)
            out(i, width - 1 - below) = below > i ? 0.0
                                        : lower   ? bands(below, i - below)
                                                  : bands(width - 1 - below, i);
    const index failed = width ? factor_banded(out) : 0;
    return {std::move(out), failed};
}

Array<double, 2> banded_solution(Rows factor, Rows right) {
    Array<double, 2> out = copied(right);
    if (factor.size() > 0) solve_banded(factor, out);
    return out;
}

std::pair<Array<double, 2>, std::int64_t> eliminated(Rows rows, std::int64_t lower, Rows right) {
    Array<double, 2> work = copied(rows), out = copied(right);
    const index failed = eliminate_banded(work, lower, out);
    return {std::move(out), failed};
}

Array<double, 2> gaussian_filter(Rows values, double sigma, std::int64_t reach, std::int64_t ends) {
    const index columns = values.shape[1];
    Array<double, 2> out(values.shape[0], columns);
    if (out.size() == 0) return out;
    const std::vector<double> weights = gaussian(sigma, reach);
    const Array<double, 2> wide = extended(values, reach, reach, ends);
    for (index first = 0; first < out.size(); first += BLOCK)
        weigh(wide.begin() + reach * columns + first, weights.data(), reach, columns,
              out.begin() + first, std::min(BLOCK, out.size() - first));
    return out;
}

Array<double, 2> low_pass(Rows values, double cutoff, std::int64_t pad) {
    const index count = values.shape[0], columns = values.shape[1];
    // Signals go on beyond their ends turned about them.
    Array<double, 2> wide = extended(values, pad, pad, NEAREST);
    for (index i = 1; i <= pad; ++i)
        for (index d = 0; d < columns; ++d) {
            wide(pad - i, d) = 2 * values(0, d) - values(i, d);
            wide(pad + count - 1 + i, d) = 2 * values(count - 1, d) - values(count - 1 - i, d);
        }
    const Butterworth filter(cutoff);
    for (index d = 0; d < columns; ++d) {
        filter.run(&wide(0, d), columns, wide.length());
        filter.run(&wide(wide.length() - 1, d), -columns, wide.length());
    }
    return copied(View<const double, 2>(wide.view().rows(pad, pad + count)));
}

Array<double, 2> moving_mean(Rows values, std::int64_t size) {
    const index count = values.shape[0], columns = values.shape[1];
    Array<double, 2> out(count, columns);
    if (out.size() == 0) return out;
    const Array<double, 2> wide = extended(values, size / 2, size - size / 2 - 1, REFLECT);
    std::vector<double> sum(columns, 0.0);
    for (index i = 0; i < wide.length(); ++i)
        for (index d = 0; d < columns; ++d) {
            sum[d] += i < size ? wide(i, d) : wide(i, d) - wide(i - size, d);
            if (i + 1 >= size) out(i + 1 - size, d) = sum[d] / double(size);
        }
    return out;
}

Array<double, 2> moving_maximum(Rows values, std::int64_t size) {
    const index count = values.shape[0], columns = values.shape[1];
    Array<double, 2> out(count, columns);
    if (out.size() == 0) return out;
    const Array<double, 2> wide = extended(values, size / 2, size - size / 2 - 1, REFLECT);
    // Frames of a window that exceed all later ones; the first is its maximum.
    std::vector<index> highest(wide.length());
    for (index d = 0; d < columns; ++d) {
        index first = 0, past = 0;
        for (index i = 0; i < wide.length(); ++i) {
            while (past > first && wide(highest[past - 1], d) <= wide(i, d)) --past;
            highest[past++] = i;
            if (highest[first] <= i - size) ++first;
            if (i + 1 >= size) out(i + 1 - size, d) = wide(highest[first], d);
        }
    }
    return out;
}

Array<std::int64_t, 2> local_maxima(Numbers values) {
    std::vector<std::int64_t> edges;
    const index last = values.length() - 1;
    for (index i = 1; i < last; ++i) {
        if (!(values[i - 1] < values[i])) continue;
        index past = i + 1;
        while (past < last && values[past] == values[i]) ++past;
        if (!(values[past] < values[i])) continue;
        edges.push_back(i);
        edges.push_back(past - 1);
        i = past - 1;
    }
    Array<std::int64_t, 2> out(edges.size() / 2, 2);
    std::copy(edges.begin(), edges.end(), out.begin());
    return out;
}

Array<bool, 1> highest_apart(Indices peaks, Numbers heights, std::int64_t least) {
    const index count = peaks.length();
    Array<bool, 1> out = filled(true, count);
    std::vector<index> order(count);
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(),
                     [&](index a, index b) { return heights[a] < heights[b]; });
    for (auto k = order.rbegin(); k != order.rend(); ++k) {
        if (!out[*k]) continue;
        for (index i = *k - 1; i >= 0 && peaks[*k] - peaks[i] < least; --i) out[i] = false;
        for (index i = *k + 1; i < count && peaks[i] - peaks[*k] < least; ++i) out[i] = false;
    }
    return out;
}

Array<double, 1> prominences(Numbers values, Indices peaks, std::int64_t reach) {
    const index last = values.length() - 1;
    Array<double, 1> out(peaks.length());
    for (index k = 0; k < peaks.length(); ++k) {
        const index peak = peaks[k];
        const double height = values[peak];
        double before = height, after = height;
        for (index i = peak; i >= std::max<index>(peak - reach, 0) && values[i] <= height; --i)
            before = std::min(before, values[i]);
        for (index i = peak; i <= std::min(peak + reach, last) && values[i] <= height; ++i)
            after = std::min(after, values[i]);
        out[k] = height - std::max(before, after);
    }
    return out;
}

std::pair<Array<std::int64_t, 1>, Array<double, 2>> spline_basis(Numbers knots, std::int64_t degree,
                                                                 Numbers at,
                                                                 std::int64_t derivative) {
    if (knots.length() < 2 * degree + 2)
        throw std::invalid_argument("spline_basis: knots has fewer than 2 degree + 2 elements");
    Array<std::int64_t, 1> first(at.length());
    Array<double, 2> out = filled(0.0, at.length(), degree + 1);
    const double *const inner = knots.begin() + degree + 1, *const end = knots.end() - degree - 1;
    for (index n = 0; n < at.length(); ++n) {
        const double x = at[n], *const next = std::upper_bound(inner, end, x);
        first[n] = next - inner;
        if (derivative > degree) continue;
        double *const basis = out[n].data;
        basis[0] = 1.0;
        for (index d = 1; d <= degree; ++d) {
            // The recursion of de Boor, Cox and Mansfield; the last steps differentiate.
            const bool differentiates = d > degree - derivative;
            double rest = 0.0;
            for (index r = 0; r < d; ++r) {
                const double high = next[r], low = next[r - d];
                const double part = basis[r] / (high - low);
                basis[r] = rest + (differentiates ? -d * part : (high - x) * part);
                rest = differentiates ? d * part : (x - low) * part;
            }
            basis[d] = rest;
        }
    }
    return {std::move(first), std::move(out)};
}

void bind(nanobind::module_ &m) {
    define(m, "banded_cholesky", banded_cholesky, "bands[B,N] lower",
           "Factor a symmetric positive definite matrix, given by its diagonals.\n\n"
           "Returns the factor by rows (N, B) and the row at which it fails, or -1. Diagonals are\n"
           "those of scipy.linalg.cholesky_banded.");
    define(m, "banded_solution", banded_solution, "factor[N,B] right[N,D]",
           "Solve a system by the factor of its matrix, for several right-hand sides (N, D).");
    define(
        m, "eliminated", eliminated, "rows[N,W] lower:0..W right[N,D]",
        "Solve a banded system without row exchanges.\n\n"
        "`rows` holds A(i, i - lower) and what follows. Returns the solution (N, D) and the row\n"
        "whose pivot is 0, or -1.");
    define(m, "gaussian_filter", gaussian_filter, "values[F,D] sigma reach:0..100000000 ends:0..3",
           "Filter signals in time by a Gaussian that ends `reach` frames from its middle.\n\n"
           "Beyond its ends a signal keeps its value (0), is reflected (1) or repeats (2).");
    define(m, "low_pass", low_pass, "values[F,D] cutoff pad:0..F",
           "Filter signals forward and backward by a Butterworth filter of second order.\n\n"
           "`cutoff` is a share of the frame rate. Before that, signals are lengthened at both\n"
           "ends by `pad` frames, turned about the end.");
    define(m, "moving_mean", moving_mean, "values[F,D] size:1..100000000",
           "Return the mean over a window around each frame; signals are reflected at their ends.");
    define(m, "moving_maximum", moving_maximum, "values[F,D] size:1..100000000",
           "Return the maximum over a window around each frame; signals are reflected at their "
           "ends.");
    define(m, "local_maxima", local_maxima, "values[F]",
           "Return the first and last frame of each peak or plateau, (P, 2); ends are none.");
    define(m, "highest_apart", highest_apart, "peaks[P] heights[P] least",
           "Mark peaks (P,) so that none is closer than `least` frames to a higher one.");
    define(m, "prominences", prominences, "values[F] peaks[P]:0..F reach:0..100000000",
           "Return how far one must descend from each peak to a higher place, within a reach.");
    define(m, "spline_basis", spline_basis, "knots[T] degree:0..16 at[N] derivative:0..100",
           "Evaluate the B-splines, or their derivatives, that are not 0 at each place.\n\n"
           "Returns the index of the first (N,) and the values (N, degree + 1).");
}

}  // namespace retime::numeric
