// Beats of songs, and accents on beats.
#include <numeric>

#include "modules.hpp"

namespace retime::beats {

namespace {

using Numbers = View<const double, 1>;
using Indices = View<const std::int64_t, 1>;

// ---- beats

/// The log likelihoods of the places in a beat of one tempo; a frame moves them on by one.
class Beat {
  public:
    Beat(double *values, index period) : values_(values), period_(period) {}

    index period() const { return period_; }
    double at(index place) const { return values_[(head_ + place) % period_]; }
    double last() const { return at(period_ - 1); }

    /// Move all places on; the last becomes the first, with a new value.
    void advance(double first) {
        head_ = (head_ ? head_ : period_) - 1;
        values_[head_] = first;
    }

    /// Add to the places from `first` up to, not including, `past`.
    void add(double value, index first, index past) {
        const index begin = head_ + std::min(first, period_), end = head_ + std::min(past, period_);
        for (index k = begin; k < std::min(end, period_); ++k) values_[k] += value;
        for (index k = std::max(begin, period_) - period_; k < end - period_; ++k)
            values_[k] += value;
    }

  private:
    double *values_;
    index period_, head_ = 0;
};

/// Find which tempo before explains each tempo best, and how likely that is.
FOR_EACH_PROCESSOR
void find_origins(Numbers ends, View<const double, 2> change, double *best, std::int64_t *origin) {
    const index tempi = ends.length();
    std::fill(best, best + tempi, -INFINITE);
    std::fill(origin, origin + tempi, 0);
    for (index a = 0; a < tempi; ++a) {
        const double end = ends[a], *by = &change(a, 0);
        for (index b = 0; b < tempi; ++b) {
            const double value = end + by[b];
            origin[b] = value > best[b] ? a : origin[b];
            best[b] = value > best[b] ? value : best[b];
        }
    }
}

/// A model of all tempi, which is moved on frame by frame.
class Tempi {
  public:
    Tempi(Indices periods, View<const double, 2> change, Numbers prior);

    index count() const { return beats_.size(); }
    void advance(double on, double off, index width, std::int32_t *origin);
    std::pair<index, index> likeliest() const;

  private:
    View<const double, 2> change_;
    Numbers prior_;
    std::vector<double> values_;
    std::vector<Beat> beats_;
    Array<double, 1> ends_, best_;
    Array<std::int64_t, 1> origin_;
};

Tempi::Tempi(Indices periods, View<const double, 2> change, Numbers prior)
    : change_(change),
      prior_(prior),
      values_(std::accumulate(periods.begin(), periods.end(), std::size_t(0))),
      ends_(periods.length()),
      best_(periods.length()),
      origin_(periods.length()) {
    double *at = values_.data();
    for (index b = 0; b < periods.length(); ++b) {
        const index period = periods[b];
        beats_.emplace_back(at, period);
        std::fill(at, at + period, prior[b] - std::log(static_cast<double>(period)));
        at += period;
    }
}

/// Move on by a frame; write the tempo before each tempo.
void Tempi::advance(double on, double off, index width, std::int32_t *origin) {
    for (index b = 0; b < count(); ++b) ends_[b] = beats_[b].last();
    find_origins(ends_, change_, best_.begin(), origin_.begin());
    std::copy(origin_.begin(), origin_.end(), origin);
    for (index b = 0; b < count(); ++b) {
        Beat &beat = beats_[b];
        beat.advance(best_[b] + prior_[b]);
        beat.add(on, 0, width);
        beat.add(off, width, beat.period());
    }
}

/// Return the likeliest tempo and place in the beat.
std::pair<index, index> Tempi::likeliest() const {
    double best = -INFINITE;
    std::pair<index, index> out{0, 0};
    for (index b = 0; b < count(); ++b)
        for (index place = 0; place < beats_[b].period(); ++place)
            if (beats_[b].at(place) > best) {
                best = beats_[b].at(place);
                out = {b, place};
            }
    return out;
}

// ---- accents

struct Accents {
    Numbers times, weights;
    View<const bool, 1> forced;  ///< Whether one must be on a beat.
};

/// Accents at output times at which they would be on a beat.
struct Nodes {
    Indices accent;
    Numbers output;
    Numbers place;  ///< The beat, as a number.

