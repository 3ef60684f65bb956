// Loops over the joints of live poses: fits, distances, velocities, bones.
#include "live_poses.hpp"

#include "modules.hpp"

namespace retime::live_poses {

namespace {

using namespace live;
using Bones = View<const std::int64_t, 2>;

// A tie between places is not decided by rounding.
constexpr double SHARE_OF_TIE = 1e-9, TIE = 1e-15;
// Shorter bones were not seen yet, metres.
constexpr double SHORTEST = 1e-6;

/// The squared distance of a pose from the line between two places of a recording.
struct Between {
    double share = 0.0;  ///< Where on the line it is least.
    double square = 0.0;
    double length = 0.0;  ///< The square of the line's own length.
};

Between nearest_between(Recorded from, const Fit &at_from, Recorded to, const Fit &at_to, Pose pose,
                        Mask visible) {
    double along = 0.0, length = 0.0, start = 0.0;
    for (index j = 0; j < visible.length(); ++j) {
        if (!visible[j]) continue;
        const Vector first = from.off(at_from(joint(pose, j)), j);
        const Vector change = first - to.off(at_to(joint(pose, j)), j);
        along += dot(change, first);
        length += dot(change, change);
        start += dot(first, first);
    }
    const double share = length < 1e-18 ? 0.0 : std::clamp(along / length, 0.0, 1.0);
    return {share, start - 2 * share * along + share * share * length, length};
}

/// Return the mean place of joints, at height 0.
Vector centre(Pose pose, Mask among, index count) {
    Vector out = {0.0, 0.0, 0.0};
    for (index j = 0; j < among.length(); ++j)
        if (among[j]) out = out + Vector{pose(j, 0), 0.0, pose(j, 2)};
    return {out.x / count, 0.0, out.z / count};
}

/// Call `use(j, way)` with the way of each joint since the pose before, in its heading.
template <class Use>
void each_way(Pose now, Pose before, Mask both, Use use) {
    const index seen = count(both);
    const Vector here = centre(now, both, seen), there = centre(before, both, seen);
    Turning turning;
    for (index j = 0; j < both.length(); ++j)
        if (both[j]) turning.add(joint(before, j) - there, joint(now, j) - here);
    const auto [cosine, sine] = turning.turn();
    for (index j = 0; j < both.length(); ++j) {
        if (!both[j]) continue;
        const Vector from = joint(before, j) - there, to = joint(now, j) - here;
        use(j, Vector{to.x - cosine * from.x + sine * from.z, to.y - from.y,
                      to.z - sine * from.x - cosine * from.z});
    }
}

double median(View<double, 1> values) {
    std::vector<double> sorted(values.begin(), values.end());
    std::sort(sorted.begin(), sorted.end());
    const std::size_t middle = sorted.size() / 2;
    return sorted.size() % 2 ? sorted[middle] : 0.5 * (sorted[middle - 1] + sorted[middle]);
}

double variance(View<double, 1> values) {
    double mean = 0.0, out = 0.0;
    for (double value : values) mean += value;
    mean /= values.length();
    for (double value : values) out += (value - mean) * (value - mean);
    return out / values.length();
}

/// What is known of the length of a performer's bone.
struct Bone {
    double &length, &spread;
    std::int64_t &seen;  ///< In so many poses, up to a bound.
    std::int64_t &odd;   ///< Implausible in so many poses since the last that was not.
    View<double, 1> first;

    bool is_new() const { return seen < first.length(); }

    void start(double measured) {
        first[seen++] = measured;
        length = median(first.rows(0, seen));
        spread = variance(first.rows(0, seen));
    }

    bool is_near(double measured) const { return std::abs(measured - length) <= length / 3; }

    bool is_possible(double measured) const {
        return length / 2.5 <= measured && measured <= length * 2.5;
    }

    void average(double measured, std::int64_t most) {
        odd = 0;
        seen = seen < most ? seen + 1 : most;
        const double off = measured - length;
        length += off / seen;
        spread += (off * off - spread) / seen;
    }

