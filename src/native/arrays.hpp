// Arrays of the kernels: views of what Python owns, and new arrays that Python will own.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <stdexcept>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

// Compile a function for processors with AVX2 too; the one that fits is chosen when the module is
// loaded. All round alike: no sum is reordered, and no product is fused with a sum. Loops of square
// roots, which gain by wider vectors still, are compiled for AVX-512 as well.
#if defined(__x86_64__) && defined(__gnu_linux__) && defined(__GNUC__) && \
    !defined(__SANITIZE_ADDRESS__)
#define FOR_EACH_PROCESSOR __attribute__((target_clones("avx2", "default")))
#define FOR_WIDE_PROCESSORS __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define FOR_EACH_PROCESSOR
#define FOR_WIDE_PROCESSORS
#endif

namespace retime {

using index = std::ptrdiff_t;

constexpr double PI = 3.141592653589793;
constexpr double INFINITE = std::numeric_limits<double>::infinity();
constexpr double NOT_A_NUMBER = std::numeric_limits<double>::quiet_NaN();

/// A C-contiguous array of N dimensions whose memory belongs to somebody else.
template <class T, int N>
struct View {
    T *data = nullptr;
    index shape[N] = {};

    /// Return one element: `view(row, column)`.
    template <class... I>
    T &operator()(I... at) const {
        static_assert(sizeof...(I) == N, "one index for each dimension");
        index offset = 0;
        int k = 0;
        ((offset = offset * shape[k++] + static_cast<index>(at)), ...);
        return data[offset];
    }

    /// Return a row, or an element of a one-dimensional array.
    decltype(auto) operator[](index at) const {
        if constexpr (N == 1) {
            return (data[at]);
        } else {
            View<T, N - 1> row;
            index size = 1;
            for (int k = 1; k < N; ++k) size *= row.shape[k - 1] = shape[k];
            row.data = data + at * size;
            return row;
        }
    }

    index length() const { return shape[0]; }

    index size() const {
        index total = 1;
        for (index n : shape) total *= n;
        return total;
    }

    /// Return the rows from `first` up to, not including, `past`.
    View rows(index first, index past) const {
        View out = *this;
        out.data += shape[0] ? first * (size() / shape[0]) : 0;
        out.shape[0] = past - first;
        return out;
    }

    T *begin() const { return data; }
    T *end() const { return data + size(); }

    operator View<const T, N>() const {
        View<const T, N> out;
        out.data = data;
        std::copy(shape, shape + N, out.shape);
        return out;
    }
};

/// A new C-contiguous array; Python takes its memory over when a kernel returns it.
template <class T, int N>
class Array {
  public:
    /// Make an array without values: `Array<double, 2>(rows, columns)`.
    template <class... I>
    explicit Array(I... shape) {
        static_assert(sizeof...(I) == N, "one length for each dimension");
        int k = 0;
        ((view_.shape[k++] = static_cast<index>(shape)), ...);
        memory_.reset(new T[std::max<index>(view_.size(), 1)]);
        view_.data = memory_.get();
    }

    Array(Array &&) noexcept = default;
    Array &operator=(Array &&) noexcept = default;

    Array &fill(T value) {
        std::fill(begin(), end(), value);
        return *this;
    }

    /// Keep the first rows only.
    Array &shorten(index rows) {
        view_.shape[0] = rows;
        return *this;
    }

    template <class... I>
    T &operator()(I... at) const {
        return view_(at...);
    }
    decltype(auto) operator[](index at) const { return view_[at]; }
    View<T, N> view() const { return view_; }
    operator View<T, N>() const { return view_; }
    operator View<const T, N>() const { return view_; }
    const index *shape() const { return view_.shape; }
    index length() const { return view_.shape[0]; }
    index size() const { return view_.size(); }
    T *begin() const { return view_.data; }
    T *end() const { return view_.data + view_.size(); }
    T *release() { return memory_.release(); }

  private:
    View<T, N> view_;
    std::unique_ptr<T[]> memory_;
};

/// Return a new array with all elements equal.
template <class T, class... I>
auto filled(T value, I... shape) {
    Array<T, sizeof...(I)> out(shape...);
    out.fill(value);
    return out;
}

/// Return a copy that Python can own.
template <class T, int N>
auto copied(View<T, N> from) {
    using Value = std::remove_const_t<T>;
    return std::apply(
        [&](auto... shape) {
            Array<Value, N> out(shape...);
            std::copy(from.begin(), from.end(), out.begin());
            return out;
        },
        [&] {
            std::array<index, N> shape;
            std::copy(from.shape, from.shape + N, shape.begin());
            return shape;
        }());
}

/// Return a list as an array.
template <class T>
Array<T, 1> copied(const std::vector<T> &values) {
    Array<T, 1> out(values.size());
    std::copy(values.begin(), values.end(), out.begin());
    return out;
}

/// Return a list of rows as an array.
template <class T, std::size_t N>
Array<T, 2> copied(const std::vector<std::array<T, N>> &rows) {
    Array<T, 2> out(rows.size(), N);
    for (std::size_t n = 0; n < rows.size(); ++n)
        std::copy(rows[n].begin(), rows[n].end(), out[n].begin());
    return out;
}

}  // namespace retime
