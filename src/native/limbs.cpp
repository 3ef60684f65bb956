// Limbs of two bones: bent in closed form, and moved to where their contacts shall be.
#include "modules.hpp"
#include "rotations.hpp"

namespace retime::limbs {

namespace {

// A limb is never quite straight: at full stretch its bending plane would be undefined.
constexpr double STRAIGHTEST = 0.9999;
// Bend, relative to the limb's length, below which the usual plane of the limb is used.
constexpr double CLEAR_BEND = 1e-4;
// A leg shorter than its bones by less than this share is nearly straight (its knee by 23 degrees):
// pulled straighter, it keeps at least this share of the shortness, so half of its bend.
constexpr double NEARLY_STRAIGHT = 0.02, LEFT_BENT = 0.25;
// A bone shorter than this, in metres, cannot bend.
constexpr double NO_LENGTH = 1e-6;
// Cost of turning a flat foot, relative to bending the knee: flat feet should stay flat.
constexpr double FOOT_STIFFNESS = 2.0, NOISE_STIFFNESS = 0.5;
constexpr Quaternion NO_TURN = {1.0, 0.0, 0.0, 0.0};

inline Vector unit(Vector v) { return 1.0 / std::max(length(v), 1e-12) * v; }

inline Vector perpendicular(Vector v, Vector direction) {
    return v - dot(v, direction) * direction;
}

inline double arc_cosine(double cosine) { return std::acos(std::clamp(cosine, -1.0, 1.0)); }

inline Quaternion normalized(Quaternion q) {
    const double size = std::sqrt(dot(q, q));
    return size > 0.0 ? 1.0 / size * q : NO_TURN;
}

inline Quaternion about(Vector axis, double angle) {
    const Vector v = std::sin(0.5 * angle) * axis;
    return {std::cos(0.5 * angle), v.x, v.y, v.z};
}

/// Return the axis of coordinates that is most across a vector.
inline Vector most_across(Vector v) {
    const double x = std::abs(v.x), y = std::abs(v.y), z = std::abs(v.z);
    if (x <= y && x <= z) return {1.0, 0.0, 0.0};
    return y <= z ? Vector{0.0, 1.0, 0.0} : Vector{0.0, 0.0, 1.0};
}

/// Return the smallest rotation of a unit vector to another, which may be opposite.
inline Quaternion between(Vector a, Vector b) {
    const double real = 1.0 + dot(a, b);
    const bool opposite = real < 1e-12;  // half a turn, about any axis across
    const Vector across = cross(a, opposite ? most_across(a) : b);
    return normalized({opposite ? 0.0 : real, across.x, across.y, across.z});
}

/// Return the rotation whose x is a direction and whose z is as near as can be to a normal.
inline Quaternion frame(Vector along, Vector normal) {
    const Vector x = unit(along), z = unit(perpendicular(normal, x)), y = cross(z, x);
    const double a = y.z - z.y, b = z.x - x.z, c = x.y - y.x;
    const double d = y.x + x.y, e = z.x + x.z, f = z.y + y.z;
    // Each is the quaternion times four times one component; the largest is most accurate.
    const double w = 1.0 + x.x + y.y + z.z, i = 1.0 + x.x - y.y - z.z;
    const double j = 1.0 - x.x + y.y - z.z, k = 1.0 - x.x - y.y + z.z;
    if (w >= i && w >= j && w >= k) return normalized({w, a, b, c});
    if (i >= j && i >= k) return normalized({a, i, d, e});
    if (j >= k) return normalized({b, d, j, f});
    return normalized({c, e, f, k});
}

/// Where a limb's middle joint is: along the line between its ends, and off that line.
struct Bend {
    double along, off;

    Bend(double distance, double upper, double lower)
        : along((upper * upper + distance * distance - lower * lower) / (2 * distance)),
          off(std::sqrt(std::max(upper * upper - along * along, 0.0))) {}
};

struct Bent {
    Vector middle, end;
};

/// Place the middle joint and the end of a limb; `pole` is where the middle joint bends out.
inline Bent bend(Vector base, Vector target, double upper, double lower, Vector pole,
                 double straightest) {
    const Vector way = target - base;
    const Vector direction = unit(way);
    const double least = std::abs(upper - lower) + (1 - STRAIGHTEST) * (upper + lower);
    const double distance = std::min(std::max(length(way), least), straightest * (upper + lower));
    const Bend at(distance, upper, lower);
    const Vector out = unit(perpendicular(pole, direction));
    return {base + at.along * direction + at.off * out, base + distance * direction};
}

/// A limb in one frame.
struct Limb {
    Vector hip, knee, end;
    double thigh, shin, distance;