    /// Forget the length once as many outliers came in a row as make another body.
    void doubt() {
        if (odd < 4 * first.length()) {
            ++odd;
            return;
        }
        odd = seen = 0;
    }
};

/// Lengths of a performer's bones, measured and recorded.
struct Lengths {
    Numbers measured, spread;
    View<const std::int64_t, 1> seen;
    Numbers recorded;
};

/// Return a performer's bone lengths without the bias from noise.
///
/// Noise makes a bone longer on the mean: by its variance, divided by the length. A length that
/// differs from the recorded one, at the performer's size, by no more than chance (`least` metres,
/// and what the spread of as many as were seen allows) is the recorded one, so that noise does not
/// bend the same body.
std::vector<double> steady_lengths(const Lengths &of, double least) {
    const index count = of.measured.length();
    std::vector<double> out(count);
    double theirs = 0.0, own = 0.0;
    for (index k = 0; k < count; ++k) {
        if (!(of.measured[k] > SHORTEST)) continue;
        const double square = of.measured[k] * of.measured[k];
        out[k] = std::sqrt(std::max(square - 2.0 * of.spread[k], 0.25 * square));
        theirs += out[k];
        own += of.recorded[k];
    }
    const double size = own > 0 ? theirs / own : 1.0;
    for (index k = 0; k < count; ++k) {
        if (!(out[k] > 0)) continue;
        const double usual = size * of.recorded[k], off = out[k] - usual;
        const double variance = of.spread[k] / of.seen[k] + least * least;
        const double share = 4.0 * variance / std::max(off * off, 1e-18);
        out[k] = usual + off * std::max(0.0, 1.0 - share * share);
    }
    return out;
}

}  // namespace

std::pair<double, double> nearest_on_path(Poses path, Pose pose, Mask visible, std::int64_t low,
                                          std::int64_t high) {
    double best = FAR, place = low;
    Recorded from{path[low]};
    Fit at_from = fit(from, pose, visible);
    for (index i = low; i < high; ++i) {
        const Recorded to{path[i + 1]};
        const Fit at_to = fit(to, pose, visible);
        const Between near = nearest_between(from, at_from, to, at_to, pose, visible);
        if (near.square < best * (1 - SHARE_OF_TIE) - TIE) {
            best = near.square;
            place = i + near.share;
        }
        from = to;
        at_from = at_to;
    }
    return {place, best / count(visible)};
}

double mean_on_path(Poses path, Numbers at, Pose pose, Mask visible, std::int64_t low,
                    std::int64_t high, double error2) {
    double total = 0.0, sum = 0.0, least = FAR;
    Recorded from{path[low]};
    Fit at_from = fit(from, pose, visible);
    for (index i = low; i < high; ++i) {
        const Recorded to{path[i + 1]};
        const Fit at_to = fit(to, pose, visible);
        const Between near = nearest_between(from, at_from, to, at_to, pose, visible);
        // A normal distribution along the line, of this precision, cut off at its ends.
        const double precision = near.length / error2, cost = near.square / (2 * error2);
        const double place = i + 0.5 + (near.share - 0.5) / (1 + 12 / std::max(precision, 1e-12));
        if (cost < least) {
            const double share = std::exp(cost - least);
            total *= share;
            sum *= share;
            least = cost;
        }
        const double weight = 0.5 * (at[i] + at[i + 1]) * std::exp(least - cost) /
                              std::sqrt(1 + precision / (2 * PI));
        total += weight;
        sum += weight * place;
        from = to;
        at_from = at_to;
    }
    return total > 0 ? sum / total : 0.5 * (low + high);
}

Array<double, 2> pose_velocity(Pose now, Pose before, Mask both, double seconds) {
    Array<double, 2> out = filled(0.0, both.length(), 3);
    each_way(now, before, both, [&](index j, Vector way) {
        store(Vector{way.x / seconds, way.y / seconds, way.z / seconds}, out[j].data);
    });
    return out;
}

double mean_travel(Pose now, Pose before, Mask both) {
    double total = 0.0;
    each_way(now, before, both, [&](index, Vector way) { total += length(way); });
    return total / std::max<index>(count(both), 1);
}

void measure_bones(Pose points, View<bool, 1> visible, Bones bones, View<double, 1> lengths,
                   View<double, 1> spread, View<std::int64_t, 1> seen, View<std::int64_t, 1> odd,
                   View<double, 2> first, std::int64_t most) {
    struct Count {
        int bones = 0, impossible = 0;
    };
    std::vector<Count> counts(visible.length());
    for (index k = 0; k < bones.length(); ++k) {
        const index a = bones(k, 0), b = bones(k, 1);
        if (!(visible[a] && visible[b])) continue;
        Bone bone{lengths[k], spread[k], seen[k], odd[k], first[k]};
        const double measured = length(joint(points, b) - joint(points, a));
        if (bone.is_new()) {
            bone.start(measured);
            continue;
        }
        const bool near = bone.is_near(measured), possible = near || bone.is_possible(measured);
        for (const index j : {a, b}) {
            ++counts[j].bones;
            counts[j].impossible += !possible;
        }
        if (near)
            bone.average(measured, most);
        else
            bone.doubt();
    }
    for (index j = 0; j < visible.length(); ++j)
        if (counts[j].bones && counts[j].impossible == counts[j].bones) visible[j] = false;
}

Array<double, 2> put_on_bones(Pose points, Mask visible, Bones bones, Numbers measured,
                              Numbers spread, View<const std::int64_t, 1> seen, Numbers recorded,
                              Mask is_leg, double same, std::int64_t least, double overall,
                              double scale) {
    const std::vector<double> lengths = steady_lengths({measured, spread, seen, recorded}, same);
    index known = 0;
    double theirs = 0.0, own = 0.0, their_legs = 0.0, own_legs = 0.0;
    for (index k = 0; k < bones.length(); ++k) {
        if (!(lengths[k] > SHORTEST)) continue;
        ++known;
        theirs += lengths[k];
        own += recorded[k];
        if (!is_leg[k]) continue;
        their_legs += lengths[k];
        own_legs += recorded[k];
    }
    if (known >= least) overall = own / theirs;
    const double height = their_legs > 0 ? own_legs / their_legs : overall;
    Array<double, 2> out(visible.length(), 3);
    for (index j = 0; j < visible.length(); ++j) {
        const Vector v = joint(points, j);
        store(Vector{v.x * overall, v.y * height, v.z * overall}, out[j].data);
    }
    for (index k = 0; k < bones.length(); ++k) {
        const index a = bones(k, 0), b = bones(k, 1);
        if (!(visible[a] && visible[b] && lengths[k] > SHORTEST)) continue;
        const double ratio = recorded[k] / lengths[k];
        store(joint(out, a) + ratio * (joint(points, b) - joint(points, a)), out[b].data);
    }
    const Vector middle = centre(out, visible, count(visible));
    for (index j = 0; j < visible.length(); ++j)
        store(visible[j] ? scale * (joint(out, j) - middle) : Vector{0.0, 0.0, 0.0}, out[j].data);
    return out;
}

void bind(nanobind::module_ &m) {
    define(m, "nearest_on_path", nearest_on_path,
           "path[N,J,3] pose[J,3] visible[J] low:0..N high:0..N",
           "Find the nearest point of a pose on a stretch of the recording, between frames too.\n\n"
           "Returns the place, in frames, and the mean squared distance of a joint there.");
    define(m, "mean_on_path", mean_on_path,
           "path[N,J,3] at[N] pose[J,3] visible[J] low:0..N high:0..N error2",
           "Find the mean place of a pose on a stretch of the recording, in frames.\n\n"
           "Belief `at` (N,) each frame, linear between them, is weighed by how well the pose "
           "fits:\nits joints are off by `error2` on the mean, squared.");
    define(m, "pose_difference", difference, "recorded[J,3] pose[J,3] visible[J]",
           "Return the distances of a pose from a recorded one (J, 3), after rotation; 0 if "
           "unseen.");
    define(m, "pose_velocity", pose_velocity, "now[J,3] before[J,3] both[J] seconds",
           "Return velocities (J, 3) of visible joints, without travel and rotation of the body.");
    define(m, "mean_travel", mean_travel, "now[J,3] before[J,3] both[J]",
           "Return the mean movement of visible joints between poses, without the body's travel.");
    define(m, "measure_bones", measure_bones,
           "points[J,3] visible[J] bones[B,2]:0..J lengths[B] spread[B] seen[B]:0..2147483648 "
           "odd[B] first[B,T] most",
           "Learn lengths (B,) of visible bones and their variance; hide implausible joints.\n\n"
           "The median of the `first` (B, T) lengths is where the mean starts; a length that is\n"
           "off by more than a third is an outlier then, unless as many come in a row (`odd`) as\n"
           "make a new body. A joint all of whose bones are too long or short is not a joint:\n"
           "`visible` is cleared for it.");
    define(m, "put_on_bones", put_on_bones,
           "points[J,3] visible[J] bones[B,2]:0..J lengths[B] spread[B] seen[B] recorded[B] "
           "is_leg[B] same least overall scale",
           "Stretch a pose's bones to the recorded lengths, outwards; centre it on the ground.\n\n"
           "`bones` (B, 2) are in an order in which each one's start comes before; `lengths`,\n"
           "`spread` and `seen` (B,) are as `measure_bones` learns them. A length that differs\n"
           "from the recorded one by no more than chance, and `same` metres, is that one. Joints\n"
           "without a bone visible go by the ratio of all, which is given (`overall`) where fewer\n"
           "than `least` bones are known; the height of the hips goes by the legs.");
}

}  // namespace retime::live_poses
