// Curves of time: Bezier segments through points.
#include <stdexcept>

#include "modules.hpp"

namespace retime::timing {

namespace {

using Numbers = View<const double, 1>;

/// The slopes of a segment's ends and the lengths of its handles, along x.
struct Handles {
    double slope_in, slope_out, a, b;
};

/// One coordinate of a segment.
struct Cubic {
    double p0, p1, p2, p3;

    double at(double t) const {
        const double v = 1.0 - t;
        return v * v * v * p0 + 3 * v * v * t * p1 + 3 * v * t * t * p2 + t * t * t * p3;
    }

    double slope(double t) const {
        const double v = 1.0 - t;
        return 3 * v * v * (p1 - p0) + 6 * v * t * (p2 - p1) + 3 * t * t * (p3 - p2);
    }

    /// Solve at(t) = value where it rises, by Newton's method inside a bracket.
    double parameter(double value, double t) const {
        double low = 0.0, high = 1.0;
        for (int k = 0; k < 64; ++k) {
            const double miss = at(t) - value;
            (miss > 0.0 ? high : low) = t;
            const double slope = this->slope(t);
            double next = slope > 0.0 ? t - miss / slope : -1.0;
            if (!(low < next && next < high)) next = 0.5 * (low + high);
            if (std::abs(next - t) < 1e-13) return next;
            t = next;
        }
        return t;
    }
};

/// A segment between the first and the last of some points.
struct Segment {
    Cubic x, y;

    Segment(Numbers px, Numbers py, const Handles &h)
        : x{px[0], px[0] + h.a, px[px.length() - 1] - h.b, px[px.length() - 1]},
          y{py[0], py[0] + h.a * h.slope_in, py[py.length() - 1] - h.b * h.slope_out,
            py[py.length() - 1]} {}
};

/// The largest distance in y of points from a segment.
double error_of(const Segment &segment, Numbers x, Numbers y) {
    double worst = 0.0, t = 0.0;
    for (index k = 1; k + 1 < x.length(); ++k) {
        t = segment.x.parameter(x[k], t);
        worst = std::max(worst, std::abs(segment.y.at(t) - y[k]));
    }
    return worst;
}

/// The normal equations of both lengths.
struct Normal {
    double aa = 0.0, ab = 0.0, bb = 0.0, a = 0.0, b = 0.0;

    void add(double by_a, double by_b, double residual) {
        aa += by_a * by_a;
        ab += by_a * by_b;
        bb += by_b * by_b;
        a += by_a * residual;
        b += by_b * residual;
    }

    /// Take a damped step; return whether there is one.
    bool step(Handles &handles, double width) const {
        const double damp = 1e-9 * (aa + bb) + 1e-300;
        const double det = (aa + damp) * (bb + damp) - ab * ab;
        if (det <= 0.0) return false;
        const auto limited = [=](double length) {
            return std::min(std::max(length, 0.02 * width), 0.98 * width);
        };
        handles.a = limited(handles.a - ((bb + damp) * a - ab * b) / det);
        handles.b = limited(handles.b - ((aa + damp) * b - ab * a) / det);
        return true;
    }
};

struct Fit {
    Handles handles;
    double error;
};

/// Fit the lengths of the handles by Gauss-Newton, until the error is small enough.
Fit fit(Numbers x, Numbers y, double slope_in, double slope_out, double enough) {
    const double width = x[x.length() - 1] - x[0];
    Handles now{slope_in, slope_out, width / 3.0, width / 3.0};
    Fit best{now, INFINITE};
    std::vector<double> parameter(x.length());
    for (index k = 0; k < x.length(); ++k) parameter[k] = (x[k] - x[0]) / width;
    for (int round = 0; round < 12; ++round) {
        const Segment segment(x, y, now);
        Normal normal;
        double worst = 0.0;
        for (index k = 1; k + 1 < x.length(); ++k) {
            const double t = parameter[k] = segment.x.parameter(x[k], parameter[k]), v = 1.0 - t;
            const double residual = segment.y.at(t) - y[k];
            worst = std::max(worst, std::abs(residual));
            // x is constant while a handle changes, so the parameter changes with it.
            const double along = segment.y.slope(t) / std::max(segment.x.slope(t), 1e-12 * width);
            normal.add(3 * v * v * t * (slope_in - along), -3 * v * t * t * (slope_out - along),
                       residual);
        }
        if (worst < best.error) best = {now, worst};
        if (best.error <= enough || !normal.step(now, width)) break;
    }
    return best;
}

/// Return up to `most` of some numbers, evenly spread from the first to the last.
Array<double, 1> few(Numbers from, index most) {
    const index last = from.length() - 1, count = std::min(from.length(), most);
    const double step = static_cast<double>(last) / (count - 1);
    Array<double, 1> out(count);
    for (index k = 0; k + 1 < count; ++k) out[k] = from[static_cast<index>(k * step)];
    out[count - 1] = from[last];
    return out;
}

}  // namespace

std::tuple<double, double, double> fit_bezier_segment(Numbers x, Numbers y, double slope_in,
                                                      double slope_out, double tolerance,
                                                      std::int64_t most) {
    if (x.length() < 2 || most < 2)
        throw std::invalid_argument("fit_bezier_segment: a segment needs two points");
    auto [handles, error] = fit(few(x, most), few(y, most), slope_in, slope_out, 0.5 * tolerance);
    if (error <= tolerance) error = error_of(Segment(x, y, handles), x, y);
    return {handles.a, handles.b, error};
}

void bind(nanobind::module_ &m) {
    define(m, "fit_bezier_segment", fit_bezier_segment,
           "x[N] y[N] slope_in slope_out tolerance most",
           "Fit the handles of a Bezier segment to points, given its ends and end slopes.\n\n"
           "It is fitted to `most` of the points. Returns the lengths of the handles along x and\n"
           "the largest error: of all points if those fitted are within the tolerance.");
}

}  // namespace retime::timing