    Limb(Vector a, Vector b, Vector c)
        : hip(a),
          knee(b),
          end(c),
          thigh(length(b - a)),
          shin(length(c - b)),
          distance(length(c - a)) {}
    double full() const { return thigh + shin; }
    bool can_bend() const { return thigh > NO_LENGTH && shin > NO_LENGTH; }
};

/// Keep a limb that is pulled straight from snapping: it slows down before full stretch.
///
/// The last of its bend goes as fast as the root of the length that is left to full stretch.
inline double slowed(double wanted, const Limb &limb) {
    const double full = limb.full();
    double rest = full - wanted;
    const double edge = std::max(std::min(full - limb.distance, NEARLY_STRAIGHT * full), 1e-12);
    if (rest < edge) {
        const double over = (edge - rest) / ((1 - LEFT_BENT) * edge);
        rest = LEFT_BENT * edge + (1 - LEFT_BENT) * edge * std::exp(-over);
    }
    // A limb that was straighter stays so: a change of nothing bends no knee.
    return std::min(full - rest, std::max(STRAIGHTEST * full, std::min(limb.distance, full)));
}

/// Turn the foot about its contact, as far as the knee would otherwise bend too much.
///
/// Near full stretch a knee turns by degrees per millimetre. There the foot turns instead, and
/// completely so if the leg is too short. `arm` is from the contact, at `goal`, to the ankle. The
/// foot takes `shake` of the change of the leg's length, too: the knee would magnify noise.
inline Quaternion foot_turn(const Limb &limb, Vector arm, Vector goal, double shake) {
    const double foot = length(arm);
    if (foot <= 1e-9) return NO_TURN;
    const Vector to_hip = limb.hip - goal;
    const double distance = length(to_hip);
    const double before = limb.distance, turned = length(arm - to_hip);
    const Vector toward = unit(arm), upward = unit(to_hip);
    const double now = arc_cosine(dot(toward, upward));
    // How the leg's length changes with the knee's and with the foot's angle.
    const double thigh = limb.thigh, shin = limb.shin;
    const double bent =
        std::clamp((thigh * thigh + shin * shin - before * before) / (2 * thigh * shin), -1.0, 1.0);
    const double by_knee = thigh * shin * std::sqrt(1 - bent * bent);
    const double by_foot = foot * distance * std::sin(now);
    const auto share_of = [&](double stiffness) {
        const double knee = stiffness * by_knee;
        return by_foot * by_foot / std::max(by_foot * by_foot + knee * knee, 1e-12);
    };
    const double share = share_of(FOOT_STIFFNESS),
                 after = turned - share_of(NOISE_STIFFNESS) * shake;
    const double wanted = slowed(after + share * (before - after), limb);
    const double span = std::max(2 * foot * distance, 1e-12);
    const double angle = arc_cosine((foot * foot + distance * distance - wanted * wanted) / span);
    return about(unit(cross(toward, upward)), now - angle);
}

/// Bring a target nearer that would pull a limb straight: its middle joint would snap.
inline Vector without_snap(const Limb &limb, Vector target, bool hinged) {
    const Vector away = target - limb.hip;
    const double wanted = length(away);
    if (wanted <= limb.distance) return target;
    double reached = slowed(wanted, limb);
    // A limb that was straight may stay so, if it has a hinge.
    if (hinged) reached = std::max(reached, std::min(limb.distance, limb.full()));
    return limb.hip + std::min(reached / std::max(wanted, 1e-9), 1.0) * away;
}

/// Turns of middle joints to where their hinges bend, frame by frame.
class HingeSide {
  public:
    Vector offset_to(Vector offset, Vector line, Vector hinge, double size);

