// Compressed buffers of glTF files (EXT_meshopt_compression, version 0).
#include <stdexcept>

#include "modules.hpp"

namespace retime::gltf {

namespace {

using Byte = std::uint8_t;

constexpr index GROUP = 16;       // elements
constexpr index LEAST_TAIL = 32;  // bytes after the last block

/// Return the number of parts of a size that hold a length.
index parts(index length, index size) { return length / size + (length % size != 0); }

/// Packed bytes that are read from first to last.
class Packed {
  public:
    Packed(const Byte *at, const Byte *end) : at_(at), end_(end) {}

    bool is_done() const { return at_ == end_; }

    /// Move past some bytes; return the first, or null if there are fewer.
    const Byte *take(index bytes) {
        if (end_ - at_ < bytes) return nullptr;
        at_ += bytes;
        return at_ - bytes;
    }

    bool read_group(int mode, Byte *values);

  private:
    const Byte *at_, *end_;
};

/// Read the differences of a group; return whether the data was complete.
bool Packed::read_group(int mode, Byte *values) {
    if (mode == 0) {
        std::fill(values, values + GROUP, Byte(0));
        return true;
    }
    const int bits = mode == 3 ? 8 : 2 * mode;
    const Byte *from = take(GROUP * bits / 8);
    if (!from) return false;
    if (mode == 3) {
        std::copy(from, from + GROUP, values);
        return true;
    }
    const int most = (1 << bits) - 1;
    for (int i = 0; i < GROUP; ++i) {
        const int bit = i * bits;
        values[i] = (from[bit / 8] >> (8 - bits - bit % 8)) & most;
        if (values[i] < most) continue;
        const Byte *whole = take(1);  // it did not fit, and follows as a whole byte
        if (!whole) return false;
        values[i] = *whole;
    }
    return true;
}

/// Unpack a block's values of one column, after `last`; return whether the data was complete.
bool read_column(Packed &packed, View<Byte, 2> block, index column, Byte &last) {
    const index elements = block.length(), groups = parts(elements, GROUP);
    const Byte *modes = packed.take(parts(groups, 4));
    if (!modes) return false;
    for (index g = 0; g < groups; ++g) {
        Byte values[GROUP];
        if (!packed.read_group((modes[g / 4] >> (2 * (g % 4))) & 3, values)) return false;
        for (index i = 0; i < std::min(GROUP, elements - g * GROUP); ++i) {
            const Byte v = values[i];
            last += (v >> 1) ^ (v & 1 ? 0xFF : 0);  // 0, -1, 1, -2, ... as 0, 1, 2, 3
            block(g * GROUP + i, column) = last;
        }
    }
    return true;
}

}  // namespace

std::pair<Array<Byte, 2>, bool> decode_attributes(View<const Byte, 1> data, std::int64_t count,
                                                  std::int64_t stride) {
    if (count < 0) throw std::invalid_argument("decode_attributes: count is negative");
    const index most = std::min<index>((8192 / stride) & ~15, 256);  // elements of a block
    const index room = data.length() - 1 - std::max<index>(stride, LEAST_TAIL);
    // A column of a block takes a byte at least: nothing is allocated for more than there can be.
    if (room < 0 || parts(count, most) > room / stride) return {Array<Byte, 2>(0, stride), false};
    Packed packed(data.begin() + 1, data.begin() + 1 + room);
    std::vector<Byte> last(data.end() - stride, data.end());
    Array<Byte, 2> out(count, stride);
    for (index first = 0; first < count; first += most) {
        const View<Byte, 2> block = out.view().rows(first, std::min(first + most, count));
        for (index k = 0; k < stride; ++k)
            if (!read_column(packed, block, k, last[k])) return {Array<Byte, 2>(0, stride), false};
    }
    return {std::move(out), packed.is_done()};
}

void bind(nanobind::module_ &m) {
    define(m, "decode_attributes", decode_attributes, "data[N] count stride:1..257",
           "Unpack attributes of EXT_meshopt_compression, version 0: (count, stride) bytes.\n\n"
           "Returns them, none if data is missing, and whether the data was complete.");
}

}  // namespace retime::gltf
