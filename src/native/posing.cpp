// Full-body posing: joints to places, with the least change of a pose.
//
// Variables are rotations about axes in the parents' frames, and a translation of the figure.
// Bounded Levenberg-Marquardt, solved in the space of the goals: a figure has about a hundred
// variables and about twenty rows of goals.
#include "linear.hpp"
#include "modules.hpp"
#include "rotations.hpp"

namespace retime::posing {

namespace {

// Errors of goals that are met exactly are divided by this.
constexpr double EXACT = 1e-13;

/// Joints before they turn: parents come before their children.
struct Figure {
    View<const std::int64_t, 1> parents;
    View<const double, 2> offsets, rotations;
};

/// What may turn: a joint about an axis, or, for joint -1, the figure that moves along it.
struct Variables {
    View<const std::int64_t, 1> joint;
    View<const double, 2> axis;
    View<const double, 1> weight, low, high;

    index count() const { return joint.length(); }
};

/// Places (x, y, z, 0) or orientations that joints shall have; three rows of errors each.
struct Goals {
    View<const bool, 2> below;  ///< Whether a joint (first) moves another.
    View<const std::int64_t, 1> joint;
    View<const bool, 1> is_turn;
    View<const double, 2> wanted;

    index rows() const { return 3 * joint.length(); }
};

/// A pose in space: joints' places, orientations, and rotation vectors from the pose before.
struct Pose {
    Array<double, 2> places, turns, vectors;
};

Pose pose_of(const Figure &figure, View<const std::int64_t, 1> joint, View<const double, 2> axis,
             const double *q) {
    const index count = figure.parents.length();
    Pose out{filled(0.0, count, 3), filled(0.0, count, 4), filled(0.0, count, 3)};
    Vector move = {0.0, 0.0, 0.0};
    for (index k = 0; k < joint.length(); ++k) {
        const Vector by = q[k] * vector(axis[k]);
        if (joint[k] < 0) {
            move = move + by;
        } else {
            double *to = out.vectors[joint[k]].data;
            store(vector(to) + by, to);
        }
    }
    for (index j = 0; j < count; ++j) {
        const Vector v = vector(out.vectors[j]), offset = vector(figure.offsets[j]);
        Quaternion own = quaternion(figure.rotations[j]);
        if (dot(v, v) != 0.0) own = multiply(exponential(v), own);
        const index p = figure.parents[j];
        if (p < 0) {
            store(own, out.turns[j].data);
            store(offset + move, out.places[j].data);
        } else {
            const Quaternion above = quaternion(out.turns[p]);
            store(multiply(above, own), out.turns[j].data);
            store(vector(out.places[p]) + rotate(above, offset), out.places[j].data);
        }
    }
    return out;
}

/// Return the turn that a rotation vector makes more where it grows along an axis.
///
/// It is SO(3)'s left Jacobian.
inline Vector turning(Vector v, Vector axis) {
    const double square = dot(v, v), angle = std::sqrt(square);
    double a = 0.5 - square / 24.0, b = 1.0 / 6.0 - square / 120.0;
    if (angle >= 1e-4) {
        a = (1.0 - std::cos(angle)) / square;
        b = (angle - std::sin(angle)) / (square * angle);
    }
    const Vector across = cross(v, axis);
    return axis + a * across + b * cross(v, across);
}

/// Return the rotation vector, of less than half a turn, from one orientation to another.
inline Vector turn_between(Quaternion from, Quaternion to) {
    const Quaternion q = multiply(to, conjugate(from));
    const Vector v = {q.x, q.y, q.z};
    const double sign = q.w < 0 ? -1.0 : 1.0, sine = length(v);
    return (sine > 1e-8 ? sign * 2.0 * std::atan2(sine, sign * q.w) / sine : 2.0 * sign) * v;
}

/// Errors of goals (m,), and their derivatives: a column (m,) for each variable.
class Errors {
  public:
    Errors(const Figure &figure, const Variables &variables, const Goals &goals, const Pose &pose);

    index rows() const { return static_cast<index>(missing.size()); }
    const double *column(index variable) const { return columns_.data() + variable * rows(); }
    double largest() const;
    /// Return the errors of goals as they would be at q = 0, to first order.
    std::vector<double> at_zero(const double *q) const;

    std::vector<double> missing;