  private:
    /// The side on which the frame before was past a quarter turn from its hinge, or 0.
    double side_ = 0.0;
};

/// Return where a middle joint is off its limb's line, if it shall be off by a size.
///
/// An offset that grows in its own direction would make a knee that is a hair past straight bend
/// backwards. So an offset that grows turns to where its hinge bends. A knee a hair past straight
/// is half a turn from its hinge: it must not bend out to the left in one frame and to the right in
/// the next.
inline Vector HingeSide::offset_to(Vector offset, Vector line, Vector hinge, double size) {
    const Vector out = unit(cross(line, hinge));
    const double now = length(offset);
    double aside = std::atan2(dot(cross(offset, out), line), dot(offset, out));
    if (std::abs(aside) <= 0.5 * PI)
        side_ = 0.0;
    else if (side_ == 0.0)
        side_ = aside > 0 ? 1.0 : -1.0;
    else if (side_ * aside < 0)
        aside += 2 * side_ * PI;
    if (now <= 1e-9) return out;
    const double share = std::min(now / std::max(size, 1e-12), 1.0);
    return rotate(about(line, (1 - share * share) * aside), offset);
}

/// The plane in which a limb bends: where its middle joint is off its line, and the plane's normal.
struct Plane {
    Vector pole, normal;
};

/// A limb's plane before and after its end moves.
struct Planes {
    Plane before, after;
};

inline Planes hinged_planes(const Limb &limb, Vector target, Vector hinge, HingeSide &side) {
    const Vector line = unit(limb.end - limb.hip), way = target - limb.hip;
    const Quaternion swing = between(line, unit(way));
    const Bend wanted(std::max(length(way), 1e-9), limb.thigh, limb.shin);
    const Vector offset = perpendicular(limb.knee - limb.hip, line);
    const Vector pole = side.offset_to(offset, line, hinge, wanted.off);
    return {{pole, hinge}, {rotate(swing, pole), rotate(swing, hinge)}};
}

inline Planes free_planes(const Limb &limb, Vector target, Vector usual) {
    const Vector line = unit(limb.end - limb.hip), new_line = unit(target - limb.hip);
    const Vector pole =
        perpendicular(limb.knee - limb.hip, line) + CLEAR_BEND * limb.full() * usual;
    const Vector new_pole = rotate(between(line, new_line), pole);
    return {{pole, cross(line, pole)}, {new_pole, cross(new_line, new_pole)}};
}

/// Return the rotation of a bone between two planes that it lies in.
inline Quaternion turn_of(Vector bone, Vector normal, Vector new_bone, Vector new_normal) {
    return multiply(frame(new_bone, new_normal), conjugate(frame(bone, normal)));
}

}  // namespace

std::pair<Array<double, 2>, Array<double, 2>> two_bones(View<const double, 2> base,
                                                        View<const double, 2> target,
                                                        View<const double, 1> upper,
                                                        View<const double, 1> lower,
                                                        View<const double, 2> pole) {
    const index count = base.length();
    Array<double, 2> middles(count, 3), ends(count, 3);
    for (index n = 0; n < count; ++n) {
        const Bent bent = bend(vector(base[n]), vector(target[n]), upper[n], lower[n],
                               vector(pole[n]), STRAIGHTEST);
        store(bent.middle, middles[n].data);
        store(bent.end, ends[n].data);
    }
    return {std::move(middles), std::move(ends)};
}

std::tuple<Array<double, 3>, Array<double, 2>, double> reach(
    View<const std::int64_t, 1> frames, View<const std::int64_t, 1> joints,
    View<const double, 3> points, View<const double, 2> moves, View<const double, 2> turns,
    View<const double, 1> shakes, View<const double, 2> poles, View<const double, 2> hinges) {
    const bool hinged = hinges.length() > 0;
    if (hinged && hinges.length() != points.length())
        throw std::invalid_argument("reach: hinges must have as many frames as points, or 0");
    const index count = frames.length();
    Array<double, 3> out(count, 3, 4);
    Array<double, 2> ends(count, 3);
    HingeSide side;
    double worst = 0.0;
    for (index n = 0; n < count; ++n) {
        const index f = frames[n];
        const auto place = [&](int k) { return vector(points[f][joints[k]]); };
        const auto write = [&](Quaternion upper, Quaternion lower, Quaternion foot, Vector end) {
            store(upper, out[n][0].data);
            store(lower, out[n][1].data);
            store(foot, out[n][2].data);
            store(end, ends[n].data);
        };
        const Limb limb(place(0), place(1), place(2));
        const Vector move = vector(moves[f]), goal = place(3) + move, arm = limb.end - place(3);
        if (!limb.can_bend()) {  // a hidden limb stays as it is
            write(NO_TURN, NO_TURN, NO_TURN, limb.end);
            worst = std::max(worst, length(move));
            continue;
        }
        Quaternion turn = quaternion(turns[f]);
        turn = multiply(foot_turn(limb, rotate(turn, arm), goal, shakes[f]), turn);
        Vector target = goal + rotate(turn, arm);
        if (joints[3] == joints[2]) target = without_snap(limb, target, hinged);
        const auto [before, after] = hinged ? hinged_planes(limb, target, vector(hinges[f]), side)
                                            : free_planes(limb, target, vector(poles[f]));
        // A hinge determines the plane of a straight limb.
        const auto [knee, end] =
            bend(limb.hip, target, limb.thigh, limb.shin, after.pole, hinged ? 1.0 : STRAIGHTEST);
        write(turn_of(limb.knee - limb.hip, before.normal, knee - limb.hip, after.normal),
              turn_of(limb.end - limb.knee, before.normal, end - knee, after.normal), turn, end);
        worst = std::max(worst, length(end - target) + std::abs(length(end - knee) - limb.shin));
    }
    return {std::move(out), std::move(ends), worst};
}

Array<double, 3> turn_limb(View<const double, 3> local, View<const double, 3> rotations,
                           View<const double, 1> upright, View<const std::int64_t, 1> frames,
                           View<const std::int64_t, 1> joints, View<const std::int64_t, 1> parents,
                           View<const double, 3> turns, bool linked) {
    Array<double, 3> out = copied(local);
    for (index n = 0; n < frames.length(); ++n) {
        const View<const double, 2> now = rotations[frames[n]];
        for (int k = 0; k < 3; ++k) {
            Quaternion base = quaternion(parents[k] < 0 ? upright : now[parents[k]]);
            if (k == 1 || (k == 2 && !linked)) base = multiply(quaternion(turns[n][k - 1]), base);
            const Quaternion own = multiply(quaternion(turns[n][k]), quaternion(now[joints[k]]));
            store(normalized(multiply(conjugate(base), own)), out[frames[n]][joints[k]].data);
        }
    }
    for (index f = 1; f < out.length(); ++f)
        for (const index j : joints) {
            const Quaternion q = quaternion(out[f][j]);
            if (dot(q, quaternion(out[f - 1][j])) < 0.0) store(-q, out[f][j].data);
        }
    return out;
}

void bind(nanobind::module_ &m) {
    define(m, "two_bones", two_bones, "base[N,3] target[N,3] upper[N] lower[N] pole[N,3]",
           "Return the middle joints and the ends (N, 3) of limbs, each toward its target.");
    define(
        m, "reach", reach,
        "frames[N]:0..F joints[4]:0..J points[F,J,3] moves[F,3] turns[F,4] shakes[F] "
        "poles[F,3] hinges[H,3]",
        "Move one joint of a limb, its lead, in some frames; turn the limb's end about it.\n\n"
        "`joints` are the hip, the knee, the ankle and the lead: the ankle or a joint below it.\n"
        "`points` are positions, `moves` displacements of the lead, `turns` rotations of the\n"
        "ankle about it, and `shakes` the lengths by which that ankle yields to noise. `poles` are "
        "directions in which a straight limb bends; `hinges` are\n"
        "axes of the knee, (F, 3), or (0, 3) if unknown. Returns the rotations (N, 3, 4) by\n"
        "which hip, knee and ankle turn in space, the new positions (N, 3) of the ankle, and\n"
        "the largest distance by which it misses its target.");
    define(m, "turn_limb", turn_limb,
           "local[F,J,4] rotations[F,J,4] upright[4] frames[N]:0..F joints[3]:0..J "
           "parents[3]:-1..J turns[N,3,4] linked",
           "Return local rotations with a limb's three joints turned in space, in some frames.\n\n"
           "`rotations` are those in space before, `upright` that of what has no parent. A joint\n"
           "is above the next, except the end of a linked limb. Signs become continuous in time.");
}

}  // namespace retime::limbs
