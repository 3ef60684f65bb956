// Loops over frames and joints: rotations, resampling and forward kinematics.
#include "modules.hpp"
#include "rotations.hpp"

namespace retime::motion {

std::pair<double, double> unevenness(View<const double, 3> rotations) {
    double worst = 0.0, least = 1.0;
    // Not a number if one of them is not; a test of each would take eight times as long.
    double total = 0.0;
    for (index f = 0; f < rotations.shape[0]; ++f)
        for (index j = 0; j < rotations.shape[1]; ++j) {
            const Quaternion q = quaternion(rotations[f][j]);
            const double away = std::abs(dot(q, q) - 1.0);
            total += away;
            if (away > worst) worst = away;
            if (f > 0) least = std::min(least, dot(quaternion(rotations[f - 1][j]), q));
        }
    return {std::isnan(total) ? total : worst, least};
}

namespace {

/// Return the rotation of a joint at a share of the way from one frame to the next.
[[gnu::always_inline]] inline Quaternion between_frames(const View<const double, 3> &rotations,
                                                        index frame, double share, index joint) {
    const Quaternion a = quaternion(rotations[frame][joint]);
    if (share == 0.0) return a;
    Quaternion b = quaternion(rotations[std::min(frame + 1, rotations.shape[0] - 1)][joint]);
    if (dot(a, b) < 0.0) b = -b;
    // The chord is accurate for small angles; the cosine loses half of the digits.
    const double gap = 0.5 * dot(b - a, b - a);
    const Shares by = arc_shares(gap, 2.0 - gap, share);
    const Quaternion out = by.a * a + by.b * b;
    return 1.0 / std::sqrt(dot(out, out)) * out;
}

/// Store a rotation with the sign that is nearer to that of the frame before.
inline void store_continuous(Quaternion q, index frame, index joint, const View<double, 3> &out) {
    if (frame > 0 && dot(q, quaternion(out[frame - 1][joint])) < 0.0) q = -q;
    store(q, out[frame][joint].data);
}

}  // namespace

Array<double, 3> resample_rotations(View<const double, 3> rotations,
                                    View<const std::int64_t, 2> frame, View<const double, 2> share,
                                    View<const std::int64_t, 1> column) {
    const index count = frame.shape[0], joints = rotations.shape[1];
    Array<double, 3> out(count, joints, 4);
    const View<double, 3> made = out;
    for (index t = 0; t < count; ++t)
        for (index j = 0; j < joints; ++j) {
            const index c = column[j];
            store_continuous(between_frames(rotations, frame(t, c), share(t, c), j), t, j, made);
        }
    return out;
}

Array<double, 3> resample_in_space(View<const double, 3> rotations,
                                   View<const std::int64_t, 2> frame, View<const double, 2> share,
                                   View<const std::int64_t, 1> column,
                                   View<const std::int64_t, 1> parents,
                                   View<const std::int64_t, 1> in_space) {
    const index count = frame.shape[0], joints = rotations.shape[1];
    Array<double, 3> out(count, joints, 4);
    std::vector<Quaternion> delivered(joints);  // in space
    std::vector<bool> whole(joints);  // whether a joint is in space what it is in the source
    for (index t = 0; t < count; ++t)
        for (index j = 0; j < joints; ++j) {
            const index c = column[j], p = parents[j], i = frame(t, c);
            const double u = share(t, c);
            const Quaternion own = between_frames(rotations, i, u, j);
            const bool together =
                p < 0 || (frame(t, column[p]) == i && share(t, column[p]) == u && whole[p]);
            whole[j] = together || in_space[j];
            Quaternion local = own;
            if (together || !in_space[j]) {
                delivered[j] = p < 0 ? own : multiply(delivered[p], own);
            } else {
                delivered[j] = own;
                for (index k = p; k >= 0; k = parents[k])
                    delivered[j] = multiply(between_frames(rotations, i, u, k), delivered[j]);
                local = multiply(conjugate(delivered[p]), delivered[j]);
                local = 1.0 / std::sqrt(dot(local, local)) * local;
            }
            store_continuous(local, t, j, out);
        }
    return out;
}

Array<double, 3> turn_rotations(View<const double, 3> rotations, View<const std::int64_t, 1> joints,
                                View<const double, 3> turns) {
    Array<double, 3> out = copied(rotations);
    for (index f = 0; f < turns.shape[0]; ++f)
        for (index n = 0; n < joints.length(); ++n) {
            const Vector v = vector(turns[f][n]);
            if (dot(v, v) == 0.0) continue;
            const Quaternion q = quaternion(rotations[f][joints[n]]);
            store(multiply(exponential(v), q), out[f][joints[n]].data);
        }
    return out;
}

Array<double, 3> chain_rotations(View<const std::int64_t, 1> parents,
                                 View<const double, 3> rotations, View<const double, 1> turn) {
    Array<double, 3> out(rotations.shape[0], rotations.shape[1], 4);
    for (index f = 0; f < rotations.shape[0]; ++f)
        for (index j = 0; j < parents.length(); ++j) {
            const Quaternion above = quaternion(parents[j] < 0 ? turn : out[f][parents[j]]);
            store(multiply(above, quaternion(rotations[f][j])), out[f][j].data);
        }
    return out;
}

std::pair<Array<double, 3>, Array<double, 4>> forward(View<const std::int64_t, 1> parents,
                                                      View<const double, 3> rotations,
                                                      View<const double, 3> translations,
                                                      View<const double, 3> scales, bool keep) {
    const index frames = rotations.shape[0], joints = rotations.shape[1];
    const bool scaled = scales.shape[0] > 0;
    if (scaled && scales.shape[0] != frames)
        throw std::invalid_argument("forward: scales must have as many frames as rotations, or 0");
    Array<double, 3> positions(frames, joints, 3);
    Array<double, 4> matrices(keep ? frames : 1, joints, 3, 3);
    for (index f = 0; f < frames; ++f) {
        const View<double, 3> linear = matrices[keep ? f : 0];
        for (index j = 0; j < joints; ++j) {
            const auto [w, x, y, z] = quaternion(rotations[f][j]);
            double m[3][3] = {
                {1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)},
                {2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)},
                {2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)},
            };
            if (scaled)
                for (int c = 0; c < 3; ++c)
                    for (auto &row : m) row[c] *= scales(f, j, c);
            const index p = parents[j];
            const Vector t = vector(translations[f][j]);
            double *to = linear[j].data;
            if (p < 0) {
                store(t, positions[f][j].data);
                for (int r = 0; r < 3; ++r)
                    for (int c = 0; c < 3; ++c) to[3 * r + c] = m[r][c];
                continue;
            }
            for (int r = 0; r < 3; ++r) {
                const Vector l = vector(linear[p][r]);
                positions(f, j, r) = positions(f, p, r) + l.x * t.x + l.y * t.y + l.z * t.z;
                for (int c = 0; c < 3; ++c)
                    to[3 * r + c] = l.x * m[0][c] + l.y * m[1][c] + l.z * m[2][c];
            }
        }
    }
    return {std::move(positions), std::move(matrices)};
}