  private:
    std::vector<double> columns_;
};

Errors::Errors(const Figure &figure, const Variables &variables, const Goals &goals,
               const Pose &pose)
    : missing(goals.rows()), columns_(variables.count() * goals.rows()) {
    const index count = goals.joint.length();
    for (index g = 0; g < count; ++g) {
        const index e = goals.joint[g];
        const double *wanted = goals.wanted[g].data;
        store(goals.is_turn[g] ? turn_between(quaternion(pose.turns[e]), quaternion(wanted))
                               : vector(wanted) - vector(pose.places[e]),
              missing.data() + 3 * g);
    }
    for (index k = 0; k < variables.count(); ++k) {
        const index j = variables.joint[k];
        double *column = columns_.data() + k * rows();
        Vector axis = vector(variables.axis[k]);
        if (j >= 0) axis = turning(vector(pose.vectors[j]), axis);
        if (j >= 0 && figure.parents[j] >= 0)
            axis = rotate(quaternion(pose.turns[figure.parents[j]]), axis);
        for (index g = 0; g < count; ++g) {
            const index e = goals.joint[g];
            const bool moves = j < 0 ? !goals.is_turn[g] : goals.below(j, e);
            if (!moves) continue;
            const bool straight = j < 0 || goals.is_turn[g];
            store(straight ? axis : cross(axis, vector(pose.places[e]) - vector(pose.places[j])),
                  column + 3 * g);
        }
    }
}

double Errors::largest() const {
    double out = 0.0;
    for (const double v : missing) out = std::max(out, std::abs(v));
    return out;
}

std::vector<double> Errors::at_zero(const double *q) const {
    std::vector<double> out = missing;
    for (std::size_t k = 0; k * missing.size() < columns_.size(); ++k)
        for (std::size_t a = 0; a < missing.size(); ++a)
            out[a] += columns_[k * missing.size() + a] * q[k];
    return out;
}

/// Add the products of a column with itself, divided by a weight, above the diagonal.
FOR_EACH_PROCESSOR
void add_products(const double *column, double weight, index size, double *matrix) {
    for (index a = 0; a < size; ++a, matrix += size) {
        const double scaled = column[a] / weight;
        if (scaled == 0.0) continue;
        for (index b = a; b < size; ++b) matrix[b] += scaled * column[b];
    }
}

/// Minimises q W q / 2 - pull q + |rows q - right|^2 / (2 give) within the variables' bounds.
///
/// An active-set method: a variable that leaves its bounds is fixed, and released if the minimum
/// is inside again.
class BoundedStep {
  public:
    BoundedStep(const Variables &variables, const Errors &errors, const double *give)
        : low_(variables.low.data),
          high_(variables.high.data),
          count_(variables.count()),
          rows_(errors.rows()),
          errors_(errors),
          give_(give),
          fixed_(count_),
          matrix_(rows_ * rows_),
          force_(rows_) {}

    /// Write the minimum to q, which bounds the search from where it is.
    void solve(const std::vector<double> &right, const std::vector<double> &weight,
               const std::vector<double> &pull, double *q);

  private:
    enum Side : signed char { FREE = 0, LOW = -1, HIGH = 1 };

    double outside(index k, const double *q) const {
        return std::max(low_[k] - q[k], q[k] - high_[k]);
    }
    void solve_forces(const std::vector<double> &right, const std::vector<double> &weight,
                      const std::vector<double> &pull, const double *q);
    bool exchange(const std::vector<double> &weight, const std::vector<double> &pull, double *q);
    void fix(double more_than, double *q);

