// Banded systems of linear equations; a matrix is stored by rows, so that a step reads memory once.
#pragma once

#include "arrays.hpp"

namespace retime {

/// Factor a symmetric positive definite matrix A = L L^T in place.
///
/// Row i of `rows` (N, B) holds A(i, i - B + 1) ... A(i, i), and L after it; what lies left of the
/// first column is not read. Returns the row at which A is not positive definite, or -1.
inline index factor_banded(View<double, 2> rows) {
    const index n = rows.shape[0], width = rows.shape[1];
    for (index i = 0; i < n; ++i) {
        double *const row = rows[i].data + width - 1 - i;  // row[j] is A(i, j)
        const index first = std::max<index>(i - width + 1, 0);
        for (index j = first; j <= i; ++j) {
            const double *const above = rows[j].data + width - 1 - j;
            double sum = row[j];
            for (index k = std::max<index>(first, j - width + 1); k < j; ++k)
                sum -= row[k] * above[k];
            if (j < i) {
                row[j] = sum / above[j];
            } else if (sum > 0 && sum < INFINITE) {
                row[i] = std::sqrt(sum);
            } else {
                return i;
            }
        }
    }
    return -1;
}

/// Subtract a multiple of one row from another: `rows[to] -= factor * rows[from]`.
inline void subtract_row(View<double, 2> rows, index to, double factor, index from) {
    const index columns = rows.shape[1];
    const double *const a = rows.data + from * columns;
    double *const b = rows.data + to * columns;
    for (index d = 0; d < columns; ++d) b[d] -= factor * a[d];
}

/// Solve A x = right for all columns of `right` (N, D) in place, by the factor of A.
inline void solve_banded(View<const double, 2> factor, View<double, 2> right) {
    const index n = factor.shape[0], width = factor.shape[1];
    const auto divide = [&](index i) {
        for (double &value : right[i]) value /= factor(i, width - 1);
    };
    for (index i = 0; i < n; ++i) {
        for (index j = std::max<index>(i - width + 1, 0); j < i; ++j)
            subtract_row(right, i, factor(i, width - 1 - i + j), j);
        divide(i);
    }
    for (index i = n - 1; i >= 0; --i) {
        divide(i);
        for (index j = std::max<index>(i - width + 1, 0); j < i; ++j)
            subtract_row(right, j, factor(i, width - 1 - i + j), i);
    }
}

/// Solve A x = right in place by elimination without row exchanges, which is stable for matrices
/// such as those of B-splines (de Boor 1978). Row i of `rows` (N, W) holds A(i, i - lower) ...
///
/// Both are overwritten. Returns the row at which a pivot is 0, or -1.
inline index eliminate_banded(View<double, 2> rows, index lower, View<double, 2> right) {
    const index n = rows.shape[0], width = rows.shape[1], upper = width - 1 - lower;
    for (index k = 0; k < n; ++k) {
        const double pivot = rows(k, lower);
        if (!(std::abs(pivot) > 0)) return k;
        for (index i = k + 1; i < std::min(k + lower + 1, n); ++i) {
            double *const row = rows[i].data + lower - i;  // row[j] is A(i, j)
            const double factor = row[k] / pivot;
            for (index j = k + 1; j < std::min(k + upper + 1, n); ++j)
                row[j] -= factor * rows(k, lower - k + j);
            subtract_row(right, i, factor, k);
        }
    }
    for (index k = n - 1; k >= 0; --k) {
        for (index j = k + 1; j < std::min(k + upper + 1, n); ++j)
            subtract_row(right, k, rows(k, lower - k + j), j);
        for (double &value : right[k]) value /= rows(k, lower);
    }
    return -1;
}

}  // namespace retime