std::pair<double, double> shares_of_arc(double gap, double left, double share) {
    const Shares by = arc_shares(gap, left, share);
    return {by.a, by.b};
}

void bind(nanobind::module_ &m) {
    define(
        m, "unevenness", unevenness, "rotations[F,J,4]",
        "Return how far quaternions (F, J, 4) are from unit, squared, and their least product.\n\n"
        "The product is of neighbouring frames: below 0 the sign changes.");
    define(m, "resample_rotations", resample_rotations,
           "rotations[F,J,4] frame[N,K]:0..F share[N,K] column[J]:0..K",
           "Interpolate rotations (F, J, 4) at a frame and share per output frame and column.\n\n"
           "Joint j follows column `column[j]`. A share of 0 copies the sample exactly. Signs are\n"
           "continuous in time.");
    define(
        m, "resample_in_space", resample_in_space,
        "rotations[F,J,4] frame[N,K]:0..F share[N,K] column[J]:0..K parents[J]:-1..J "
        "in_space[J]",
        "Interpolate like `resample_rotations`, some joints by their rotation in space.\n\n"
        "Where a joint that is marked in `in_space` has another time than those above it, it is\n"
        "in space as in the source at its own time. Parents come before their children.");
    define(m, "turn_rotations", turn_rotations, "rotations[F,J,4] joints[N]:0..J turns[F,N,3]",
           "Rotate joints (F, J, 4) by vectors (F, N, 3) in the parent's frame.");
    define(m, "arc_shares", shares_of_arc, "gap left share",
           "Return the weights of two unit vectors at a share of the arc between them.\n\n"
           "`gap` is 1 - cos(a) and `left` is 1 + cos(a) of the arc's angle a.");
    define(m, "chain_rotations", chain_rotations, "parents[J]:-1..J rotations[F,J,4] turn[4]",
           "Multiply rotations (F, J, 4) from the roots on; the roots themselves by `turn`.");
    define(
        m, "forward", forward,
        "parents[J]:-1..J rotations[F,J,4] translations[F,J,3] scales[S,J,3] keep",
        "Forward kinematics: local transforms to global positions and linear parts.\n\n"
        "`scales` is (F, J, 3), or (0, J, 3) for none. Returns positions (F, J, 3) and matrices\n"
        "(F, J, 3, 3), or those of the last frame only, (1, J, 3, 3): positions alone are faster\n"
        "if they are not kept.");
}

}  // namespace retime::motion
