// Belief of a live filter over places in a recording (N) and rates (K), the first of which is 0.
#pragma once

#include <stdexcept>

#include "live_poses.hpp"

namespace retime::live {

using Belief = View<double, 2>;

/// How many places a rate passes in a step: whole ones, and a part of the next.
struct Way {
    index whole;
    double part;

    Way(double rate, double cells, index most) {
        const double way = rate * cells;
        if (!(way >= 0.0 && way < FAR))
            throw std::invalid_argument("rates and cells are numbers from 0 on");
        const double floor = std::trunc(way);
        whole = floor < most ? static_cast<index>(floor) : most;
        part = way - floor;
    }
};

inline void check_rates(Numbers rates) {
    if (!rates.length()) throw std::invalid_argument("there is no rate");
}

inline std::vector<Way> ways_of(Numbers rates, double cells, index most) {
    check_rates(rates);
    std::vector<Way> out;
    for (double rate : rates) out.emplace_back(rate, cells, most);
    return out;
}

/// How performers change their rate within a step.
struct Changes {
    double drift, stop, go;  ///< Shares that change to a next rate, stop, and start.
    Numbers going;           ///< Rates of those who start (K,).

    /// Write the belief at a place: of `moved`, what stays there, and what comes from elsewhere.
    void apply(const double *moved, double total, double stay, double come, double *belief) const {
        const index rates = going.length();
        const double still = moved[0], moving = total - still;
        for (index k = 1; k < rates; ++k) {
            const double slower = k > 1 ? moved[k - 1] : moved[k];
            const double faster = k + 1 < rates ? moved[k + 1] : moved[k];
            const double same = moved[k] * (1 - 2 * drift) + drift * (slower + faster);
            belief[k] = (same * (1 - stop) + still * go * going[k]) * stay + come * going[k];
        }
        belief[0] = (still * (1 - go) + moving * stop) * stay;
    }
};

/// Squared live speeds, recorded ones and their products, summed over joints in tolerances.
struct Speeds {
    double live = 0.0, both = 0.0, recorded = 0.0;

    void add(Vector velocity, double live2, Vector motion, double recorded2, double weight) {
        live += live2 * weight;
        recorded += recorded2 * weight;
        both += dot(velocity, motion) * weight;
    }

    /// Return how far the live motion is from the recorded one at a rate, squared.
    double off(double rate) const {
        return std::max(0.0, live - 2 * rate * both + rate * rate * recorded);
    }
};

inline double sum(const double *row, index count) {
    double out = 0.0;
    for (index k = 0; k < count; ++k) out += row[k];
    return out;
}

inline double sum(View<const double, 1> values) { return sum(values.data, values.length()); }

}  // namespace retime::live