    index count() const { return accent.length(); }
};

/// The price of changes of rate, of skipped accents and missed beats, and the gain of an accent.
struct Prices {
    double bend, skip, miss, gain;
};

struct Limits {
    double slow, fast, uniform;  ///< Rates.
    double gap;                  ///< Least distance of nodes, seconds of output.

    bool allow(double rate) const { return slow <= rate && rate <= fast; }
};

/// Where a leg of a chain begins.
struct Start {
    double cost, output, source;
    index next;  ///< The first accent after it.
};

/// Chains of nodes: the least cost of reaching each node, and the node before it.
class Chains {
  public:
    Chains(Accents accents, Nodes nodes, Numbers beats, double sigma, Prices price, Limits limits,
           Numbers ends)
        : accents_(accents),
          nodes_(nodes),
          beats_(beats),
          sigma_(sigma),
          price_(price),
          limits_(limits),
          ends_(ends),
          cost_(nodes.count(), INFINITE),
          before_(nodes.count(), NONE) {}

    void reach(index node);
    std::pair<double, index> best_end() const;
    Array<std::int64_t, 1> chain_to(index node) const;

  private:
    static constexpr index NONE = -1;  // the start of all chains

    Start start(index node) const;
    double closeness(double moment) const;
    double bent(double rate, double seconds) const;
    double skipped(const Start &from, index past, double rate, double most) const;
    double step(index before, index node) const;
    double finish(index node) const;

