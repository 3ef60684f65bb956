// Contacts of a figure: their generalised forces, and the least forces that hold it.
#include "modules.hpp"
#include "physics_vectors.hpp"

namespace retime::physics_contacts {

namespace {

using namespace physics;

// Relative to the largest diagonal entry: least gain, and regularisation of equal columns.
constexpr double GAIN = 1e-9, RIDGE = 1e-11;
constexpr int MOST_EXCHANGES = 400;
// Rows of the root: a force and a moment.
constexpr index ROOT = 6;

/// A symmetric matrix that is filled from its diagonal to the right.
struct Square {
    index count;
    std::vector<double> values;

    explicit Square(index n) : count(n), values(n * n) {}
    double *operator[](index row) { return values.data() + row * count; }
    const double *operator[](index row) const { return values.data() + row * count; }

    void mirror() {
        for (index a = 0; a < count; ++a)
            for (index b = 0; b < a; ++b) values[a * count + b] = values[b * count + a];
    }
};

/// Cholesky's factors of some rows and columns of a matrix, by rows above the diagonal.
class Factors {
  public:
    explicit Factors(index most) : most_(most), upper_(most * most) {}

    void factorise(const Square &square, const index *chosen, index size, double ridge);
    /// Solve for a right side of all rows; `solved` gets the chosen ones.
    void solve(const double *right, double *solved) const;

  private:
    index most_, size_ = 0;
    const index *chosen_ = nullptr;
    std::vector<double> upper_;
};

/// Replace rows above the diagonal by Cholesky's factors, in place.
FOR_EACH_PROCESSOR
void eliminate(double *upper, index stride, index size, double ridge) {
    for (index b = 0; b < size; ++b) {
        double *row = upper + b * stride;
        for (index k = 0; k < b; ++k) {
            const double *above = upper + k * stride;
            const double by = above[b];
            for (index a = b; a < size; ++a) row[a] -= by * above[a];
        }
        const double pivot = std::sqrt(std::max(row[b], ridge));
        row[b] = pivot;
        for (index a = b + 1; a < size; ++a) row[a] /= pivot;
    }
}

void Factors::factorise(const Square &square, const index *chosen, index size, double ridge) {
    size_ = size;
    chosen_ = chosen;
    for (index b = 0; b < size; ++b) {
        const double *from = square[chosen[b]];
        double *row = upper_.data() + b * most_;
        for (index a = b; a < size; ++a) row[a] = from[chosen[a]];
        row[b] += ridge;
    }
    eliminate(upper_.data(), most_, size, ridge);
}

void Factors::solve(const double *right, double *solved) const {
    for (index a = 0; a < size_; ++a) solved[a] = right[chosen_[a]];
    for (index k = 0; k < size_; ++k) {
        const double *row = upper_.data() + k * most_;
        solved[k] /= row[k];
        for (index a = k + 1; a < size_; ++a) solved[a] -= row[a] * solved[k];
    }
    for (index a = size_ - 1; a >= 0; --a) {
        const double *row = upper_.data() + a * most_;
        for (index k = a + 1; k < size_; ++k) solved[a] -= row[k] * solved[k];
        solved[a] /= row[a];
    }
}

/// Minimise x' square x / 2 - right' x over x >= 0, by Lawson and Hanson's active sets.
class LeastSquares {
  public:
    LeastSquares(const Square &square, const double *right)
        : square_(square),
          right_(right),
          count_(square.count),
          positive_(count_, false),
          chosen_(count_),
          solved_(count_),
          slopes_(count_),
          factors_(count_) {}

    /// Fill x.
    void solve(double *out);

  private:
    index steepest(const double *out, double least);
    bool settle(double *out);

