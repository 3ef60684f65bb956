// Cubic splines of rotations and positions: evaluated, fitted to samples, and compared.
#include "linear.hpp"
#include "modules.hpp"
#include "rotations.hpp"

namespace retime::splines {

namespace {

// A transition with fewer inner samples than this is a simple arc: two tangents would fit noise.
constexpr index FEWEST = 3;
constexpr Quaternion NO_TURN = {1.0, 0.0, 0.0, 0.0};

/// The arc between two quaternions, whose signs count: control points go on past half a turn.
class Arc {
  public:
    Arc(Quaternion a, Quaternion b) : a_(a), b_(b), gap_(0.5 * dot(b - a, b - a)) {
        // Near half a circle, the difference from 2 is not accurate.
        left_ = gap_ > 1.0 ? 0.5 * dot(b + a, b + a) : 2.0 - gap_;
    }
    Quaternion at(double u) const {
        const Shares by = arc_shares(gap_, left_, u);
        return by.a * a_ + by.b * b_;
    }

  private:
    Quaternion a_, b_;
    double gap_, left_;
};

/// The four control points of a transition between two knots.
using Controls = std::array<Quaternion, 4>;

Controls controls_of(View<const double, 2> rows) {
    return {quaternion(rows[0]), quaternion(rows[1]), quaternion(rows[2]), quaternion(rows[3])};
}

/// A cubic by de Casteljau's steps on the sphere (Shoemake 1985).
class Cubic {
  public:
    explicit Cubic(const Controls &c)
        : first_(c[0], c[1]), second_(c[1], c[2]), third_(c[2], c[3]) {}

    Quaternion at(double u) const {
        const Quaternion a = first_.at(u), b = second_.at(u), c = third_.at(u);
        const Quaternion q = Arc(Arc(a, b).at(u), Arc(b, c).at(u)).at(u);
        return 1.0 / std::sqrt(dot(q, q)) * q;
    }

  private:
    Arc first_, second_, third_;
};

/// Where a time is between knots: the transition, and the share of its length.
class Cursor {
  public:
    explicit Cursor(View<const double, 1> knots) : knots_(knots) {
        if (knots.length() < 2) throw std::invalid_argument("splines need two knots");
    }

    /// Go to a time; return whether the transition is another.
    bool move(double time) {
        const index before = transition_;
        index s = std::max<index>(before, 0);
        while (s < knots_.length() - 2 && time >= knots_[s + 1]) ++s;
        while (s > 0 && time < knots_[s]) --s;
        transition_ = s;
        const double share = (time - knots_[s]) / (knots_[s + 1] - knots_[s]);
        share_ = std::min(std::max(share, 0.0), 1.0);
        return s != before;
    }
    index transition() const { return transition_; }
    double share() const { return share_; }

  private:
    View<const double, 1> knots_;
    index transition_ = -1;
    double share_ = 0.0;
};

/// Return the rotation vector of a quaternion, with its sign; the angle is up to a whole turn.
inline Vector logarithm(Quaternion q) {
    const Vector v = {q.x, q.y, q.z};
    const double sine = length(v);
    return (sine < 1e-12 ? 2.0 : 2.0 * std::atan2(sine, q.w) / sine) * v;
}

/// Rotation vectors from frame to frame that do not jump at half a turn; small ones are 0.
class Changes {
  public:
    explicit Changes(double floor) : floor_(floor) {}

    Vector operator()(Quaternion from, Quaternion to) {
        Quaternion q = multiply(to, conjugate(from));
        if (dot(q, before_) < 0.0) q = -q;
        before_ = q;
        const Vector v = {q.x, q.y, q.z};
        const double sine = length(v), scale = by_sine(sine, q.w);
        return scale * sine > floor_ ? scale * v : Vector{0.0, 0.0, 0.0};
    }

  private:
    /// Return an angle by its half's sine; near 0 by a series of the arcsine, exact to rounding.
    static double by_sine(double sine, double cosine) {
        if (!(cosine > 0.9999)) return 2.0 * std::atan2(sine, cosine) / sine;
        const double x = sine * sine;
        return 2.0 + x * (1.0 / 3 + x * (3.0 / 20 + x * (5.0 / 56 + x * (35.0 / 576))));
    }

    double floor_;
    Quaternion before_ = NO_TURN;
};

/// Return the angle between two rotations, radians in [0, pi].
inline double angle_between(Quaternion a, Quaternion b) {
    const double x = 0.5 * std::sqrt(std::min(dot(a - b, a - b), dot(a + b, a + b)));
    if (x > 0.05) return 4.0 * std::asin(std::min(x, 1.0));
    const double square = x * x;  // the series of the arcsine, exact to 3e-15
    const double series = 3.0 / 40 + square * (15.0 / 336 + square * (105.0 / 3456));
    return 4.0 * x * (1.0 + square * (1.0 / 6 + square * series));
}

/// Samples strictly between two knots, from `first` up to `past`.
struct Samples {
    index first, past;
    double start, length;

