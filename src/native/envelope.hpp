// Sparse symmetric systems whose rows are short, but for a few.
#pragma once

#include "arrays.hpp"

namespace retime {

/// A symmetric matrix by rows, each from its first entry to the diagonal; factored in place.
class Envelope {
  public:
    explicit Envelope(index n) : first_(n), start_(n + 1) {
        for (index i = 0; i < n; ++i) first_[i] = i;
    }

    void couple(index i, index j) {
        first_[std::max(i, j)] = std::min(first_[std::max(i, j)], std::min(i, j));
    }

    void allocate() {
        start_[0] = 0;
        for (index i = 0; i < size(); ++i) start_[i + 1] = start_[i] + i - first_[i] + 1;
        values_.assign(start_.back(), 0.0);
    }

    index size() const { return static_cast<index>(first_.size()); }
    void clear() { std::fill(values_.begin(), values_.end(), 0.0); }
    double *row(index i) { return values_.data() + start_[i] - first_[i]; }
    void add(index i, index j, double value) { row(std::max(i, j))[std::min(i, j)] += value; }

    /// Factor as L L^T; return whether the matrix is positive definite.
    bool factor() {
        for (index i = 0; i < size(); ++i) {
            double *a = row(i);
            for (index j = first_[i]; j < i; ++j) {
                const double *b = row(j);
                double sum = a[j];
                for (index k = std::max(first_[i], first_[j]); k < j; ++k) sum -= a[k] * b[k];
                a[j] = sum / b[j];
            }
            double rest = a[i];
            for (index k = first_[i]; k < i; ++k) rest -= a[k] * a[k];
            if (!(rest > 0.0)) return false;
            a[i] = std::sqrt(rest);
        }
        return true;
    }

    /// Solve with the factor in place.
    void solve(std::vector<double> &x) {
        for (index i = 0; i < size(); ++i) {
            const double *a = row(i);
            for (index k = first_[i]; k < i; ++k) x[i] -= a[k] * x[k];
            x[i] /= a[i];
        }
        for (index i = size() - 1; i >= 0; --i) {
            const double *a = row(i);
            x[i] /= a[i];
            for (index k = first_[i]; k < i; ++k) x[k] -= a[k] * x[i];
        }
    }

  private:
    std::vector<index> first_, start_;
    std::vector<double> values_;
};

}  // namespace retime