    const Square &square_;
    const double *right_;
    index count_;
    double ridge_ = 0.0;
    std::vector<char> positive_;
    std::vector<index> chosen_;
    std::vector<double> solved_, slopes_;
    Factors factors_;
};

void LeastSquares::solve(double *out) {
    std::fill(out, out + count_, 0.0);
    double largest = 0.0, enough = 0.0;
    for (index i = 0; i < count_; ++i) {
        largest = std::max(largest, square_[i][i]);
        enough = std::max(enough, std::abs(right_[i]));
    }
    ridge_ = RIDGE * largest;
    enough *= GAIN;
    for (int exchange = 0; exchange < MOST_EXCHANGES; ++exchange) {
        const index best = steepest(out, enough);
        if (best < 0) return;
        positive_[best] = true;
        while (!settle(out)) {
        }
    }
}

/// Return the variable at zero that gains most by growing, or -1.
index LeastSquares::steepest(const double *out, double least) {
    std::copy(right_, right_ + count_, slopes_.begin());
    double *slopes = slopes_.data();
    for (index j = 0; j < count_; ++j) {
        if (out[j] == 0.0) continue;
        const double *row = square_[j];
        for (index i = 0; i < count_; ++i) slopes[i] -= row[i] * out[j];
    }
    index best = -1;
    for (index i = 0; i < count_; ++i)
        if (!positive_[i] && slopes[i] > least) {
            best = i;
            least = slopes[i];
        }
    return best;
}

/// Go to the optimum of the positive variables; return false if some became zero on the way.
bool LeastSquares::settle(double *out) {
    index size = 0;
    for (index i = 0; i < count_; ++i)
        if (positive_[i]) chosen_[size++] = i;
    factors_.factorise(square_, chosen_.data(), size, ridge_);
    factors_.solve(right_, solved_.data());
    double length = 1.0;
    index stops = -1;
    for (index k = 0; k < size; ++k) {
        if (!(solved_[k] <= 0.0)) continue;
        const double before = out[chosen_[k]];
        const double share = before > solved_[k] ? before / (before - solved_[k]) : 0.0;
        if (share < length) {
            length = share;
            stops = k;
        }
    }
    for (index k = 0; k < size; ++k) {
        const index i = chosen_[k];
        if (stops < 0) {
            out[i] = solved_[k];
            continue;
        }
        out[i] += length * (solved_[k] - out[i]);
        if (k == stops || out[i] <= 0.0) {
            out[i] = 0.0;
            positive_[i] = false;
        }
    }
    return stops < 0;
}

/// Contact forces as a problem of least squares: its rows, each with a weight.
class Fit {
  public:
    /// Rows of the root are weighed by `must`, those of joints by 1 / `scale`.
    Fit(View<const double, 2> support, double unit, const double *must, const double *scale)
        : support_(support), unit_(unit), must_(must), scale_(scale) {
        for (index i = 0; i < support.shape[0]; ++i) {
            const View<const double, 1> row = support[i];
            if (std::any_of(row.begin(), row.end(), [](double v) { return v != 0.0; }))
                rows_.push_back(i);
        }
    }

    /// Return what forces cost in squares: misses of the rows, and `cost` for themselves.
    Square squares(double cost) const {
        Square out(support_.shape[1]);
        for (index a = 0; a < out.count; ++a) out[a][a] = cost * cost;
        for (const index i : rows_) {
            double weight;
            if (i < ROOT) {
                weight = must_[i] * must_[i] * unit_ * unit_;
            } else {
                const double held = unit_ / scale_[i - ROOT];
                weight = held * held;
            }
            add_products(support_[i].data, weight, out);
        }
        out.mirror();
        return out;
    }

    /// Return what forces gain toward torques, less those of the joints that are targets.
    std::vector<double> gains(const double *torque, const double *target) const {
        const index count = support_.shape[1];
        std::vector<double> out(count);
        for (const index i : rows_) {
            const double *row = support_[i].data;
            if (i < ROOT) {
                const double weight = must_[i] * must_[i] * unit_;
                for (index a = 0; a < count; ++a) out[a] += weight * row[a] * torque[i];
            } else {
                const double missing = target ? torque[i] - target[i - ROOT] : torque[i];
                const double square = scale_[i - ROOT] * scale_[i - ROOT];
                for (index a = 0; a < count; ++a) out[a] += unit_ * row[a] * missing / square;
            }
        }
        return out;
    }