    Accents accents_;
    Nodes nodes_;
    Numbers beats_;
    double sigma_;
    Prices price_;
    Limits limits_;
    Numbers ends_;  ///< First output and source time, and the last ones.
    std::vector<double> cost_;
    std::vector<index> before_;
};

Start Chains::start(index node) const {
    if (node == NONE) return {0.0, ends_[0], ends_[1], 0};
    const index accent = nodes_.accent[node];
    return {cost_[node], nodes_.output[node], accents_.times[accent], accent + 1};
}

/// Return how close a moment is to a beat, 0 to 1.
double Chains::closeness(double moment) const {
    const double *after = std::lower_bound(beats_.begin(), beats_.end(), moment);
    double gap = after < beats_.end() ? *after - moment : INFINITE;
    if (after > beats_.begin()) gap = std::min(gap, moment - after[-1]);
    return std::exp(-(gap * gap) / (2 * (sigma_ * sigma_)));
}

/// Return the cost of a rate over seconds of output.
double Chains::bent(double rate, double seconds) const {
    const double change = std::log(rate / limits_.uniform);
    return price_.bend * (change * change) * seconds;
}

/// Return the cost of skipping the accents before `past` at one rate; infinite from `most` on.
double Chains::skipped(const Start &from, index past, double rate, double most) const {
    double cost = 0.0;
    for (index k = from.next; k < past; ++k) {
        if (accents_.forced[k]) return INFINITE;
        const double shown = from.output + (accents_.times[k] - from.source) / rate;
        cost += price_.skip * accents_.weights[k] * (1 - closeness(shown));
        if (cost >= most) return INFINITE;
    }
    return cost;
}

/// Return the cost of reaching a node from another; infinite unless it is below the node's own.
double Chains::step(index before, index node) const {
    const Start from = start(before);
    const index accent = nodes_.accent[node];
    const double base = from.cost - price_.gain * accents_.weights[accent];
    const double seconds = nodes_.output[node] - from.output;
    if (base >= cost_[node] || seconds < limits_.gap) return INFINITE;
    const double rate = (accents_.times[accent] - from.source) / seconds;
    if (!limits_.allow(rate)) return INFINITE;
    const double beats =
        before == NONE ? nodes_.place[node] : nodes_.place[node] - nodes_.place[before] - 1;
    const double cost = base + bent(rate, seconds) + price_.miss * std::max(beats, 0.0);
    if (cost >= cost_[node]) return INFINITE;
    return cost + skipped(from, accent, rate, cost_[node] - cost);
}

/// Find the cheapest chain to a node; those before it are reached.
void Chains::reach(index node) {
    for (index m = node - 1; m >= NONE; --m) {
        if (m != NONE && nodes_.accent[m] == nodes_.accent[node]) continue;
        if (m != NONE && !std::isfinite(cost_[m])) continue;
        const double cost = step(m, node);
        if (cost < cost_[node]) {
            cost_[node] = cost;
            before_[node] = m;
        }
    }
}

/// Return the cost of a chain that ends with a node.
double Chains::finish(index node) const {
    const Start from = start(node);
    const index past = accents_.times.length();
    if (!std::isfinite(ends_[2])) return from.cost + skipped(from, past, limits_.uniform, INFINITE);
    const double seconds = ends_[2] - from.output;
    if (seconds < limits_.gap) return INFINITE;
    const double rate = (ends_[3] - from.source) / seconds;
    if (node != NONE && !limits_.allow(rate)) return INFINITE;
    return from.cost + bent(rate, seconds) + skipped(from, past, rate, INFINITE);
}

std::pair<double, index> Chains::best_end() const {
    std::pair<double, index> best{INFINITE, NONE};
    for (index m = NONE; m < nodes_.count(); ++m) {
        if (m != NONE && !std::isfinite(cost_[m])) continue;
        const double cost = finish(m);
        if (cost < best.first) best = {cost, m};
    }
    return best;
}

Array<std::int64_t, 1> Chains::chain_to(index node) const {
    std::vector<std::int64_t> chain;
    for (; node != NONE; node = before_[node]) chain.push_back(node);
    std::reverse(chain.begin(), chain.end());
    return copied(chain);
}

}  // namespace

Array<std::int64_t, 1> beat_path(Numbers on, Numbers off, Indices periods,
                                 View<const double, 2> change, Numbers prior, std::int64_t width) {
    const index frames = on.length();
    Tempi tempi(periods, change, prior);
    if (tempi.count() == 0) return Array<std::int64_t, 1>(0);
    Array<std::int32_t, 2> before(frames, tempi.count());
    for (index f = 0; f < frames; ++f) tempi.advance(on[f], off[f], width, before[f].data);
    auto [tempo, place] = tempi.likeliest();
    std::vector<std::int64_t> beats;
    for (index f = frames - 1 - place; f >= 0; f -= periods[tempo]) {
        beats.push_back(f);
        tempo = before(f, tempo);
    }
    std::reverse(beats.begin(), beats.end());
    return copied(beats);
}

std::pair<double, Array<std::int64_t, 1>> cheapest_chain(Numbers times, Numbers weights,
                                                         View<const bool, 1> forced, Indices accent,
                                                         Numbers output, Numbers place,
                                                         Numbers beats, Numbers ends,
                                                         double uniform, Numbers limits,
                                                         Numbers prices, double sigma, double gap) {
    Chains chains({times, weights, forced}, {accent, output, place}, beats, sigma,
                  {prices[0], prices[1], prices[2], prices[3]},
                  {limits[0], limits[1], uniform, gap}, ends);
    for (index n = 0; n < accent.length(); ++n) chains.reach(n);
    const auto [cost, end] = chains.best_end();
    return {cost, chains.chain_to(end)};
}

void bind(nanobind::module_ &m) {
    define(m, "beat_path", beat_path,
           "on[F] off[F] periods[T]:1..1000001 change[T,T] prior[T] width:0..1000001",
           "Find the likeliest chain of beats: a hidden Markov model of tempo and place in the\n"
           "beat.\n\n"
           "`on` and `off` are log likelihoods (F,) of a frame at a beat and between beats;\n"
           "`periods` frames of a beat of each tempo, rising; `change[a, b]` the log probability\n"
           "of tempo b after a; `prior` that of a tempo, for every beat; the first `width` frames\n"
           "of a beat are on it. Returns the frames of beats.");
    define(
        m, "cheapest_chain", cheapest_chain,
        "times[A] weights[A] forced[A] accent[N]:0..A output[N] place[N] beats[B] ends[4] "
        "uniform limits[2] prices[4] sigma gap",
        "Find the cheapest chain of nodes (accent, output time).\n\n"
        "Nodes are sorted by accent; `place` is each node's beat as a number. `ends` are the\n"
        "first output and source time, and the last ones; a last output time of NaN is free.\n"
        "`uniform` and `limits` are rates; `prices` are of rate, skipped accents, missed beats,\n"
        "and the gain of an accent. Returns the cost, infinite if there is no chain, and its\n"
        "nodes.");
}

}  // namespace retime::beats
