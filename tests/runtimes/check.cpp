// Compares a runtime with values computed in Python: check FOLDER NAME...
#include "retime_lengths_json.h"

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <iterator>
#include <new>

static long allocations = 0;
void *operator new(std::size_t size) {
    ++allocations;
    return std::malloc(size);
}
void operator delete(void *p) noexcept { std::free(p); }
void operator delete(void *p, std::size_t) noexcept { std::free(p); }

static retime::Lengths table_of(const std::string &path) {
    std::ifstream in(path);
    return retime::LengthsFile::parse({std::istreambuf_iterator<char>(in), {}});
}

int main(int count, char **args) {
    const std::string folder = args[1];
    double worst = 0, sum = 0;
    for (int n = 2; n < count; ++n) {
        const std::string name = args[n];
        if (name.rfind("damaged/", 0) == 0) {
            const retime::Lengths table = table_of(folder + "/" + name);
            if (table.at(0.5, 1) != 0 && !table.fault().empty()) return 2;
            std::printf("%s\t%s\n", name.c_str() + 8, table.fault().c_str());
            continue;
        }
        const retime::Lengths table = table_of(folder + "/" + name + ".lengths.json");
        if (!table.fault().empty()) return std::printf("%s\n", table.fault().c_str()), 2;
        std::ifstream in(folder + "/" + name + ".txt");
        long lines = 0;
        in >> lines;
        for (long k = 0; k < lines; ++k) {
            double r[12];
            for (double &x : r)
                if (!(in >> x)) return std::printf("%s: line %ld is short\n", name.c_str(), k), 2;
            const double found[] = {table.at(r[1], r[0]), table.when(r[2], r[0]),
                                    table.step(r[2], r[3], r[0]), table.rate(r[2], r[0]),
                                    table.length_between(r[4], r[5], r[6])};
            for (int i = 0; i < 5; ++i) {
                const double off = std::abs(found[i] - r[7 + i]) / std::max(1.0, std::abs(r[7 + i]));
                if (!(off <= worst)) worst = std::isnan(off) ? INFINITY : off;
            }
        }
        for (double x : {double(NAN), -1.0, 0.0, double(INFINITY)})
            if (!std::isfinite(table.at(0.1, x)) || !std::isfinite(table.step(x, x, x))) return 3;
    }
    const retime::Lengths table = table_of(folder + "/free.lengths.json");
    const long before = allocations, N = 1000000;
    const std::clock_t start = std::clock();
    for (long i = 0; i < N; ++i) sum += table.at(double(i % 1000) * 0.0013, 1.2 + double(i % 97) * 0.01);
    const double ns = 1e9 * double(std::clock() - start) / CLOCKS_PER_SEC / double(N);
    if (allocations != before) return 4;
    std::printf("worst %.17g ns %.0f %g\n", worst, ns, sum * 0);
}
