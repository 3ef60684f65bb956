// Feasible polygons: walking along their edges, thinning, nearest points.
#include "physics_polygons.hpp"

#include "modules.hpp"

namespace retime::physics_polygons {

namespace {

constexpr double SMALL = 1e-9;
constexpr double FAR = 1e300;
// The sweep starts at an angle that no edge of a symmetric problem has.
constexpr double FIRST_ANGLE = -PI / 2 + 0.1234567;
constexpr int MOST_PIVOTS = 2000;
constexpr std::size_t MOST_CORNERS = 250;
// Angular tolerance of the sweep, radians. Tiny pivots leave rounding errors in its direction; with
// a smaller tolerance, an edge would count as one after a whole turn.
constexpr double SLIP = 1e-5;

/// Return the remainder that has the sign of the divisor.
double floored_remainder(double a, double by) {
    const double left = std::fmod(a, by);
    return left != 0.0 && (left < 0.0) != (by < 0.0) ? left + by : left;
}

/// Add a multiple of a row to a row.
inline void add(double factor, const double *row, index count, double *to) {
    for (index k = 0; k < count; ++k) to[k] += factor * row[k];
}

/// Exchange a basic with a nonbasic variable in the dictionary `basic = table * nonbasic`.
FOR_EACH_PROCESSOR
void exchange(double *table, index rows, index columns, index row, index column) {
    double *pivot = table + row * columns;
    const double inverse = 1.0 / pivot[column];
    for (index k = 0; k < columns; ++k) pivot[k] *= -inverse;
    pivot[column] = inverse;
    for (index i = 0; i < rows; ++i) {
        double *to = table + i * columns;
        const double factor = to[column];
        if (i == row || factor == 0.0) continue;
        add(factor, pivot, columns, to);
        to[column] = factor * inverse;
    }
}

struct Variable {
    double value, low, high;
    index name;

    bool below() const { return value < low - SMALL; }
    bool above() const { return value > high + SMALL; }
    bool fixed() const { return high - low < 1e-14; }
};

/// A nonbasic variable that is to change, and in which direction.
struct Entering {
    index column = -1;
    double way = 0.0;
    double turn = 0.0;  ///< Angle by which the sweep turns first.
};

/// The basic variable that ends a change, and at which of its bounds.
struct Block {
    double step = FAR;
    index row = -1;
    bool at_high = false;
};

/// The simplex method on (y, x, l), for a direction of y and x that turns.
///
/// Nonbasic variables are columns, basic ones rows. The objective's y and x are the last two rows.
class Sweep {
  public:
    Sweep(View<const double, 1> gravity, View<const double, 1> speed, View<const double, 1> change,
          View<const double, 2> forces, double most_change, double most_speed, double most_force);

    /// Walk around the polygon; return false where nothing is feasible, or where it gave up.
    bool walk();

    Array<double, 2> corners() const { return laid_out(corners_, 2); }
    Array<double, 2> forces() const { return laid_out(forces_, columns_ - 2); }

  private:
    enum class Phase { FEASIBLE, TO_BOUNDS, FIRST_CORNER, AROUND };

    double *row(index i) { return table_.data() + i * columns_; }
    double &entry(index i, index column) { return table_[i * columns_ + column]; }
    double outside();
    void price_direction();
    Entering best_column() const;
    Entering free_column();
    Entering next_edge();
    Block reach(const Entering &entering, bool comes_in);
    bool move(const Entering &entering);
    bool keep();
    Array<double, 2> laid_out(const std::vector<double> &values, index columns) const;