    const double *low_, *high_;
    index count_, rows_;
    const Errors &errors_;
    const double *give_;
    std::vector<signed char> fixed_;
    std::vector<double> matrix_, force_;
};

void BoundedStep::solve(const std::vector<double> &right, const std::vector<double> &weight,
                        const std::vector<double> &pull, double *q) {
    for (index round = 0; round < 4 * count_; ++round) {
        solve_forces(right, weight, pull, q);
        if (!exchange(weight, pull, q)) break;
    }
    for (index k = 0; k < count_; ++k) q[k] = std::min(std::max(q[k], low_[k]), high_[k]);
}

/// Find the forces of the goals, with some variables fixed.
void BoundedStep::solve_forces(const std::vector<double> &right, const std::vector<double> &weight,
                               const std::vector<double> &pull, const double *q) {
    force_ = right;
    std::fill(matrix_.begin(), matrix_.end(), 0.0);
    for (index a = 0; a < rows_; ++a) matrix_[a * rows_ + a] = give_[a];
    for (index k = 0; k < count_; ++k) {
        const double *column = errors_.column(k);
        const double value = fixed_[k] ? q[k] : pull[k] / weight[k];
        if (value != 0.0)
            for (index a = 0; a < rows_; ++a) force_[a] -= column[a] * value;
        if (!fixed_[k]) add_products(column, weight[k], rows_, matrix_.data());
    }
    const View<double, 2> matrix{matrix_.data(), {rows_, rows_}};
    for (index a = 0; a < rows_; ++a)
        for (index b = 0; b < a; ++b) matrix(a, b) = matrix(b, a);
    retime::solve(matrix, View<double, 1>{force_.data(), {rows_}});
}

/// Move free variables to the minimum; return whether one was fixed or released.
bool BoundedStep::exchange(const std::vector<double> &weight, const std::vector<double> &pull,
                           double *q) {
    double worst = 0.0, loose = 1e-9;
    index loosest = -1;
    for (index k = 0; k < count_; ++k) {
        const double *column = errors_.column(k);
        double along = pull[k];
        for (index a = 0; a < rows_; ++a) along += column[a] * force_[a];
        if (fixed_[k]) {
            // Decrease of the cost if the variable moves back inside.
            const double gain = (along - weight[k] * q[k]) * -fixed_[k];
            if (gain > loose) {
                loose = gain;
                loosest = k;
            }
            continue;
        }
        q[k] = along / weight[k];
        if (outside(k, q) > 1e-12) worst = std::max(worst, outside(k, q));
    }
    if (worst > 0.0)
        // Also fix those half as far outside, to save rounds; wrong ones are released later.
        fix(0.5 * worst, q);
    else if (loosest >= 0)
        fixed_[loosest] = FREE;
    return worst > 0.0 || loosest >= 0;
}

/// Fix free variables that are outside their bounds by more than a distance.
void BoundedStep::fix(double more_than, double *q) {
    for (index k = 0; k < count_; ++k) {
        if (fixed_[k] || !(outside(k, q) > more_than)) continue;
        fixed_[k] = q[k] < low_[k] ? LOW : HIGH;
        q[k] = q[k] < low_[k] ? low_[k] : high_[k];
    }
}

/// A pose on its way to goals.
struct State {
    Array<double, 1> q;
    Errors errors;
    double cost;
};

/// Searches the variables of a figure that meet goals.
class Solver {
  public:
    Solver(const Figure &figure, const Variables &variables, const Goals &goals, const double *give)
        : figure_(figure), variables_(variables), goals_(goals), give_(give) {}

    State state(Array<double, 1> q) const;
    /// Return the next variables from a state: a damped step of at most `most` in each.
    Array<double, 1> step(const State &from, double damping, double most) const;

