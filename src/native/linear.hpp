// Small dense systems of linear equations.
#pragma once

#include "arrays.hpp"

namespace retime {

/// Solve `matrix x = right` by elimination with row exchanges; both are overwritten, `right` by x.
///
/// A singular matrix gives infinities or NaN, which the caller's own checks reject.
inline void solve(View<double, 2> matrix, View<double, 1> right) {
    const index n = right.length();
    for (index k = 0; k < n; ++k) {
        index pivot = k;
        for (index i = k + 1; i < n; ++i)
            if (std::abs(matrix(i, k)) > std::abs(matrix(pivot, k))) pivot = i;
        if (pivot != k) {
            std::swap_ranges(matrix[k].begin(), matrix[k].end(), matrix[pivot].begin());
            std::swap(right[k], right[pivot]);
        }
        for (index i = k + 1; i < n; ++i) {
            const double factor = matrix(i, k) / matrix(k, k);
            if (factor == 0.0) continue;
            for (index j = k + 1; j < n; ++j) matrix(i, j) -= factor * matrix(k, j);
            right[i] -= factor * right[k];
        }
    }
    for (index k = n - 1; k >= 0; --k) {
        for (index j = k + 1; j < n; ++j) right[k] -= matrix(k, j) * right[j];
        right[k] /= matrix(k, k);
    }
}

}  // namespace retime