    index rows_, columns_;
    std::vector<double> table_, price_;
    std::vector<Variable> basic_, nonbasic_;
    Phase phase_ = Phase::FEASIBLE;
    double here_[2] = {0.0, 1.0};  ///< (y, x); the start is the recorded timing.
    double angle_ = FIRST_ANGLE, turned_ = 0.0;
    std::size_t found_ = 0;
    std::vector<double> corners_, forces_;
};

Sweep::Sweep(View<const double, 1> gravity, View<const double, 1> speed,
             View<const double, 1> change, View<const double, 2> forces, double most_change,
             double most_speed, double most_force)
    : rows_(forces.shape[0]),
      columns_(2 + forces.shape[1]),
      table_((rows_ + 2) * columns_),
      price_(columns_) {
    for (index i = 0; i < rows_; ++i) {
        double *to = row(i);
        to[0] = change[i];
        to[1] = speed[i];
        for (index k = 2; k < columns_; ++k) to[k] = -forces(i, k - 2);
        basic_.push_back({gravity[i] + speed[i], -1.0, 1.0, columns_ + i});
    }
    entry(rows_, 0) = 1.0;
    entry(rows_ + 1, 1) = 1.0;
    nonbasic_.push_back({0.0, -most_change, most_change, 0});
    nonbasic_.push_back({1.0, 0.0, most_speed, 1});
    for (index k = 2; k < columns_; ++k) nonbasic_.push_back({0.0, 0.0, most_force, k});
}

bool Sweep::walk() {
    for (int pivots = 0; pivots < MOST_PIVOTS; ++pivots) {
        Entering entering;
        if (phase_ == Phase::FEASIBLE) {
            if (outside() <= SMALL * rows_) {
                phase_ = Phase::TO_BOUNDS;
                continue;
            }
            entering = best_column();
            if (entering.column < 0) return false;
        } else if (phase_ == Phase::TO_BOUNDS) {
            entering = free_column();
            if (entering.column < 0) {
                phase_ = Phase::FIRST_CORNER;
                continue;
            }
        } else if (phase_ == Phase::FIRST_CORNER) {
            price_direction();
            entering = best_column();
            if (entering.column < 0) {
                phase_ = Phase::AROUND;
                keep();
                continue;
            }
        } else {
            entering = next_edge();
            if (entering.column < 0 || turned_ + entering.turn > 2 * PI + 1e-9) return true;
            angle_ += entering.turn;
            turned_ += entering.turn;
        }
        if (!move(entering)) return false;
    }
    return false;
}

/// Return the sum of bound violations of basic variables; the prices get its gradient.
double Sweep::outside() {
    double total = 0.0;
    std::fill(price_.begin(), price_.end(), 0.0);
    for (index i = 0; i < rows_; ++i) {
        const Variable &v = basic_[i];
        if (v.below()) {
            total += v.low - v.value;
            add(1.0, row(i), columns_, price_.data());
        } else if (v.above()) {
            total += v.value - v.high;
            add(-1.0, row(i), columns_, price_.data());
        }
    }
    return total;
}

/// Set the prices to the change of the objective by each variable.
void Sweep::price_direction() {
    const double cosine = std::cos(angle_), sine = std::sin(angle_);
    const double *y = row(rows_), *x = row(rows_ + 1);
    for (index k = 0; k < columns_; ++k) price_[k] = cosine * y[k] + sine * x[k];
}

/// Return the entering variable of the best price, if there is one.
Entering Sweep::best_column() const {
    Entering out;
    double best = SMALL;
    for (index k = 0; k < columns_; ++k) {
        const Variable &v = nonbasic_[k];
        if (v.fixed()) continue;
        if (price_[k] > best && v.value < v.high - SMALL) {
            out = {k, 1.0};
            best = price_[k];
        } else if (-price_[k] > best && v.value > v.low + SMALL) {
            out = {k, -1.0};
            best = -price_[k];
        }
    }
    return out;
}

/// Return a nonbasic variable that lies between its bounds, if there is one.
Entering Sweep::free_column() {
    price_direction();
    for (index k = 0; k < columns_; ++k) {
        const Variable &v = nonbasic_[k];
        if (v.low + SMALL < v.value && v.value < v.high - SMALL)
            return {k, price_[k] > 0.0 ? 1.0 : -1.0};
    }
    return {};
}

/// Return the next edge of the sweep, if there is one.
Entering Sweep::next_edge() {
    Entering out{-1, 0.0, FAR};
    for (index k = 0; k < columns_; ++k) {
        const Variable &v = nonbasic_[k];
        if (v.fixed()) continue;
        const double sign = v.value <= v.low + SMALL ? 1.0 : -1.0;
        const double dy = sign * entry(rows_, k), dx = sign * entry(rows_ + 1, k);
        if (dy * dy + dx * dx < 1e-20) continue;
        // Angle at which this direction no longer decreases the objective.
        double turn = floored_remainder(std::atan2(dx, dy) + 1.5 * PI - angle_, 2 * PI);
        if (turn > 2 * PI - SLIP) turn = 0.0;
        if (turn < out.turn) out = {k, sign, turn};
    }
    return out;
}

/// Return how far a nonbasic variable can change until a basic one is at a bound.
///
/// In the first phase a basic variable outside its bounds stops only where it comes in.
Block Sweep::reach(const Entering &entering, bool comes_in) {
    Block out;
    double largest = 0.0;
    for (index i = 0; i < rows_; ++i) {
        const double slope = entry(i, entering.column) * entering.way;
        if (std::abs(slope) < 1e-10) continue;
        const Variable &v = basic_[i];
        double step = FAR;
        bool upper = false;
        if (slope > 0.0) {
            if (comes_in && v.below()) {
                step = (v.low - v.value) / slope;
            } else if (!v.above()) {
                step = (v.high - v.value) / slope;
                upper = true;
            }
        } else if (comes_in && v.above()) {
            step = (v.high - v.value) / slope;
            upper = true;
        } else if (!v.below()) {
            step = (v.low - v.value) / slope;
        }
        step = std::max(step, 0.0);
        if (step < out.step - 1e-12 || (step < out.step + 1e-12 && std::abs(slope) > largest)) {
            out = {step, i, upper};
            largest = std::abs(slope);
        }
    }
    return out;
}

/// Change a variable as far as possible; return false if that has no end.
bool Sweep::move(const Entering &entering) {
    const auto [column, way, turn] = entering;
    Variable &v = nonbasic_[column];
    const Block block = reach(entering, phase_ == Phase::FEASIBLE);
    const double room = way > 0.0 ? v.high - v.value : v.value - v.low;
    const bool flips = room <= block.step;
    if (!flips && block.row < 0) return false;
    const double step = flips ? room : block.step;
    const double dy = entry(rows_, column) * way * step, dx = entry(rows_ + 1, column) * way * step;
    for (index i = 0; i < rows_; ++i) basic_[i].value += entry(i, column) * way * step;
    here_[0] += dy;
    here_[1] += dx;
    v.value += way * step;
    if (flips) {
        v.value = way > 0.0 ? v.high : v.low;
    } else {
        exchange(table_.data(), rows_ + 2, columns_, block.row, column);
        std::swap(v, basic_[block.row]);
        v.value = block.at_high ? v.high : v.low;
    }
    return phase_ != Phase::AROUND || std::abs(dy) + std::abs(dx) <= SMALL || keep();
}

/// Store a corner and its contact forces; return false if there are too many.
bool Sweep::keep() {
    if (found_ >= MOST_CORNERS) return false;
    corners_.insert(corners_.end(), here_, here_ + 2);
    forces_.resize(forces_.size() + columns_ - 2);
    double *forces = forces_.data() + found_ * (columns_ - 2);
    for (const auto *variables : {&nonbasic_, &basic_})
        for (const Variable &v : *variables)
            if (v.name >= 2 && v.name < columns_) forces[v.name - 2] = v.value;
    ++found_;
    return true;
}

/// Return the corners' values as rows, without a last corner that repeats the first.
Array<double, 2> Sweep::laid_out(const std::vector<double> &values, index columns) const {
    std::size_t count = found_;
    if (count > 1) {
        const double *last = corners_.data() + 2 * (count - 1);
        if (std::abs(corners_[0] - last[0]) + std::abs(corners_[1] - last[1]) < 1e-8) --count;
    }
    Array<double, 2> out(count, columns);
    std::copy(values.begin(), values.begin() + count * columns, out.begin());
    return out;
}

}  // namespace

std::pair<Array<double, 2>, Array<double, 2>> polygon(
    View<const double, 1> gravity, View<const double, 1> speed, View<const double, 1> change,
    View<const double, 2> forces, double most_change, double most_speed, double most_force) {
    Sweep sweep(gravity, speed, change, forces, most_change, most_speed, most_force);
    if (!sweep.walk()) return {Array<double, 2>(0, 2), Array<double, 2>(0, forces.shape[1])};
    return {sweep.corners(), sweep.forces()};
}

Array<std::int64_t, 1> fewer_vertices(View<const double, 2> corners, double unit,
                                      double tolerance) {
    const index count = corners.shape[0];
    std::vector<char> kept(count, true);
    const auto before = [&](index i) {
        do i = i > 0 ? i - 1 : count - 1;
        while (!kept[i]);
        return i;
    };
    const auto after = [&](index i) {
        do i = i + 1 < count ? i + 1 : 0;
        while (!kept[i]);
        return i;
    };
    index left = count;
    for (bool changed = true; changed && left > 3;) {
        changed = false;
        for (index i = 0; i < count && left > 3; ++i) {
            if (!kept[i]) continue;
            const double *here = corners[i].data;
            const double *a = corners[before(i)].data, *b = corners[after(i)].data;
            const double uy = (here[0] - a[0]) / unit, ux = here[1] - a[1];
            const double vy = (b[0] - here[0]) / unit, vx = b[1] - here[1];
            const double wy = uy + vy, wx = ux + vx;
            const double whole = std::max(std::sqrt(wy * wy + wx * wx), 1 / FAR);
            const double off = std::abs(uy * vx - ux * vy) / whole;
            if (std::sqrt(uy * uy + ux * ux) < tolerance ||
                std::sqrt(vy * vy + vx * vx) < tolerance || off < tolerance) {
                kept[i] = false;
                --left;
                changed = true;
            }
        }
    }
    Array<std::int64_t, 1> out(left);
    for (index i = 0, k = 0; i < count; ++i)
        if (kept[i]) out[k++] = i;
    return out;
}

std::tuple<bool, double, double> nearest_point(View<const double, 2> corners, double y, double x) {
    const physics::Nearest found = physics::nearest_point(corners, 0, corners.shape[0], y, x);
    return {found.inside, found.y, found.x};
}

Array<double, 1> distances(View<const std::int64_t, 1> starts, View<const double, 2> corners,
                           View<const double, 2> timing) {
    Array<double, 1> out(timing.shape[0]);
    for (index f = 0; f < timing.shape[0]; ++f) {
        const physics::Nearest found =
            physics::nearest_point(corners, starts[f], starts[f + 1], timing(f, 0), timing(f, 1));
        out[f] = starts[f + 1] <= starts[f] ? INFINITE
                 : found.inside             ? 0.0
                                            : std::sqrt(found.square);
    }
    return out;
}

void bind(nanobind::module_ &m) {
    define(
        m, "polygon", polygon,
        "gravity[R] speed[R] change[R] forces[R,L] most_change most_speed most_force",
        "Project the feasible set of a frame onto (p'', p'^2), exactly: figure 4 without gaps.\n\n"
        "Feasible is -1 <= gravity + speed x + change y - forces l <= 1, l >= 0 (13). Rows are\n"
        "scaled by their limits, |y| <= most_change, 0 <= x <= most_speed and l <= most_force.\n"
        "The simplex method walks along the projection's edges, turning its direction as it goes\n"
        "(shadow vertices), so that no corner is missed. Returns the corners (V, 2) as (y, x)\n"
        "against the clock, and the forces (V, L) there: none where nothing is feasible, or\n"
        "where the walk gave up.");
    define(m, "fewer_vertices", fewer_vertices, "corners[V,2] unit tolerance",
           "Return the corners (V, 2) to keep, without repeated ones and those on an edge.\n\n"
           "The first coordinate counts in `unit`; an edge may be missed by the tolerance.");
    define(m, "distances", distances, "starts[F+1]:0..V+1 corners[V,2] timing[F,2]",
           "Return the distance of each frame's timing from its polygon; infinite without one.");
    define(m, "nearest_point", nearest_point, "corners[V,2] y x",
           "Return whether a point is in a polygon, and the nearest point (y, x) of its edge.");
}

}  // namespace retime::physics_polygons
