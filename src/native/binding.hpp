// How kernels become Python functions: `define(module, name, function, shapes, help)`.
//
// A kernel is a plain function of views and numbers. It runs without the interpreter's lock. An
// array of another type, order or number of dimensions is a TypeError, never a copy. `shapes` names
// the arguments, the lengths that must agree, and the range of numbers that are used as indices:
//
//     "rotations[F,J,4] frame[N]:0..F parents[J]:-1..J"
//
// F, J and N are whatever the arrays have; `frame` must lie in 0 <= frame < F. A length may also be
// `N+1`, `2*N`, a sum of both, or `*` for any. What does not fit is a ValueError.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>

#include <string>

#include "arrays.hpp"

namespace retime {

/// What a shape check sees of an argument.
struct Argument {
    int dimensions = 0;
    const index *shape = nullptr;
    const std::int64_t *first = nullptr;  ///< Numbers that may be indices, or none.
    index count = 0;
};

/// The declared shapes of a kernel's arguments.
class Shapes {
  public:
    Shapes(const char *kernel, const char *declaration, std::initializer_list<int> dimensions);
    const char *name(std::size_t argument) const { return parameters_[argument].name.c_str(); }
    /// Throw an exception that names the argument that does not fit.
    void check(const Argument *arguments) const;

  private:
    struct Length {
        int symbol = -1;  ///< Place in symbols_; -1 for a plain number, -2 for any.
        index factor = 1, plus = 0;
    };
    struct Parameter {
        std::string name, text;
        std::vector<Length> lengths;
        bool ranged = false;
        Length low, past;
    };
    Length length(const std::string &text);
    index value(const Length &length, const index *known) const;

    std::string kernel_;
    std::vector<Parameter> parameters_;
    std::vector<std::string> symbols_;
};

template <class T, int N>
Argument describe(const View<T, N> &view) {
    Argument out{N, view.shape, nullptr, 0};
    if constexpr (std::is_same_v<std::remove_const_t<T>, std::int64_t>) {
        out.first = view.data;
        out.count = view.size();
    }
    return out;
}

inline Argument describe(const std::int64_t &number) { return {0, nullptr, &number, 1}; }
inline Argument describe(const double &) { return {}; }
inline Argument describe(const bool &) { return {}; }

template <class T>
struct DimensionsOf : std::integral_constant<int, 0> {};
template <class T, int N>
struct DimensionsOf<View<T, N>> : std::integral_constant<int, N> {};

template <class Result, class... A, std::size_t... I>
void define_with(nanobind::module_ &module, const char *name, Result (*kernel)(A...),
                 const char *shapes, const char *help, std::index_sequence<I...>) {
    // It lives as long as the module.
    const auto *declared = new Shapes(name, shapes, {DimensionsOf<A>::value...});
    module.def(
        name,
        [kernel, declared](A... a) -> Result {
            const Argument arguments[] = {describe(a)...};
            declared->check(arguments);
            nanobind::gil_scoped_release unlocked;
            return kernel(a...);
        },
        nanobind::arg(declared->name(I))...,
        (std::string(help) + "\n\nShapes: " + shapes + ".").c_str());
}

/// Add a kernel to a module; see the top of this file.
template <class Result, class... A>
void define(nanobind::module_ &module, const char *name, Result (*kernel)(A...), const char *shapes,
            const char *help) {
    define_with(module, name, kernel, shapes, help, std::index_sequence_for<A...>());
}

/// Return the type of an array as stubs and errors show it.
template <class T>
constexpr auto array_name() {
    return nanobind::detail::const_name("numpy.typing.NDArray[numpy.") +
           nanobind::detail::dtype_traits<T>::name + nanobind::detail::const_name("]");
}

}  // namespace retime

namespace nanobind::detail {

template <class T, int N>
struct type_caster<retime::View<T, N>> {
    using Given = ndarray<T, ndim<N>, c_contig, device::cpu>;
    using Seen = retime::View<T, N>;
    NB_TYPE_CASTER(Seen, retime::array_name<T>())

    bool from_python(handle source, std::uint32_t flags, cleanup_list *cleanup) noexcept {
        // Without the flag to convert, nothing is copied.
        flags &= ~static_cast<std::uint32_t>(cast_flags::convert);
        if (!given_.from_python(source, flags, cleanup)) return false;
        value.data = given_.value.data();
        for (int k = 0; k < N; ++k) value.shape[k] = given_.value.shape(k);
        return true;
    }

  private:
    make_caster<Given> given_;
};

template <class T, int N>
struct type_caster<retime::Array<T, N>> {
    using Result = ndarray<numpy, T, ndim<N>, c_contig>;
    static constexpr auto Name = retime::array_name<T>();

    static handle from_cpp(retime::Array<T, N> &&array, rv_policy, cleanup_list *cleanup) noexcept {
        std::size_t shape[N];
        std::copy(array.shape(), array.shape() + N, shape);
        T *memory = array.release();
        capsule owner(memory, [](void *p) noexcept { delete[] static_cast<T *>(p); });
        Result out(memory, N, shape, owner);
        return make_caster<Result>::from_cpp(out, rv_policy::reference, cleanup);
    }
};

}  // namespace nanobind::detail
