// The recursive Newton-Euler algorithm over all frames of a motion, for figures of any size.
#include "modules.hpp"
#include "physics_vectors.hpp"

namespace retime::physics_figure {

namespace {

using namespace physics;

// The three parts of the torques, and of what causes them.
enum Part { AT_REST, BY_SPEED, BY_CHANGE, PARTS };
constexpr Part MOVING[] = {BY_SPEED, BY_CHANGE};

struct Load {
    Vector force, moment;
};

/// The motion of a joint in the world, and the load on it.
struct Joint {
    Vector spin;         ///< Angular velocity.
    Vector bend[PARTS];  ///< Angular acceleration; none at rest.
    Vector line[PARTS];  ///< Linear acceleration; none at rest.
    Load load[PARTS];
};

/// What moves with a joint, and its frame in the world.
struct Solid {
    const double *turn;
    const double *moments;  ///< Second moments in the joint's frame: xx, xy, yy, xz, yz, zz.
    double mass;
    Vector first;  ///< First moments in the world.

    Solid(const double *parameters, const double *frame)
        : turn(frame),
          moments(parameters + 4),
          mass(parameters[0]),
          first(turned(frame, vector(parameters + 1))) {}

    /// Apply the second moments to a vector in the world.
    Vector inertia(Vector v) const {
        const double *m = moments;
        const Vector own = turned_back(turn, v);
        return turned(turn, {m[0] * own.x + m[1] * own.y + m[3] * own.z,
                             m[1] * own.x + m[2] * own.y + m[4] * own.z,
                             m[3] * own.x + m[4] * own.y + m[5] * own.z});
    }
};

/// Set the motion of the root, linear then angular; the velocity is in its own rotating frame.
void start(Joint &joint, const double *turn, const double *velocity, const double *acceleration) {
    const Vector spin = turned(turn, vector(velocity + 3));
    const Vector by_change = turned(turn, vector(velocity));
    joint.spin = spin;
    joint.bend[BY_SPEED] = turned(turn, vector(acceleration + 3));
    joint.bend[BY_CHANGE] = spin;
    joint.line[BY_SPEED] = turned(turn, vector(acceleration)) + cross(spin, by_change);
    joint.line[BY_CHANGE] = by_change;
}

/// Set the motion of a joint on another, at the end of an arm; it only rotates there.
void follow(Joint &joint, const Joint &above, Vector arm, const double *turn,
            const double *velocity, const double *acceleration) {
    const Vector spin = turned(turn, vector(velocity));
    joint.spin = above.spin + spin;
    joint.bend[BY_SPEED] =
        above.bend[BY_SPEED] + turned(turn, vector(acceleration)) + cross(above.spin, spin);
    joint.bend[BY_CHANGE] = above.bend[BY_CHANGE] + spin;
    joint.line[BY_SPEED] = above.line[BY_SPEED] + cross(above.bend[BY_SPEED], arm) +
                           cross(above.spin, cross(above.spin, arm));
    joint.line[BY_CHANGE] = above.line[BY_CHANGE] + cross(above.bend[BY_CHANGE], arm);
}

/// Set the loads that a solid's own motion and weight need.
void carry(Joint &joint, const Solid &solid, Vector pull) {
    const Vector weight = -solid.mass * pull, tilt = cross(solid.first, pull);
    joint.load[AT_REST] = {weight, {-tilt.x, -tilt.y, -tilt.z}};
    for (const Part part : MOVING) {
        const Vector bend = joint.bend[part], line = joint.line[part];
        Vector force = solid.mass * line + cross(bend, solid.first);
        Vector moment = cross(solid.first, line);
        if (part == BY_SPEED) {  // with centrifugal forces
            force = force + cross(joint.spin, cross(joint.spin, solid.first));
            moment = cross(joint.spin, solid.inertia(joint.spin)) + moment;
        }
        joint.load[part] = {force, solid.inertia(bend) + moment};
    }
}

/// Write the rows of the root: force and moment about the centre of mass, in the body's axes.
void write_root(const Load &load, Vector arm, const Heading &heading, double *out) {
    store(heading.turned_back(load.force), out);
    store(heading.turned_back(load.moment - cross(arm, load.force)), out + 3);
}

/// Add the load on a joint to that on the one above it.
void hand_on(const Load &load, Vector arm, Load &above) {
    above.force = above.force + load.force;
    above.moment = above.moment + (load.moment + cross(arm, load.force));
}

}  // namespace

std::tuple<Array<double, 2>, Array<double, 2>, Array<double, 2>> motion_forces(
    View<const std::int64_t, 1> parents, View<const double, 4> turns, View<const double, 3> places,
    View<const double, 2> solids, View<const double, 2> velocity,
    View<const double, 2> acceleration, View<const double, 1> pull, View<const double, 2> centres,
    View<const double, 1> headings) {
    const index frames = turns.shape[0], count = parents.length(), dofs = 3 + 3 * count;
    const Vector down = vector(pull);
    Array<double, 2> out[PARTS] = {filled(0.0, frames, dofs), filled(0.0, frames, dofs),
                                   filled(0.0, frames, dofs)};
    std::vector<Joint> joints(count);
    for (index f = 0; f < frames; ++f) {
        const double *turn = turns[f].data, *place = places[f].data;
        const double *speed = velocity[f].data, *change = acceleration[f].data;
        const auto arm = [=](index j, index p) {
            return vector(place + 3 * j) - vector(place + 3 * p);
        };
        for (index j = 0; j < count; ++j) {
            const index p = parents[j], row = 3 + 3 * j;
            if (p < 0)
                start(joints[j], turn + 9 * j, speed, change);
            else
                follow(joints[j], joints[p], arm(j, p), turn + 9 * j, speed + row, change + row);
            carry(joints[j], Solid(solids[j].data, turn + 9 * j), down);
        }
        const Heading heading(headings[f]);
        const Vector centre = vector(centres[f]);
        for (index j = count - 1; j >= 0; --j) {
            const index p = parents[j];
            for (int part = 0; part < PARTS; ++part) {
                const Load &load = joints[j].load[part];
                double *row = out[part][f].data;
                if (p < 0) {
                    write_root(load, centre - vector(place + 3 * j), heading, row);
                    continue;
                }
                store(turned_back(turn + 9 * j, load.moment), row + 3 + 3 * j);
                hand_on(load, arm(j, p), joints[p].load[part]);
            }
        }
    }
    return {std::move(out[AT_REST]), std::move(out[BY_SPEED]), std::move(out[BY_CHANGE])};
}

void bind(nanobind::module_ &m) {
    define(
        m, "motion_forces", motion_forces,
        "parents[J]:-1..J turns[F,J,3,3] places[F,J,3] solids[J,10] velocity[F,3*J+3] "
        "acceleration[F,3*J+3] pull[3] centres[F,3] headings[F]",
        "Return G, A and B of eq. 6, (F, dofs) each: a free root, spherical joints below it.\n\n"
        "`turns` (F, J, 3, 3) and `places` (F, J, 3) are the joints' frames in the world;\n"
        "velocities and accelerations (F, dofs) are in each joint's own frame, the root's first\n"
        "six linear then angular; `pull` (3,) is gravity in the world. `solids` (J, 10) are the\n"
        "inertial parameters of what moves with each joint, in its frame: mass, first moments,\n"
        "and second moments about its origin (xx, xy, yy, xz, yz, zz). The root's six rows are\n"
        "the force and the moment about `centres` (F, 3), turned back by `headings` (F,) about\n"
        "the vertical: ahead stays ahead wherever the figure faces.");
}

}  // namespace retime::physics_figure
