// Plays one clip at any length: the source time to show, from a table of lengths made by retime.
//
// C++17, without exceptions, without allocation after construction, and without state, so that one
// table serves all characters and threads. Times are seconds from the start of the clip. A length
// that is not above 0 counts as the shortest, a time that is not a number as 0: no pose is ever
// NaN.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace retime {

struct Moment {
    std::string name;
    double time;
};

class Lengths {
  public:
    // times: a row of phases for each length, row after row. Check `fault` before use.
    Lengths(std::vector<double> phases, std::vector<double> lengths, std::vector<double> times,
            std::vector<Moment> moments = {}, bool loop = false)
        : phases_(std::move(phases)),
          lengths_(std::move(lengths)),
          times_(std::move(times)),
          moments_(std::move(moments)),
          loop_(loop),
          fault_(check()) {}

    // A table that could not be read.
    explicit Lengths(std::string fault) : loop_(false), fault_(std::move(fault)) {}

    // What is wrong with the table; empty if nothing is. A damaged table plays as time 0.
    const std::string &fault() const { return fault_; }
    const std::vector<Moment> &moments() const { return moments_; }
    double duration() const { return good() ? phases_.back() : 0; }
    double shortest() const { return good() ? lengths_.front() : 0; }
    double longest() const { return good() ? lengths_.back() : 0; }
    bool loop() const { return loop_; }

    // Source time that is shown at an output time.
    double at(double time, double length) const {
        if (!good() || !(time > 0)) return 0;
        const Row row(*this, length);
        std::size_t low = 0, high = phases_.size() - 1;
        if (time >= row[high]) return phases_[high];
        while (high - low > 1) {
            const std::size_t middle = (low + high) / 2;
            (row[middle] <= time ? low : high) = middle;
        }
        const double begin = row[low];
        return phases_[low] + (time - begin) / (row[high] - begin) * (phases_[high] - phases_[low]);
    }

    // Output time at which a source time, such as a moment, is shown.
    double when(double source, double length) const {
        if (!good() || !(source > 0)) return 0;
        const Row row(*this, length);
        if (source >= phases_.back()) return row[phases_.size() - 1];
        const std::size_t k = interval(source, phases_);
        const double begin = row[k];
        return begin + (source - phases_[k]) / (phases_[k + 1] - phases_[k]) * (row[k + 1] - begin);
    }

    // Source time a frame later; the length may change from frame to frame. A loop starts again.
    double step(double source, double delta, double length) const {
        double time = when(source, length) + delta;
        const double whole = when(duration(), length);
        if (loop_ && whole > 0 && std::isfinite(time)) time -= std::floor(time / whole) * whole;
        return at(time, length);
    }

    // Playback rate at a source time.
    double rate(double source, double length) const {
        if (!good()) return 0;
        const Row row(*this, length);
        const std::size_t k = interval(source, phases_);
        return (phases_[k + 1] - phases_[k]) / (row[k + 1] - row[k]);
    }

    // Shortest length at which some seconds pass between two source times; 0 if there is none. It
    // may be outside the table: limit it, or refuse.
    double length_between(double source, double target, double seconds) const {
        if (!(source < target && seconds > 0 && std::isfinite(seconds) && source < duration() &&
              target > 0))
            return 0;
        double before = 0;
        for (std::size_t k = 0; k < lengths_.size(); ++k) {
            const double passed = when(target, lengths_[k]) - when(source, lengths_[k]);
            if (seconds <= passed && k == 0) return lengths_[0] * (seconds / passed);
            if (seconds <= passed)
                return lengths_[k - 1] +
                       (seconds - before) / (passed - before) * (lengths_[k] - lengths_[k - 1]);
            before = passed;
        }
        return lengths_.back() * (seconds / before);
    }

  private:
    // The blend of the two rows beside a length.
    class Row {
      public:
        Row(const Lengths &table, double length) : count_(table.phases_.size()) {
            const std::vector<double> &d = table.lengths_;
            length = length > 0 ? std::min(length, 1e9) : d.front();
            const double x = std::clamp(length, d.front(), d.back());
            const std::size_t k = interval(x, d);
            times_ = table.times_.data() + k * count_;
            share_ = (x - d[k]) / (d[k + 1] - d[k]);
            scale_ = length / x;
        }
        double operator[](std::size_t j) const {
            return scale_ * (times_[j] + share_ * (times_[count_ + j] - times_[j]));
        }

      private:
        const double *times_;
        std::size_t count_;
        double share_, scale_;
    };

    bool good() const { return fault_.empty(); }

    static std::size_t interval(double x, const std::vector<double> &values) {
        std::size_t low = 0, high = values.size() - 1;
        while (high - low > 1) {
            const std::size_t middle = (low + high) / 2;
            (values[middle] <= x ? low : high) = middle;
        }
        return low;
    }

    static bool rising(const double *first, std::size_t count) {
        for (std::size_t j = 0; j < count; ++j)
            if (!std::isfinite(first[j]) || (j > 0 && first[j] <= first[j - 1])) return false;
        return count > 1;
    }

    std::string check() const {
        const std::size_t n = phases_.size();
        if (!rising(phases_.data(), n) || !rising(lengths_.data(), lengths_.size()))
            return "\"phases\" and \"lengths\" must be finite numbers that increase, 2 or more";
        if (phases_[0] != 0 || lengths_[0] <= 0)
            return "\"phases\" must start at 0, and \"lengths\" above 0";
        if (times_.size() != n * lengths_.size())
            return "\"times\" must have a row of phases for each length";
        for (std::size_t k = 0; k < lengths_.size(); ++k) {
            const double *row = times_.data() + k * n;
            const std::string name = "\"times[" + std::to_string(k) + "]\"";
            if (!rising(row, n)) return name + " must be finite numbers that increase";
            if (std::abs(row[0]) > 1.5e-6 || std::abs(row[n - 1] - lengths_[k]) > 1.5e-6)
                return name + " must go from 0 to its length";
            for (std::size_t j = 0; k > 0 && j < n; ++j)
                if (row[j] < (row - n)[j]) return name + " is earlier than the row above";
        }
        for (const Moment &m : moments_)
            if (!(m.time >= 0 && m.time <= phases_[n - 1] + 1.5e-6))
                return "moment \"" + m.name + "\" is outside the clip";
        return "";
    }

    std::vector<double> phases_, lengths_, times_;
    std::vector<Moment> moments_;
    bool loop_;
    std::string fault_;
};

}  // namespace retime
