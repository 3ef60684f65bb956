// Loops of the search: an interior-point method over speeds and nearest feasible points.
//
// The distance of a timing z = (p'' / unit, p'^2) from a region is that to its nearest point c,
// which is a variable of its own here: (alpha |z - c|^2 / 2 + ...) times the time is convex in
// speeds and points together and smooth, and c stays within the region's walls n c <= d by a
// barrier. Each point meets only its own interval's two speeds, so that eliminating it leaves the
// system of the speeds tridiagonal.
//
// Each interval has two sides: the regions of the nodes at its ends, with a point each.
#include "modules.hpp"
#include "physics_intervals.hpp"

namespace retime::physics_search {

namespace {

using namespace physics;
using Numbers = View<const double, 1>;
using Indices = View<const std::int64_t, 1>;
using Flags = View<const bool, 1>;

/// A half-plane n z <= d.
struct Wall {
    double ny, nx, offset;

    double room(double y, double x) const { return offset - ny * y - nx * x; }
    double along(double y, double x) const { return ny * y + nx * x; }
};

/// The walls of all regions; those of frame f are `starts[f]` to `starts[f + 1]`.
struct Walls {
    Indices starts;
    View<const double, 2> normals;
    Numbers offsets;

    Wall operator[](index e) const {
        const double *normal = normals.data + 2 * e;
        return {normal[0], normal[1], offsets[e]};
    }
};

/// A region as seen from an interval: its walls, and where their multipliers begin.
struct Side {
    index frame, first, past, dual;

    /// The multipliers of side 0 or 1 of interval k begin at `begins[2 * k + side]`.
    Side(Indices starts, Indices begins, index multipliers, index k, int side)
        : frame(k + side),
          first(starts[frame]),
          past(starts[frame + 1]),
          dual(begins[2 * k + side]) {
        past = std::min(past, first + multipliers - dual);
    }

    bool has_region() const { return past > first; }
};

/// How the mean speed and the time of an interval grow by p'^2 at its ends.
struct Slopes {
    double m0, m1, t0, t1;

    Slopes(const Interval &at, const Node &from, const Node &to)
        : m0(0.25 / from.speed),
          m1(0.25 / to.speed),
          t0(-at.time * m0 / at.mean),
          t1(-at.time * m1 / at.mean) {}
};

/// The seconds for which an interval counts, and how they grow by p'^2 at its ends.
struct Count {
    double seconds, by0, by1;

    Count(const Interval &at, const Slopes &by, double given)
        : seconds(counted(at, given)),
          by0(given > 0.0 ? 0.0 : by.t0),
          by1(given > 0.0 ? 0.0 : by.t1) {}
};

/// What a timing costs per second that counts, and the derivatives by y and x.
struct Rate {
    double value = 0.0, y = 0.0, x = 0.0, yy = 0.0, xy = 0.0, xx = 0.0;

    void add_distance(double alpha, double dy, double dx) {
        value += 0.5 * alpha * (dy * dy + dx * dx);
        y += alpha * dy;
        x += alpha * dx;
        yy += alpha;
        xx += alpha;
    }

    void add_torques(double beta, const double *c, const Interval &at) {
        value += 0.5 * beta * matched(c, at.y, at.x);
        x += 0.5 * beta * (2 * c[0] * at.x + c[1] + c[2] * at.y);
        y += 0.5 * beta * (c[2] * at.x + 2 * c[3] * at.y + c[4]);
        yy += beta * c[3];
        xx += beta * c[0];
        xy += 0.5 * beta * c[2];
    }
};

/// The speed at a node relative to the usual one: u = sqrt(b / usual).
struct Relative {
    double u, scale;

    Relative(double b, double usual) : u(std::sqrt(b / usual)), scale(1.0 / usual) {}
};

/// What an interval adds to the system of its two speeds.
struct Block {
    double g0, g1, h00, h01, h11;

