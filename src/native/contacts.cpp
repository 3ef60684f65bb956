// Loops over frames and points: where a body may touch, and where its joints stand still.
#include <stdexcept>

#include "modules.hpp"
#include "rotations.hpp"

namespace retime::contacts {

namespace {

using Numbers = View<const double, 1>;
using Flags = View<const bool, 1>;
using Places = View<const double, 2>;

/// A contact seen from above.
struct Spot {
    double x, z, size;
};

}  // namespace

FOR_EACH_PROCESSOR
Array<double, 2> windowed_sums(View<const double, 2> track, Numbers weights) {
    const index frames = track.shape[0], channels = track.shape[1], width = weights.length() / 2;
    if (weights.length() > frames)
        throw std::invalid_argument("windowed_sums: there are more weights than frames");
    Array<double, 2> out = filled(0.0, frames, channels);
    const View<double, 2> inner = out.view().rows(width, frames - width);
    for (index w = 0; w < weights.length(); ++w) {
        const double weight = weights[w], *const from = track.rows(w, frames).data;
        double *const to = inner.data;
        for (index i = 0; i < inner.size(); ++i) to[i] += weight * from[i];
    }
    for (index k = 0; k < width; ++k)
        for (index c = 0; c < channels; ++c) {
            out(k, c) = out(width, c);
            out(frames - 1 - k, c) = out(frames - 1 - width, c);
        }
    return out;
}

Array<bool, 1> likeliest_states(Numbers score, double price) {
    const index frames = score.length();
    Array<bool, 1> out(frames);
    if (frames == 0) return out;
    // Whether off and on are best reached from the other.
    std::vector<std::array<bool, 2>> turned(frames);
    double off = -score[0], on = score[0];
    for (index k = 1; k < frames; ++k) {
        turned[k] = {on - price > off, off - price > on};
        const double before = off;
        off = (turned[k][0] ? on - price : off) - score[k];
        on = (turned[k][1] ? before - price : on) + score[k];
    }
    bool state = on > off;
    for (index k = frames - 1; k >= 0; --k) {
        out[k] = state;
        state ^= turned[k][state];
    }
    return out;
}

Array<double, 1> surface_gaps(Places place, double clear, Flags able, Places spots, Flags grips,
                              double reach, double sunk) {
    Array<double, 1> out = filled(INFINITE, place.length());
    const double limit = reach * reach;
    for (index k = 0; k < place.length(); ++k) {
        const Vector at = vector(place[k]);
        for (index s = 0; s < spots.length(); ++s) {
            if (grips[s] && !able[k]) continue;
            const Vector spot = vector(spots[s]);
            const double dx = at.x - spot.x, dz = at.z - spot.z, gap = at.y - clear - spot.y;
            if (dx * dx + dz * dz < limit && -sunk < gap && gap < out[k]) out[k] = gap;
        }
    }
    return out;
}

Array<double, 1> continued_gaps(Numbers height, View<const double, 2> supports, double sunk,
                                double near) {
    const index count = supports.length();
    if (count == 0) return filled(INFINITE, height.length());
    Array<double, 1> out(height.length());
    const auto gap = [&](index k, index s) {
        const double above = height[k] - supports(s, 2);
        return above > -sunk ? std::max(above, 0.0) + near : INFINITE;
    };
    index before = 0, after = 0;
    for (index k = 0; k < height.length(); ++k) {
        while (before + 1 < count && supports(before + 1, 0) <= k) ++before;
        while (after + 1 < count && supports(after, 1) < k) ++after;
        out[k] = std::min(gap(k, before), gap(k, after));
    }
    return out;
}

Array<double, 1> outside_hull(View<const double, 2> pressure, View<const double, 3> places,
                              View<const bool, 2> down, Numbers sizes, View<const double, 2> ways) {
    Array<double, 1> out(pressure.length());
    std::vector<Spot> spots;
    for (index k = 0; k < pressure.length(); ++k) {
        spots.clear();
        for (index p = 0; p < places.length(); ++p)
            if (down(p, k)) spots.push_back({places(p, k, 0), places(p, k, 2), sizes[p]});
        double worst = -INFINITE;
        for (index w = 0; w < ways.length(); ++w) {
            const double x = ways(w, 0), z = ways(w, 1);
            double edge = -1e3;
            for (const Spot &spot : spots)
                edge = std::max(edge, spot.x * x + spot.z * z + spot.size);
            worst = std::max(worst, pressure(k, 0) * x + pressure(k, 1) * z - edge);
        }
        out[k] = std::min(worst, 1.0);
    }
    return out;
}

Array<double, 1> bone_gaps(Places place, View<const double, 3> at,
                           View<const std::int64_t, 2> bones) {
    Array<double, 1> out(place.length());
    for (index k = 0; k < place.length(); ++k) {
        double least = INFINITE;
        for (index b = 0; b < bones.length(); ++b) {
            const Vector start = vector(at[k][bones(b, 0)]);
            const Vector bone = vector(at[k][bones(b, 1)]) - start, to = vector(place[k]) - start;
            constexpr double SMALL = 1e-12;  // joints may lie on each other
            const double share = (SMALL + dot(bone, to)) / (SMALL + dot(bone, bone));
            const Vector gap = to - std::clamp(share, 0.0, 1.0) * bone;
            least = std::min(least, dot(gap, gap));
        }
        out[k] = std::sqrt(least);
    }
    return out;
}

Array<std::int64_t, 2> still_runs(Places place, std::int64_t length, double tolerance) {
    if (length < 1) throw std::invalid_argument("still_runs: length is less than 1");
    const index frames = place.length();
    std::vector<std::array<std::int64_t, 2>> runs;
    index free = 0;  // runs do not overlap
    for (index first = 0; first <= frames - length;) {
        Vector centre{0.0, 0.0, 0.0};
        for (index f = first; f < first + length; ++f) centre = centre + vector(place[f]);
        centre = centre / static_cast<double>(length);
        const auto is_near = [&](index f) {
            const Vector away = vector(place[f]) - centre;
            return dot(away, away) <= tolerance * tolerance;
        };
        index last = first;
        while (last < first + length && is_near(last)) ++last;
        if (last < first + length) {
            ++first;
            continue;
        }
        while (last < frames && is_near(last)) ++last;
        while (first > free && is_near(first - 1)) --first;
        runs.push_back({first, last - 1});
        first = free = last;
    }
    return copied(runs);
}

void bind(nanobind::module_ &m) {
    define(m, "windowed_sums", windowed_sums, "track[F,C] weights[W]",
           "Return the weighted sums (F, C) over a window around each frame; the ends repeat\n"
           "them.");
    define(m, "likeliest_states", likeliest_states, "score[F] price",
           "Find the on/off sequence (F,) with the largest sum of signed scores.\n\n"
           "Every change costs `price` (Viterbi's algorithm with two states).");
    define(m, "surface_gaps", surface_gaps,
           "place[F,3] clear able[F] spots[S,3] grips[S] reach sunk",
           "Return the height (F,) of a point (F, 3) above the nearest known surface.\n\n"
           "`spots` (S, 3) are samples of surfaces; one counts within `reach` along the ground,\n"
           "and for points that are at most `sunk` below it. `grips` are those that only hands\n"
           "use, while they are `able`. Infinite if there is none.");
    define(m, "continued_gaps", continued_gaps, "height[F] supports[S,3] sunk near",
           "Return heights (F,) relative to the supports before and after each frame, (F,).\n\n"
           "`supports` (S, 3) are first and last frame and height, sorted. A height more than\n"
           "`sunk` below a support is not over it; `near` is added, because ground without\n"
           "contacts is less certain.");
    define(m, "outside_hull", outside_hull,
           "pressure[F,2] places[P,F,3] down[P,F] sizes[P] ways[W,2]",
           "Return the distance (F,) of a centre of pressure (F, 2) from the contacts, metres.\n\n"
           "`places` (P, F, 3) are points, `down` (P, F) whether they touch, `sizes` (P,) their\n"
           "radii, `ways` (W, 2) the directions in which the hull is sampled. At most 1, also\n"
           "without contact.");
    define(m, "bone_gaps", bone_gaps, "place[F,3] at[F,J,3] bones[B,2]:0..J",
           "Return the distance (F,) of a point (F, 3) to the nearest bone.\n\n"
           "`at` (F, J, 3) are joints; `bones` (B, 2) the joints at each bone's ends.");
    define(m, "still_runs", still_runs, "place[F,3] length tolerance",
           "Find stretches of at least `length` frames in which a point (F, 3) stays where it\n"
           "is.\n\n"
           "A stretch is still when all of it is within `tolerance` of its mean; it then grows\n"
           "both ways while the point stays that near. Returns first and last frames, (N, 2).");
}

}  // namespace retime::contacts