  private:
    Figure figure_;
    Variables variables_;
    Goals goals_;
    const double *give_;
};

State Solver::state(Array<double, 1> q) const {
    const Pose pose = pose_of(figure_, variables_.joint, variables_.axis, q.begin());
    Errors errors(figure_, variables_, goals_, pose);
    double total = 0.0;
    for (index k = 0; k < q.length(); ++k) total += variables_.weight[k] * q[k] * q[k];
    for (index a = 0; a < errors.rows(); ++a)
        total += errors.missing[a] * errors.missing[a] / give_[a];
    return {std::move(q), std::move(errors), 0.5 * total};
}

double largest_change(const Array<double, 1> &a, const Array<double, 1> &b) {
    double out = 0.0;
    for (index k = 0; k < a.length(); ++k) out = std::max(out, std::abs(a[k] - b[k]));
    return out;
}

Array<double, 1> Solver::step(const State &from, double damping, double most) const {
    const index count = variables_.count();
    std::vector<double> weight(count), pull(count);
    for (index k = 0; k < count; ++k) {
        weight[k] = (1.0 + damping) * variables_.weight[k];
        pull[k] = damping * variables_.weight[k] * from.q[k];
    }
    Array<double, 1> out = copied(from.q.view());
    BoundedStep(variables_, from.errors, give_)
        .solve(from.errors.at_zero(from.q.begin()), weight, pull, out.begin());
    const double largest = largest_change(out, from.q);
    if (largest > most)
        for (index k = 0; k < count; ++k)
            out[k] = from.q[k] + most / largest * (out[k] - from.q[k]);
    return out;
}

}  // namespace

std::tuple<Array<double, 2>, Array<double, 2>, Array<double, 2>> forward_pose(
    View<const std::int64_t, 1> parents, View<const double, 2> offsets,
    View<const double, 2> rotations, View<const std::int64_t, 1> joint, View<const double, 2> axis,
    View<const double, 1> q) {
    Pose pose = pose_of({parents, offsets, rotations}, joint, axis, q.data);
    return {std::move(pose.places), std::move(pose.turns), std::move(pose.vectors)};
}

std::pair<Array<double, 1>, std::int64_t> solve_pose(
    View<const std::int64_t, 1> parents, View<const bool, 2> below, View<const double, 2> offsets,
    View<const double, 2> rotations, View<const std::int64_t, 1> joint, View<const double, 2> axis,
    View<const double, 1> weight, View<const double, 1> low, View<const double, 1> high,
    View<const std::int64_t, 1> goal_joint, View<const bool, 1> is_turn,
    View<const double, 2> wanted, View<const double, 1> give, std::int64_t rounds, double most) {
    const Solver solver({parents, offsets, rotations}, {joint, axis, weight, low, high},
                        {below, goal_joint, is_turn, wanted}, give.data);
    State now = solver.state(filled(0.0, joint.length()));
    double damping = 1e-3;
    std::int64_t round = 0;
    while (round < rounds && damping <= 1e12) {
        ++round;
        State next = solver.state(solver.step(now, damping, most));
        if (!(next.cost <= now.cost * (1.0 + 1e-14))) {
            damping = std::max(damping * 6.0, 1e-4);
            continue;
        }
        const bool small =
            largest_change(next.q, now.q) < 1e-8 || now.cost - next.cost < 1e-6 * now.cost;
        now = std::move(next);
        damping = std::max(damping / 8.0, 1e-9);
        if (small) break;
    }
    return {std::move(now.q), round};
}

Array<double, 1> settle_pose(View<const std::int64_t, 1> parents, View<const bool, 2> below,
                             View<const double, 2> offsets, View<const double, 2> rotations,
                             View<const std::int64_t, 1> joint, View<const double, 2> axis,
                             View<const double, 1> weight, View<const double, 1> low,
                             View<const double, 1> high, View<const std::int64_t, 1> goal_joint,
                             View<const bool, 1> is_turn, View<const double, 2> wanted,
                             View<const double, 1> q, std::int64_t rounds) {
    const std::vector<double> give(3 * goal_joint.length(), EXACT);
    const Variables variables{joint, axis, weight, low, high};
    const Solver solver({parents, offsets, rotations}, variables,
                        {below, goal_joint, is_turn, wanted}, give.data());
    const std::vector<double> plain(weight.begin(), weight.end());
    Array<double, 1> out = copied(q);
    for (std::int64_t round = 0; round < rounds; ++round) {
        const State now = solver.state(copied(out.view()));
        if (now.errors.largest() < 1e-12) break;
        std::vector<double> pull(plain);
        for (index k = 0; k < out.length(); ++k) pull[k] *= out[k];
        BoundedStep(variables, now.errors, give.data())
            .solve(now.errors.at_zero(out.begin()), plain, pull, out.begin());
    }
    return out;
}

#define FIGURE "parents[J]:-1..J below[J,J] offsets[J,3] rotations[J,4] "
#define VARIABLES "joint[N]:-1..J axis[N,3] weight[N] low[N] high[N] "
#define GOALS "goal_joint[G]:0..J is_turn[G] wanted[G,4] "

void bind(nanobind::module_ &m) {
    define(m, "forward_pose", forward_pose,
           "parents[J]:-1..J offsets[J,3] rotations[J,4] joint[N]:-1..J axis[N,3] q[N]",
           "Return global positions (J, 3), orientations (J, 4) and rotation vectors (J, 3).\n\n"
           "`joint` is the joint that a variable of `q` rotates about `axis`, or -1 for a move of\n"
           "the whole figure along it. A root without a move is at its offset.");
    define(
        m, "solve_pose", solve_pose, FIGURE VARIABLES GOALS "give[3*G] rounds most",
        "Find the variables (N,) that meet goals with least q W q; return them and the rounds.\n\n"
        "`below[i, j]` is whether joint i moves joint j. Goals are places (x, y, z, 0) or turns.\n"
        "Squared errors are divided by `give`; a variable changes by at most `most` a round.");
    define(m, "settle_pose", settle_pose, FIGURE VARIABLES GOALS "q[N] rounds",
           "Meet nearly met goals exactly, by the least change of variables (N,).");
}

#undef FIGURE
#undef VARIABLES
#undef GOALS

}  // namespace retime::posing