    Samples(View<const double, 1> times, double low, double high)
        : first(std::upper_bound(times.begin(), times.end(), low) - times.begin()),
          past(std::lower_bound(times.begin(), times.end(), high) - times.begin()),
          start(low),
          length(high - low) {
        past = std::max(first, past);  // times that do not rise
    }
    index count() const { return past - first; }
    double share(double time) const { return (time - start) / length; }
};

/// The two inner control points of a cubic from 0, by least squares of samples.
class InnerControls {
  public:
    void add(double u, Vector sample, Vector end) {
        const double b1 = 3 * u * ((1 - u) * (1 - u)), b2 = 3 * (u * u) * (1 - u);
        const Vector rest = sample - u * (u * u) * end;
        m11_ += b1 * b1;
        m12_ += b1 * b2;
        m22_ += b2 * b2;
        r1_ = r1_ + b1 * rest;
        r2_ = r2_ + b2 * rest;
        ++count_;
    }

    std::pair<Vector, Vector> solve(Vector end) const {
        const double det = m11_ * m22_ - m12_ * m12_;
        if (count_ < FEWEST || det < 1e-12) return {over(end, 3), over(2.0 * end, 3)};
        return {over(m22_ * r1_ - m12_ * r2_, det), over(m11_ * r2_ - m12_ * r1_, det)};
    }

  private:
    static Vector over(Vector v, double by) { return {v.x / by, v.y / by, v.z / by}; }

    index count_ = 0;
    double m11_ = 0.0, m12_ = 0.0, m22_ = 0.0;
    Vector r1_ = {0.0, 0.0, 0.0}, r2_ = {0.0, 0.0, 0.0};
};

/// Rotates a transition's two inner controls to minimise the squared angles to samples.
class Refinement {
  public:
    Refinement(View<const double, 2> values, View<const double, 1> times, const Samples &samples) {
        for (index k = samples.first; k < samples.past; ++k) {
            rotations_.push_back(quaternion(values[k]));
            shares_.push_back(samples.share(times[k]));
        }
    }

    /// Iterate by Levenberg and Marquardt's method; return the controls.
    Controls refined(Controls controls, index iterations);

  private:
    static constexpr int SIZE = 6, TRIALS = 6;
    static constexpr double STEP = 1e-6;
    using Move = std::array<double, SIZE>;
    using Misses = std::vector<Vector>;

    static Controls moved(Controls controls, const Move &by) {
        controls[1] = multiply(controls[1], exponential(vector(by.data())));
        controls[2] = multiply(controls[2], exponential(vector(by.data() + 3)));
        return controls;
    }
    double misses(const Controls &controls, Misses &out) const;
    void linearise(const Controls &controls, const Misses &misses);
    Move step(double damping) const;