    /// The rows in which contacts have a part.
    const std::vector<index> &rows() const { return rows_; }

  private:
    static void add_products(const double *row, double weight, Square &out);

    View<const double, 2> support_;
    double unit_;
    const double *must_, *scale_;
    std::vector<index> rows_;
};

FOR_EACH_PROCESSOR
void add_outer(const double *weighed, const double *row, index count, double *out) {
    for (index b = 0; b < count; ++b, out += count)
        for (index a = b; a < count; ++a) out[a] += weighed[a] * row[b];
}

void Fit::add_products(const double *row, double weight, Square &out) {
    std::vector<double> weighed(row, row + out.count);
    for (double &v : weighed) v *= weight;
    add_outer(weighed.data(), row, out.count, out.values.data());
}

}  // namespace

std::pair<Array<double, 1>, Array<std::int64_t, 1>> touch_maps(
    View<const std::int64_t, 1> parents, View<const double, 4> turns, View<const double, 3> places,
    View<const double, 2> centres, View<const double, 1> headings,
    View<const std::int64_t, 1> starts, View<const std::int64_t, 1> joints,
    View<const double, 2> points, View<const double, 3> bases, View<const std::int64_t, 1> sizes) {
    const index frames = turns.shape[0], dofs = 3 + 3 * parents.length();
    Array<std::int64_t, 1> at(frames + 1);
    at[0] = 0;
    for (index f = 0; f < frames; ++f) {
        at[f + 1] = at[f];
        for (index t = starts[f]; t < starts[f + 1]; ++t) at[f + 1] += dofs * sizes[t];
    }
    Array<double, 1> out = filled(0.0, at[frames]);
    for (index f = 0; f < frames; ++f) {
        const index columns = (at[f + 1] - at[f]) / dofs;
        const Heading heading(headings[f]);
        double *column = out.begin() + at[f];
        for (index t = starts[f]; t < starts[f + 1]; column += sizes[t++]) {
            const Vector point = vector(points[t]);
            const double *forces = bases[t].data;
            const auto put = [=](index row, auto part) {
                double *to = column + row * columns;
                for (index b = 0; b < sizes[t]; ++b, ++to) {
                    const Vector v = part(vector(forces + 3 * b));
                    to[0] = v.x;
                    to[columns] = v.y;
                    to[2 * columns] = v.z;
                }
            };
            const Vector arm = point - vector(centres[f]);
            put(0, [=](Vector force) { return heading.turned_back(force); });
            put(3, [=](Vector force) { return heading.turned_back(cross(arm, force)); });
            // Parents come before their children.
            for (index j = joints[t]; j > 0; j = std::min<index>(parents[j], j - 1)) {
                const double *turn = turns[f][j].data;
                const Vector lever = point - vector(places[f][j]);
                put(3 + 3 * j,
                    [=](Vector force) { return turned_back(turn, cross(lever, force)); });
            }
        }
    }
    return {std::move(out), std::move(at)};
}

Array<double, 1> given_forces(View<const double, 2> support, View<const double, 1> needed,
                              View<const double, 1> rows, double unit) {
    const index count = support.shape[1];
    const index given = std::min(support.shape[0], ROOT);
    const Fit fit(support.rows(0, given), unit, rows.data, nullptr);
    const Square square = fit.squares(0.0);
    const std::vector<double> right = fit.gains(needed.data, nullptr);
    std::vector<double> forces(count);
    LeastSquares(square, right.data()).solve(forces.data());
    Array<double, 1> out = filled(0.0, ROOT);
    for (index i = 0; i < given; ++i) {
        const double *row = support[i].data;
        double value = 0.0;
        for (index a = 0; a < count; ++a) value += row[a] * forces[a];
        out[i] = unit * value;
    }
    return out;
}

Array<double, 1> least_contact_forces(View<const double, 2> support, double unit,
                                      View<const double, 1> must, View<const double, 1> scale,
                                      double cost, View<const double, 1> torque,
                                      View<const double, 1> target) {
    const Fit fit(support, unit, must.data, scale.data);
    const Square square = fit.squares(cost);
    const std::vector<double> right = fit.gains(torque.data, target.data);
    Array<double, 1> out(support.shape[1]);
    LeastSquares(square, right.data()).solve(out.begin());
    return out;
}

Array<double, 2> effort_maps(View<const double, 2> support, double unit, View<const double, 1> must,
                             View<const double, 1> scale, double cost,
                             View<const double, 1> gravity, View<const double, 1> speed,
                             View<const double, 1> change, View<const double, 1> centre,
                             View<const double, 1> forces) {
    const index joints = scale.length(), count = support.shape[1];
    Array<double, 2> out(3, joints);
    double *still = out[0].data, *by_speed = out[1].data, *by_change = out[2].data;
    std::copy(gravity.begin() + ROOT, gravity.end(), still);
    std::copy(speed.begin() + ROOT, speed.end(), by_speed);
    std::copy(change.begin() + ROOT, change.end(), by_change);
    if (count == 0) return out;

    const Fit fit(support, unit, must.data, scale.data);
    const Square square = fit.squares(cost);
    std::vector<index> all(count);
    for (index a = 0; a < count; ++a) all[a] = a;
    Factors factors(count);
    factors.factorise(square, all.data(), count, 0.0);
    std::vector<double> speeds(count), changes(count), rest(count);
    factors.solve(fit.gains(speed.data, nullptr).data(), speeds.data());
    factors.solve(fit.gains(change.data, nullptr).data(), changes.data());
    for (index a = 0; a < count; ++a)
        rest[a] = forces[a] - speeds[a] * centre[1] - changes[a] * centre[0];
    for (const index i : fit.rows()) {
        if (i < ROOT) continue;
        const double *row = support[i].data;
        for (index a = 0; a < count; ++a) {
            const double held = unit * row[a];
            still[i - ROOT] -= held * rest[a];
            by_speed[i - ROOT] -= held * speeds[a];
            by_change[i - ROOT] -= held * changes[a];
        }
    }
    return out;
}

void bind(nanobind::module_ &m) {
    define(
        m, "touch_maps", touch_maps,
        "parents[J]:-1..J turns[F,J,3,3] places[F,J,3] centres[F,3] headings[F] "
        "starts[F+1]:0..T+1 joints[T]:0..J points[T,3] bases[T,6,3] sizes[T]:0..7",
        "Return N (dofs, L) of every frame, in sequence, and where each begins (F + 1,).\n\n"
        "The touches of frame f are `starts[f]` to `starts[f + 1]`: the model's joint that each\n"
        "moves with, its place in the world, and the first `sizes` of its basis forces (6, 3).\n"
        "Rows are as of the torques: the root's force and moment about the centre of mass in\n"
        "the body's axes, then each joint's moment in its own frame (J^T of eq. 10).");
    define(m, "given_forces", given_forces, "support[R,L] needed[6] rows[6] unit",
           "Return the force and moment of contacts (6,) nearest to a needed force and moment.\n\n"
           "`rows` (6,) weigh the six; `unit` is the force that basis forces are counted in.");
    define(m, "least_contact_forces", least_contact_forces,
           "support[R,L] unit must[6] scale[R-6] cost torque[R] target[R-6]",
           "Return contact forces (L,), in units, that hold the root and come near to target\n"
           "torques.");
    define(
        m, "effort_maps", effort_maps,
        "support[R,L] unit must[6] scale[R-6] cost gravity[R] speed[R] change[R] centre[2] "
        "forces[L]",
        "Return the joints' torques as functions of the timing (3, n): 1, p'^2 and p''.\n\n"
        "Contact forces go from those at the centre (p'', p'^2) by one linear map a frame, which\n"
        "holds the root and changes torques as little as can be; then torques are linear in the\n"
        "timing.");
}

}  // namespace retime::physics_contacts
