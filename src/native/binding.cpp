#include "binding.hpp"

#include <sstream>
#include <stdexcept>

namespace retime {

namespace {

std::string shown(const Argument &argument) {
    std::string out = "(";
    for (int k = 0; k < argument.dimensions; ++k)
        out += (k ? ", " : "") + std::to_string(argument.shape[k]);
    return out + ")";
}

constexpr index UNKNOWN = -1;
constexpr std::size_t MOST_SYMBOLS = 16;

}  // namespace

Shapes::Shapes(const char *kernel, const char *declaration, std::initializer_list<int> dimensions)
    : kernel_(kernel) {
    std::istringstream words(declaration);
    for (std::string word; words >> word;) {
        Parameter parameter;
        const std::size_t open = word.find('['), colon = word.find(':');
        parameter.name = word.substr(0, std::min(open, colon));
        if (open != std::string::npos) {
            parameter.text = word.substr(open + 1, word.find(']') - open - 1);
            std::istringstream lengths(parameter.text);
            for (std::string text; std::getline(lengths, text, ',');)
                parameter.lengths.push_back(length(text));
        }
        if (colon != std::string::npos) {
            const std::size_t dots = word.find("..", colon);
            parameter.ranged = true;
            parameter.low = length(word.substr(colon + 1, dots - colon - 1));
            parameter.past = length(word.substr(dots + 2));
        }
        parameters_.push_back(parameter);
    }
    const bool fits =
        std::equal(parameters_.begin(), parameters_.end(), dimensions.begin(), dimensions.end(),
                   [](const Parameter &p, int n) { return int(p.lengths.size()) == n; });
    if (!fits || symbols_.size() > MOST_SYMBOLS)
        throw std::logic_error(kernel_ + ": its shapes do not fit its arguments");
}

/// Read `F`, `4`, `-1`, `N+1`, `F-1`, `2*N` or `*`.
Shapes::Length Shapes::length(const std::string &text) {
    Length out;
    if (text == "*") {
        out.symbol = -2;
        return out;
    }
    const std::size_t letter = text.find_first_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ");
    if (letter == std::string::npos) {
        out.plus = std::stoll(text);
        return out;
    }
    if (letter > 0) out.factor = std::stoll(text);
    if (letter + 1 < text.size()) out.plus = std::stoll(text.substr(letter + 1));
    const std::string symbol(1, text[letter]);
    const auto place = std::find(symbols_.begin(), symbols_.end(), symbol);
    out.symbol = static_cast<int>(place - symbols_.begin());
    if (place == symbols_.end()) symbols_.push_back(symbol);
    return out;
}

index Shapes::value(const Length &length, const index *known) const {
    return length.plus + (length.symbol >= 0 ? length.factor * known[length.symbol] : 0);
}

void Shapes::check(const Argument *arguments) const {
    index known[MOST_SYMBOLS];
    std::fill(known, known + MOST_SYMBOLS, UNKNOWN);
    // A plain symbol takes its length from the first array that has it.
    for (std::size_t a = 0; a < parameters_.size(); ++a)
        for (std::size_t k = 0; k < parameters_[a].lengths.size(); ++k) {
            const Length &length = parameters_[a].lengths[k];
            if (length.symbol >= 0 && length.factor == 1 && length.plus == 0 &&
                known[length.symbol] == UNKNOWN)
                known[length.symbol] = arguments[a].shape[k];
        }
    for (std::size_t a = 0; a < parameters_.size(); ++a) {
        const Parameter &parameter = parameters_[a];
        for (std::size_t k = 0; k < parameter.lengths.size(); ++k) {
            const Length &length = parameter.lengths[k];
            if (length.symbol != -2 && arguments[a].shape[k] != value(length, known))
                throw std::invalid_argument(kernel_ + ": " + parameter.name + " has shape " +
                                            shown(arguments[a]) + ", expected (" + parameter.text +
                                            "), where length " + std::to_string(k + 1) + " is " +
                                            std::to_string(value(length, known)));
        }
        if (!parameter.ranged) continue;
        const std::int64_t low = value(parameter.low, known), past = value(parameter.past, known);
        for (index i = 0; i < arguments[a].count; ++i)
            if (arguments[a].first[i] < low || arguments[a].first[i] >= past)
                throw std::invalid_argument(kernel_ + ": " + parameter.name + " contains " +
                                            std::to_string(arguments[a].first[i]) + ", expected " +
                                            std::to_string(low) + " to " +
                                            std::to_string(past - 1));
    }
}

}  // namespace retime