    /// The rate times the seconds that count, and the price of the time.
    Block(const Rate &f, const Count &count, double price, const Interval &at, const Slopes &by,
          const Node &from, const Node &to, double step) {
        const auto [m0, m1, t0, t1] = by;
        const auto [seconds, by0, by1] = count;
        const double slope = at.slope, mean = at.mean;
        const double priced = price + (by0 != 0.0 ? f.value : 0.0);
        const double f0 = -slope * f.y + 0.5 * f.x, f1 = slope * f.y + 0.5 * f.x;
        const double cube = mean * mean * mean;
        const double t00 = step * (2 * m0 * m0 / cube + 0.5 * m0 / from.square / (mean * mean));
        const double t11 = step * (2 * m1 * m1 / cube + 0.5 * m1 / to.square / (mean * mean));
        const double t01 = step * 2 * m0 * m1 / cube;
        const double across = slope * slope * f.yy, mixed = slope * f.xy, level = 0.25 * f.xx;
        g0 = f0 * seconds + priced * t0;
        g1 = f1 * seconds + priced * t1;
        h00 = (across - mixed + level) * seconds + 2 * f0 * by0 + priced * t00;
        h11 = (across + mixed + level) * seconds + 2 * f1 * by1 + priced * t11;
        h01 = (-across + level) * seconds + f0 * by1 + f1 * by0 + priced * t01;
    }

    /// Add `smooth` times the square of the difference of relative speeds.
    void add_bend(double smooth, const Relative &from, const Relative &to) {
        const auto [u0, s0] = from;
        const auto [u1, s1] = to;
        const double half = 0.5 * smooth, bend = u1 - u0;
        g0 -= smooth * bend * s0 / u0;
        g1 += smooth * bend * s1 / u1;
        h00 += half * s0 * s0 * u1 / (u0 * u0 * u0);
        h11 += half * s1 * s1 * u0 / (u1 * u1 * u1);
        h01 -= half * s0 * s1 / (u0 * u1);
    }
};

/// The inverse of a point's own system, and the slope that moves it, barrier included.
struct PointSystem {
    double iyy, iyx, ixx, gy, gx;