    std::vector<Quaternion> rotations_;
    std::vector<double> shares_;
    double square_[SIZE][SIZE];
    Move slope_;
};

/// Fill the rotation vectors from a spline to the samples; return the sum of their squares.
double Refinement::misses(const Controls &controls, Misses &out) const {
    const Cubic cubic(controls);
    double total = 0.0;
    out.resize(shares_.size());
    for (std::size_t k = 0; k < shares_.size(); ++k) {
        Quaternion at = cubic.at(shares_[k]);
        if (dot(at, rotations_[k]) < 0.0) at = -at;
        out[k] = logarithm(multiply(conjugate(at), rotations_[k]));
        total += dot(out[k], out[k]);
    }
    return total;
}

/// Set J'J and J'r of the misses r, by differences.
void Refinement::linearise(const Controls &controls, const Misses &misses) {
    std::array<Misses, SIZE> columns;
    for (int e = 0; e < SIZE; ++e) {
        Move by = {};
        by[e] = STEP;
        Misses &column = columns[e];
        this->misses(moved(controls, by), column);
        slope_[e] = 0.0;
        for (std::size_t k = 0; k < misses.size(); ++k) {
            column[k] = 1.0 / STEP * (column[k] - misses[k]);
            slope_[e] += dot(column[k], misses[k]);
        }
        for (int d = 0; d <= e; ++d) {
            double product = 0.0;
            for (std::size_t k = 0; k < misses.size(); ++k)
                product += dot(columns[d][k], column[k]);
            square_[d][e] = square_[e][d] = product;
        }
    }
}

/// Return the step of the damped least-squares problem.
Refinement::Move Refinement::step(double damping) const {
    double matrix[SIZE][SIZE], trace = 0.0;
    Move out;
    for (int e = 0; e < SIZE; ++e) trace += square_[e][e];
    for (int e = 0; e < SIZE; ++e) {
        std::copy(square_[e], square_[e] + SIZE, matrix[e]);
        matrix[e][e] += damping * (trace / SIZE + 1e-12);
        out[e] = -slope_[e];
    }
    solve(View<double, 2>{matrix[0], {SIZE, SIZE}}, View<double, 1>{out.data(), {SIZE}});
    return out;
}

Controls Refinement::refined(Controls controls, index iterations) {
    Misses now, then;
    double cost = misses(controls, now), damping = 1e-6;
    for (index n = 0; n < iterations; ++n) {
        linearise(controls, now);
        Controls trial;
        double better = INFINITE;
        for (int k = 0; k < TRIALS && !(better <= cost); ++k) {
            if (k > 0) damping = std::max(damping * 10, 1e-4);
            trial = moved(controls, step(damping));
            better = misses(trial, then);
        }
        if (!(better <= cost)) break;
        const double gain = cost - better;
        cost = better;
        controls = trial;
        now.swap(then);
        damping *= 0.1;
        if (gain < 1e-8 * cost + 1e-14) break;
    }
    return controls;
}

}  // namespace

Array<double, 2> evaluate_rotations(View<const double, 3> controls, View<const double, 1> knots,
                                    View<const double, 1> times) {
    Cursor cursor(knots);
    Array<double, 2> out(times.length(), 4);
    Cubic cubic({NO_TURN, NO_TURN, NO_TURN, NO_TURN});
    for (index m = 0; m < times.length(); ++m) {
        if (cursor.move(times[m])) cubic = Cubic(controls_of(controls[cursor.transition()]));
        store(cubic.at(cursor.share()), out[m].data);
    }
    return out;
}

Array<double, 2> evaluate_places(View<const double, 3> controls, View<const double, 1> knots,
                                 View<const double, 1> times) {
    Cursor cursor(knots);
    Array<double, 2> out(times.length(), 3);
    for (index m = 0; m < times.length(); ++m) {
        cursor.move(times[m]);
        const View<const double, 2> c = controls[cursor.transition()];
        const double u = cursor.share(), v = 1.0 - u;
        store(v * v * v * vector(c[0]) + 3 * u * v * v * vector(c[1]) +
                  3 * u * u * v * vector(c[2]) + u * u * u * vector(c[3]),
              out[m].data);
    }
    return out;
}

Array<double, 3> fit_places(View<const double, 2> values, View<const double, 1> times,
                            View<const double, 1> knots, View<const double, 2> ends) {
    Array<double, 3> out(std::max<index>(knots.length() - 1, 0), 4, 3);
    for (index s = 0; s < out.length(); ++s) {
        const Samples samples(times, knots[s], knots[s + 1]);
        const Vector start = vector(ends[s]), end = vector(ends[s + 1]);
        InnerControls fit;
        for (index k = samples.first; k < samples.past; ++k)
            fit.add(samples.share(times[k]), vector(values[k]) - start, end - start);
        const auto [second, third] = fit.solve(end - start);
        store(start, out[s][0].data);
        store(start + second, out[s][1].data);
        store(start + third, out[s][2].data);
        store(end, out[s][3].data);
    }
    return out;
}

Array<double, 3> fit_rotations(View<const double, 2> values, View<const double, 1> times,
                               View<const double, 1> knots, View<const double, 2> ends,
                               std::int64_t iterations) {
    Array<double, 3> out(std::max<index>(knots.length() - 1, 0), 4, 4);
    for (index s = 0; s < out.length(); ++s) {
        const Samples samples(times, knots[s], knots[s + 1]);
        const Quaternion start = quaternion(ends[s]), back = conjugate(start);
        const Vector end = logarithm(multiply(back, quaternion(ends[s + 1])));
        InnerControls fit;
        for (index k = samples.first; k < samples.past; ++k)
            fit.add(samples.share(times[k]), logarithm(multiply(back, quaternion(values[k]))), end);
        const auto [second, third] = fit.solve(end);
        Controls controls = {start, multiply(start, exponential(second)),
                             multiply(start, exponential(third)), quaternion(ends[s + 1])};
        if (iterations > 0 && samples.count() >= FEWEST)
            controls = Refinement(values, times, samples).refined(controls, iterations);
        for (int k = 0; k < 4; ++k) store(controls[k], out[s][k].data);
    }
    return out;
}

Array<double, 3> turn_controls(View<const double, 3> controls, View<const double, 2> turns) {
    Array<double, 3> out = copied(controls);
    for (index n = 0; n < turns.length(); ++n) {
        const Vector v = vector(turns[n]);
        if (v.x == 0.0 && v.y == 0.0 && v.z == 0.0) continue;
        const Quaternion turn = exponential(v);
        // The last two controls before the knot, and the first two after it.
        const index knot = 4 * n;
        for (index k = std::max<index>(knot - 2, 0); k < std::min(knot + 2, 4 * out.length());
             ++k) {
            double *at = out.begin() + 4 * k;
            store(multiply(turn, quaternion(at)), at);
        }
    }
    return out;
}

Array<double, 2> spline_changes(View<const double, 3> controls, View<const double, 3> before,
                                View<const double, 1> knots, View<const double, 1> times,
                                View<const double, 2> detail, View<const double, 2> source,
                                double floor) {
    Cursor cursor(knots);
    Changes change(floor);
    Array<double, 2> out = filled(0.0, times.length(), 3);
    Cubic cubic({NO_TURN, NO_TURN, NO_TURN, NO_TURN});
    bool same = true;
    for (index m = 0; m < times.length(); ++m) {
        if (cursor.move(times[m])) {
            const View<const double, 2> now = controls[cursor.transition()];
            same = std::equal(now.begin(), now.end(), before[cursor.transition()].begin());
            cubic = Cubic(controls_of(now));
        }
        if (same) continue;
        const Quaternion value = multiply(cubic.at(cursor.share()), quaternion(detail[m]));
        store(change(quaternion(source[m]), value), out[m].data);
    }
    return out;
}

Array<double, 2> rotation_changes(View<const double, 2> values, View<const double, 2> source,
                                  double floor) {
    Changes change(floor);
    Array<double, 2> out(values.length(), 3);
    for (index m = 0; m < values.length(); ++m)
        store(change(quaternion(source[m]), quaternion(values[m])), out[m].data);
    return out;
}

Array<double, 1> rising(View<const double, 1> x) {
    struct Block {
        double level;
        index size;
    };
    std::vector<Block> blocks;
    for (double level : x) {
        index size = 1;
        while (!blocks.empty() && blocks.back().level > level) {
            const Block last = blocks.back();
            blocks.pop_back();
            level = (last.level * last.size + level * size) / (last.size + size);
            size += last.size;
        }
        blocks.push_back({level, size});
    }
    Array<double, 1> out(x.length());
    double *to = out.begin();
    for (const Block &block : blocks) to = std::fill_n(to, block.size, block.level);
    return out;
}

void bind(nanobind::module_ &m) {
    define(m, "evaluate_rotations", evaluate_rotations, "controls[S,4,4] knots[S+1] times[M]",
           "Return the rotations (M, 4) of splines between knots at times.");
    define(m, "evaluate_places", evaluate_places, "controls[S,4,3] knots[S+1] times[M]",
           "Return the positions (M, 3) of splines between knots at times.");
    define(m, "fit_places", fit_places, "values[F,3] times[F] knots[N] ends[N,3]",
           "Fit cubics (N - 1, 4, 3) to positions at rising times, between knots.\n\n"
           "They pass through `ends` at the knots.");
    define(m, "fit_rotations", fit_rotations, "values[F,4] times[F] knots[N] ends[N,4] iterations",
           "Fit cubics (N - 1, 4, 4) to rotations at rising times, between knots.\n\n"
           "They pass through `ends` at the knots. Appendix A uses a simplex search over the two\n"
           "tangents. In the space of logarithms the problem is linear, and its solution is as\n"
           "good to a thousandth; iterations refine it on the angles themselves.");
    define(m, "turn_controls", turn_controls, "controls[S,4,4] turns[S+1,3]",
           "Return splines with the control points beside each knot turned by rotation vectors.");
    define(
        m, "spline_changes", spline_changes,
        "controls[S,4,4] before[S,4,4] knots[S+1] times[F] detail[F,4] source[F,4] floor",
        "Return the rotation vectors (F, 3) from source rotations to a spline and its detail.\n\n"
        "They are 0 where the control points are the same as `before`, and below the floor.\n"
        "They do not jump at half a turn.");
    define(m, "rotation_changes", rotation_changes, "values[F,4] source[F,4] floor",
           "Return the rotation vectors (F, 3) from source rotations to others.\n\n"
           "They do not jump at half a turn; values below the floor are 0.");
    define(m, "rising", rising, "x[N]",
           "Fit non-decreasing numbers (N,) by least squares (pool adjacent violators).");
}

}  // namespace retime::splines
