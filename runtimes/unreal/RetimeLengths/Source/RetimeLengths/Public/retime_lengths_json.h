// Reads a table of lengths from the text of its file, without a library.
#pragma once
#include <cstdlib>
#include <cstring>

#include "retime_lengths.h"

namespace retime {

class LengthsFile {
  public:
    // A table that is damaged has a `fault`.
    static Lengths parse(const std::string &text) {
        LengthsFile file(text);
        file.object([&](const std::string &name) { file.entry(name); });
        if (!file.valid_) return Lengths("it is not valid JSON, or has a value of a wrong type");
        if (file.format_ != "retime-lengths")
            return Lengths("\"format\" must be \"retime-lengths\"");
        if (file.version_ != 1)
            return Lengths("its version is not known; this runtime reads version 1");
        std::vector<double> times;
        for (const std::vector<double> &row : file.rows_) {
            if (row.size() != file.phases_.size())
                return Lengths("each row of \"times\" must have a number for each phase");
            times.insert(times.end(), row.begin(), row.end());
        }
        return Lengths(file.phases_, file.lengths_, times, file.moments_, file.loop_);
    }

  private:
    explicit LengthsFile(const std::string &text) : at_(text.c_str()) {}

    void entry(const std::string &name) {
        if (name == "format")
            format_ = text();
        else if (name == "version")
            version_ = number();
        else if (name == "loop")
            loop_ = boolean();
        else if (name == "phases")
            phases_ = numbers();
        else if (name == "lengths")
            lengths_ = numbers();
        else if (name == "times")
            list([&] { rows_.push_back(numbers()); });
        else if (name == "moments")
            object([&](const std::string &moment) { moments_.push_back({moment, number()}); });
        else
            skip(0);
    }

    char next() {
        while (*at_ == ' ' || *at_ == '\n' || *at_ == '\r' || *at_ == '\t') ++at_;
        return *at_;
    }

    bool take(char c) {
        if (next() != c) return valid_ = false;
        ++at_;
        return true;
    }

    // Calls `each` before every member, until `end` or a fault.
    template <class Each>
    void held(char begin, char end, Each each) {
        if (!take(begin)) return;
        for (bool more = false; valid_ && next() != end; more = true)
            if (!more || take(',')) each();
        if (valid_) ++at_;
    }

    template <class Each>
    void list(Each each) {
        held('[', ']', each);
    }

    template <class Each>
    void object(Each each) {
        held('{', '}', [&] {
            const std::string name = text();
            if (take(':')) each(name);
        });
    }

    std::string text() {
        std::string out;
        if (!take('"')) return out;
        for (; *at_ && *at_ != '"'; ++at_) {
            if (*at_ == '\\' && at_[1]) out += *at_++;  // kept as it is: names of moments only
            out += *at_;
        }
        take('"');
        return out;
    }

    double number() {
        const char first = next();
        char *end = nullptr;
        const double value = std::strtod(at_, &end);
        if (end == at_ || !(first == '-' || (first >= '0' && first <= '9'))) valid_ = false;
        at_ = end;
        return value;
    }

    std::vector<double> numbers() {
        std::vector<double> out;
        list([&] { out.push_back(number()); });
        return out;
    }

    bool word(const char *expected) {
        const bool same = next() && !std::strncmp(at_, expected, std::strlen(expected));
        if (same) at_ += std::strlen(expected);
        return same;
    }

    bool boolean() {
        if (word("true")) return true;
        if (!word("false")) valid_ = false;
        return false;
    }

    void skip(int depth) {
        const char c = next();
        if (depth > 20)
            valid_ = false;
        else if (c == '{')
            object([&](const std::string &) { skip(depth + 1); });
        else if (c == '[')
            list([&] { skip(depth + 1); });
        else if (c == '"')
            text();
        else if (c == 't' || c == 'f')
            boolean();
        else if (!word("null"))
            number();
    }

    const char *at_;
    bool valid_ = true, loop_ = false;
    double version_ = 0;
    std::string format_;
    std::vector<double> phases_, lengths_;
    std::vector<std::vector<double>> rows_;
    std::vector<Moment> moments_;
};

}  // namespace retime