    struct Step {
        double y, x;
    };
    Step apply(double y, double x) const { return {iyy * y + iyx * x, iyx * y + ixx * x}; }
};

PointSystem point_system(const Walls &walls, const Side &side, const double *point,
                         const double *duals, double barrier, double pull, double dy, double dx) {
    double myy = pull, mxx = pull, myx = 0.0;
    double gy = pull * dy, gx = pull * dx;
    for (index e = side.first; e < side.past; ++e) {
        const Wall wall = walls[e];
        const double room = wall.room(point[0], point[1]);
        const double firm = duals[side.dual + e - side.first] / room;
        const double push = barrier / room;
        myy += firm * wall.ny * wall.ny;
        myx += firm * wall.ny * wall.nx;
        mxx += firm * wall.nx * wall.nx;
        gy -= push * wall.ny;
        gx -= push * wall.nx;
    }
    const double d = 1.0 / (myy * mxx - myx * myx);
    return {mxx * d, -myx * d, myy * d, gy, gx};
}

}  // namespace

void start_points(Numbers b, Numbers steps, double unit, Indices starts,
                  View<const double, 2> normals, Numbers offsets, View<const double, 2> middles,
                  View<double, 3> points) {
    const Walls walls{starts, normals, offsets};
    Node from(b[0]), to = from;
    for (index k = 0; k < steps.length(); ++k, from = to) {
        to = Node(b[k + 1]);
        const Interval at(from, to, steps[k], unit);
        for (int side = 0; side < 2; ++side) {
            const double my = middles(k + side, 0), mx = middles(k + side, 1);
            const double dy = at.y - my, dx = at.x - mx;
            double share = 1.0;
            for (index e = starts[k + side]; e < starts[k + side + 1]; ++e) {
                const double goes = walls[e].along(dy, dx);
                if (goes > 0.0) share = std::min(share, 0.9 * walls[e].room(my, mx) / goes);
            }
            points(k, side, 0) = my + share * dy;
            points(k, side, 1) = mx + share * dx;
        }
    }
}

void wall_rooms(Indices starts, View<const double, 2> normals, Numbers offsets,
                View<const double, 3> points, Indices begins, View<double, 1> out) {
    const Walls walls{starts, normals, offsets};
    for (index k = 0; k < points.shape[0]; ++k)
        for (int s = 0; s < 2; ++s) {
            const Side side(starts, begins, out.length(), k, s);
            const double *point = points[k][s].data;
            double *to = out.data + side.dual;
            for (index e = side.first; e < side.past; ++e)
                to[e - side.first] = walls[e].room(point[0], point[1]);
        }
}

void newton_system(Numbers b, Numbers steps, double unit, Indices starts,
                   View<const double, 2> normals, Numbers offsets, View<const double, 2> matching,
                   Numbers alphas, double beta, Numbers prices, Numbers given, Numbers usual,
                   Numbers gammas, View<const double, 3> points, Indices begins, Numbers duals,
                   double barrier, View<double, 1> spent, View<double, 1> value,
                   View<double, 1> gradient, View<double, 1> plain, View<double, 2> of_time,
                   View<double, 1> diagonal, View<double, 1> beside, View<double, 3> own) {
    const Walls walls{starts, normals, offsets};
    for (const View<double, 1> &each : {gradient, plain, diagonal})
        std::fill(each.begin(), each.end(), 0.0);
    Node from(b[0]), to = from;
    Relative usual_from(b[0], usual[0]), usual_to = usual_from;
    for (index k = 0; k < steps.length(); ++k, from = to, usual_from = usual_to) {
        const double step = steps[k];
        to = Node(b[k + 1]);
        usual_to = Relative(b[k + 1], usual[k + 1]);
        const Interval at(from, to, step, unit);
        const Slopes slopes(at, from, to);
        const Count count(at, slopes, given[k]);
        const auto [seconds, by0, by1] = count;
        Rate rate;
        for (int s = 0; s < 2; ++s) {
            const index f = k + s;
            const double *point = points[k][s].data;
            if (starts[f + 1] > starts[f])
                rate.add_distance(alphas[f], at.y - point[0], at.x - point[1]);
            rate.add_torques(beta, matching[f].data, at);
        }
        const double smooth = gammas[k] / step, bend = usual_to.u - usual_from.u;
        value[k] = rate.value * seconds + smooth * bend * bend;
        spent[k] = at.time;
        of_time(k, 0) = slopes.t0;
        of_time(k, 1) = slopes.t1;
        Block block(rate, count, prices[k], at, slopes, from, to, step);
        block.add_bend(smooth, usual_from, usual_to);
        plain[k] += block.g0;
        plain[k + 1] += block.g1;
        for (int s = 0; s < 2; ++s) {
            const Side side(starts, begins, duals.length(), k, s);
            if (!side.has_region()) continue;
            const double alpha = alphas[side.frame];
            const double *point = points[k][s].data;
            const double dy = at.y - point[0], dx = at.x - point[1];
            const PointSystem system =
                point_system(walls, side, point, duals.data, barrier, seconds * alpha, dy, dx);
            const auto [iyy, iyx, ixx, gy, gx] = system;
            double *kept = own[k][s].data;
            kept[0] = iyy;
            kept[1] = iyx;
            kept[2] = ixx;
            kept[3] = gy;
            kept[4] = gx;
            // Derivatives of the point's slope by the two speeds.
            const double ay0 = alpha * (-seconds * at.slope + dy * by0);
            const double ax0 = alpha * (0.5 * seconds + dx * by0);
            const double ay1 = alpha * (seconds * at.slope + dy * by1);
            const double ax1 = alpha * (0.5 * seconds + dx * by1);
            const auto p0 = system.apply(ay0, ax0), p1 = system.apply(ay1, ax1);
            block.h00 -= ay0 * p0.y + ax0 * p0.x;
            block.h11 -= ay1 * p1.y + ax1 * p1.x;
            block.h01 -= ay0 * p1.y + ax0 * p1.x;
            block.g0 -= gy * p0.y + gx * p0.x;
            block.g1 -= gy * p1.y + gx * p1.x;
        }
        gradient[k] += block.g0;
        gradient[k + 1] += block.g1;
        diagonal[k] += block.h00;
        diagonal[k + 1] += block.h11;
        beside[k] = block.h01;
    }
}

std::pair<double, double> point_steps(Numbers b, Numbers way, Numbers steps, double unit,
                                      Indices starts, View<const double, 2> normals,
                                      Numbers offsets, Numbers alphas, Numbers given,
                                      View<const double, 3> points, Indices begins, Numbers duals,
                                      double barrier, View<const double, 3> own, double keep,
                                      View<double, 3> point_way, View<double, 1> dual_way) {
    const Walls walls{starts, normals, offsets};
    const index multipliers = std::min(duals.length(), dual_way.length());
    double far = 1.0, dual_far = 1.0;
    Node from(b[0]), to = from;
    for (index k = 0; k < steps.length(); ++k, from = to) {
        to = Node(b[k + 1]);
        const Interval at(from, to, steps[k], unit);
        const Slopes slopes(at, from, to);
        const Count count(at, slopes, given[k]);
        const double ds = count.by0 * way[k] + count.by1 * way[k + 1];
        const double dy = at.slope * (way[k + 1] - way[k]);
        const double dx = 0.5 * (way[k] + way[k + 1]);
        for (int s = 0; s < 2; ++s) {
            const Side side(starts, begins, multipliers, k, s);
            if (!side.has_region()) continue;
            const double alpha = alphas[side.frame];
            const double *point = points[k][s].data, *kept = own[k][s].data;
            const PointSystem system{kept[0], kept[1], kept[2], kept[3], kept[4]};
            const auto [py, px] =
                system.apply(system.gy + alpha * (count.seconds * dy + (at.y - point[0]) * ds),
                             system.gx + alpha * (count.seconds * dx + (at.x - point[1]) * ds));
            point_way(k, s, 0) = py;
            point_way(k, s, 1) = px;
            for (index e = side.first; e < side.past; ++e) {
                const index i = side.dual + e - side.first;
                const double room = walls[e].room(point[0], point[1]);
                const double goes = walls[e].along(py, px);
                const double grows = (barrier + duals[i] * goes) / room - duals[i];
                dual_way[i] = grows;
                if (goes > 0.0) far = std::min(far, (1 - keep) * room / goes);
                if (grows < 0.0) dual_far = std::min(dual_far, -(1 - keep) * duals[i] / grows);
            }
        }
    }
    return {far, dual_far};
}

std::pair<double, double> merit_terms(Numbers b, Numbers steps, double unit, Indices starts,
                                      View<const double, 2> normals, Numbers offsets,
                                      View<const double, 2> matching, Numbers alphas, double beta,
                                      Numbers given, Numbers usual, Numbers gammas,
                                      View<const double, 3> points, View<double, 1> spent,
                                      Numbers low, Numbers high, Flags free) {
    const Walls walls{starts, normals, offsets};
    const std::pair<double, double> outside = {INFINITE, 0.0};
    double total = 0.0, logs = 0.0;
    for (index k = 0; k < b.length(); ++k) {
        if (!free[k]) continue;
        const double room = (b[k] - low[k]) * (high[k] - b[k]);
        if (room <= 0.0) return outside;
        logs += std::log(room);
    }
    double before = std::sqrt(b[0] / usual[0]);
    Node from(b[0]), to = from;
    for (index k = 0; k < steps.length(); ++k, from = to) {
        to = Node(b[k + 1]);
        const Interval at(from, to, steps[k], unit);
        double rate = 0.0;
        for (int s = 0; s < 2; ++s) {
            const index f = k + s;
            rate += 0.5 * beta * matched(matching[f].data, at.y, at.x);
            if (starts[f + 1] == starts[f]) continue;
            const double *point = points[k][s].data;
            const double dy = at.y - point[0], dx = at.x - point[1];
            rate += 0.5 * alphas[f] * (dy * dy + dx * dx);
            // One logarithm of many rooms, as long as their product is a number.
            double rooms = 1.0;
            for (index e = starts[f]; e < starts[f + 1]; ++e) {
                const double room = walls[e].room(point[0], point[1]);
                if (room <= 0.0) return outside;
                rooms *= room;
                if (rooms < 1e-200 || rooms > 1e200) {
                    logs += std::log(rooms);
                    rooms = 1.0;
                }
            }
            logs += std::log(rooms);
        }
        spent[k] = at.time;
        const double after = std::sqrt(b[k + 1] / usual[k + 1]), bend = after - before;
        total += rate * counted(at, given[k]) + gammas[k] / steps[k] * bend * bend;
        before = after;
    }
    return {total, logs};
}

std::pair<double, double> bound_steps(Numbers b, Numbers way, Numbers low, Numbers high, Flags free,
                                      Numbers floor_dual, Numbers roof_dual, double barrier,
                                      double keep, double lose, double win, double more,
                                      double far) {
    double room = INFINITE;
    for (index k = 0; k < b.length(); ++k) {
        if (!free[k]) continue;
        const double above = b[k] - low[k], below = high[k] - b[k], d = way[k];
        if (d < 0.0)
            room = std::min(room, -std::min((1 - keep) * above, lose * b[k]) / d);
        else if (d > 0.0)
            room = std::min(room, std::min((1 - keep) * below, win * b[k] + more) / d);
        const double floor = (barrier - floor_dual[k] * d) / above - floor_dual[k];
        const double roof = (barrier + roof_dual[k] * d) / below - roof_dual[k];
        if (floor < 0.0) far = std::min(far, -(1 - keep) * floor_dual[k] / floor);
        if (roof < 0.0) far = std::min(far, -(1 - keep) * roof_dual[k] / roof);
    }
    return {room, far};
}

void move_duals(Numbers b, Numbers way, Numbers low, Numbers high, Flags free,
                View<double, 1> floor_dual, View<double, 1> roof_dual, double barrier,
                View<double, 1> duals, Numbers dual_way, double far) {
    for (index i = 0; i < duals.length(); ++i) duals[i] += far * dual_way[i];
    for (index k = 0; k < b.length(); ++k) {
        if (!free[k]) continue;
        const double above = b[k] - low[k], below = high[k] - b[k], d = way[k];
        floor_dual[k] += far * ((barrier - floor_dual[k] * d) / above - floor_dual[k]);
        roof_dual[k] += far * ((barrier + roof_dual[k] * d) / below - roof_dual[k]);
    }
}

void time_rows(View<const double, 2> of_time, Indices legs, View<double, 2> out) {
    std::fill(out.begin(), out.end(), 0.0);
    for (index k = 0; k < legs.length(); ++k) {
        out(k, legs[k]) += of_time(k, 0);
        out(k + 1, legs[k]) += of_time(k, 1);
    }
}

double complementarity(Numbers b, Numbers low, Numbers high, Flags free, Numbers floor_dual,
                       Numbers roof_dual, Numbers rooms, Numbers duals) {
    double out = 0.0;
    for (index i = 0; i < duals.length(); ++i) out += duals[i] * rooms[i];
    for (index k = 0; k < b.length(); ++k)
        if (free[k]) out += floor_dual[k] * (b[k] - low[k]) + roof_dual[k] * (high[k] - b[k]);
    return out;
}

double joint_bound(Numbers b, Numbers steps, double unit, Indices starts,
                   View<const double, 2> corners, Numbers alphas, Numbers given,
                   View<const double, 3> points) {
    double loss = 0.0;
    Node from(b[0]), to = from;
    for (index k = 0; k < steps.length(); ++k, from = to) {
        to = Node(b[k + 1]);
        const Interval at(from, to, steps[k], unit);
        for (int s = 0; s < 2; ++s) {
            const index f = k + s;
            if (starts[f + 1] == starts[f]) continue;
            const double *point = points[k][s].data;
            const double pull = counted(at, given[k]) * alphas[f];
            const double ry = pull * (at.y - point[0]), rx = pull * (at.x - point[1]);
            double most = 0.0;
            for (index v = starts[f]; v < starts[f + 1]; ++v) {
                const double *corner = corners.data + 2 * v;
                most = std::max(most, ry * (corner[0] - point[0]) + rx * (corner[1] - point[1]));
            }
            loss += most;
        }
    }
    return loss;
}

bool tridiagonal(Numbers diagonal, Numbers beside, View<double, 2> right) {
    const index count = right.shape[0], columns = right.shape[1];
    std::vector<double> pivot(count);
    pivot[0] = diagonal[0];
    if (!(pivot[0] > 0.0)) return false;
    double *rows = right.data;
    for (index k = 1; k < count; ++k) {
        const double share = beside[k - 1] / pivot[k - 1];
        pivot[k] = diagonal[k] - share * beside[k - 1];
        if (!(pivot[k] > 1e-13 * diagonal[k])) return false;
        double *row = rows + k * columns;
        for (index c = 0; c < columns; ++c) row[c] -= share * row[c - columns];
    }
    double *last = rows + (count - 1) * columns;
    for (index c = 0; c < columns; ++c) last[c] /= pivot[count - 1];
    for (index k = count - 2; k >= 0; --k) {
        double *row = rows + k * columns;
        for (index c = 0; c < columns; ++c)
            row[c] = (row[c] - beside[k] * row[c + columns]) / pivot[k];
    }
    return true;
}

void bind(nanobind::module_ &m) {
    define(m, "start_points", start_points,
           "b[K] steps[K-1] unit starts[K+1]:0..E+1 normals[E,2] offsets[E] middles[K,2] "
           "points[K-1,2,2]",
           "Fill the points (K - 1, 2, 2): from each region's middle toward the timing, nine\n"
           "tenths.");
    define(m, "wall_rooms", wall_rooms,
           "starts[N+2]:0..E+1 normals[E,2] offsets[E] points[N,2,2] begins[2*N+1]:0..D+1 out[D]",
           "Fill the distances of all sides from their walls.");
    define(
        m, "newton_system", newton_system,
        "b[K] steps[K-1] unit starts[K+1]:0..E+1 normals[E,2] offsets[E] matching[K,6] "
        "alphas[K] beta prices[K-1] given[K-1] usual[K] gammas[K-1] points[K-1,2,2] "
        "begins[2*K-1]:0..D+1 duals[D] barrier spent[K-1] value[K-1] gradient[K] plain[K] "
        "of_time[K-1,2] "
        "diagonal[K] beside[K-1] own[K-1,2,5]",
        "Fill the tridiagonal system of a Newton step, points eliminated.\n\n"
        "`begins` (2 (K - 1) + 1,) says where each side's multipliers begin in `duals`.\n"
        "`plain` gets the gradient by the speeds alone, with the points as they are and without\n"
        "the barrier; `gradient` that of the reduced problem. `prices` are those of the\n"
        "intervals' times; an interval counts for its time, or for `given` seconds above 0. `own` "
        "(K - 1, 2, 5) keeps each point's own system for its step.");
    define(m, "point_steps", point_steps,
           "b[K] way[K] steps[K-1] unit starts[K+1]:0..E+1 normals[E,2] offsets[E] alphas[K] "
           "given[K-1] points[K-1,2,2] begins[2*K-1]:0..D+1 duals[D] barrier own[K-1,2,5] keep "
           "point_way[K-1,2,2] dual_way[D]",
           "Fill the steps of points and multipliers that go with a step of the speeds.\n\n"
           "Returns how far both may go until a wall, and until a multiplier reaches zero; `keep`\n"
           "of the room remains.");
    define(
        m, "merit_terms", merit_terms,
        "b[K] steps[K-1] unit starts[K+1]:0..E+1 normals[E,2] offsets[E] matching[K,6] "
        "alphas[K] beta given[K-1] usual[K] gammas[K-1] points[K-1,2,2] spent[K-1] low[K] high[K] "
        "free[K]",
        "Return the objective with the points as they are, and the barrier's logarithms.\n\n"
        "`spent` gets the intervals' times. The objective is infinite beyond a wall or a bound.");
    define(
        m, "bound_steps", bound_steps,
        "b[K] way[K] low[K] high[K] free[K] floor_dual[K] roof_dual[K] barrier keep lose win "
        "more far",
        "Return how far speeds may go until a bound, and until a bound's multiplier is zero.\n\n"
        "In one step a speed loses at most the fraction `lose`, and wins `win` times itself and\n"
        "`more`. `far` is how far other multipliers may go.");
    define(m, "move_duals", move_duals,
           "b[K] way[K] low[K] high[K] free[K] floor_dual[K] roof_dual[K] barrier duals[D] "
           "dual_way[D] far",
           "Move all multipliers along a step that began at speeds b.");
    define(m, "time_rows", time_rows, "of_time[N,2] legs[N]:0..C out[N+1,C]",
           "Fill the derivatives (K, C + 1) of each leg's time by the speeds.");
    define(m, "complementarity", complementarity,
           "b[K] low[K] high[K] free[K] floor_dual[K] roof_dual[K] rooms[D] duals[D]",
           "Return the complementarity gap: the sum of multipliers times distances.");
    define(
        m, "joint_bound", joint_bound,
        "b[K] steps[K-1] unit starts[K+1]:0..V+1 corners[V,2] alphas[K] given[K-1] points[K-1,2,2]",
        "Return the largest decrease of the objective's tangent by moving points in their\n"
        "regions.\n\n"
        "Objective and regions are convex in speeds and points together: no other timing is\n"
        "better than the tangent over the regions' corners allows.");
    define(m, "tridiagonal", tridiagonal, "diagonal[K] beside[K-1] right[K,C]",
           "Solve a symmetric positive tridiagonal system for the columns of `right` (K, C), in\n"
           "place.\n\n"
           "Returns whether it is positive.");
}

}  // namespace retime::physics_search
