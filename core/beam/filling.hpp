// How much of what is free some jobs could take: the sums of amounts that can be reached (subset sums).
#pragma once
#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

namespace planbatch {

class Filling {
  public:
    static constexpr std::int64_t most = 4096;  // more is counted in units, rounded in favour of filling

    void begin(std::int64_t free) {
        unit_ = (free + most - 1) / most;
        if (unit_ < 1) unit_ = 1;
        bits_.assign(std::size_t(free / unit_) / 64 + 1, 0);
        bits_[0] = 1;
    }
    // So many further jobs of an amount; more than fit do not matter.
    void add(std::int64_t amount, unsigned jobs) {
        const auto shift = std::size_t(amount / unit_);
        if (shift == 0) return;
        for (; jobs > 0 && shift < 64 * bits_.size(); --jobs)
            if (!add_one(shift)) return;
    }
    // What is left of `free` at least.
    std::int64_t least_idle(std::int64_t free) const {
        std::size_t word = std::size_t(free / unit_) / 64;
        std::uint64_t bits = bits_[word] & (~std::uint64_t{0} >> (63 - std::size_t(free / unit_) % 64));
        while (!bits) bits = bits_[--word];
        const auto taken = std::int64_t(64 * word + 63 - std::size_t(std::countl_zero(bits)));
        return unit_ == 1 ? free - taken : std::max<std::int64_t>(0, free - (taken + 1) * unit_);
    }

  private:
    std::int64_t unit_ = 1;
    std::vector<std::uint64_t> bits_;  // bit s: whether s units can be taken

    // False if nothing new can be reached.
    bool add_one(std::size_t shift) {
        const std::size_t words = shift / 64, rest = shift % 64;
        std::uint64_t changed = 0;
        for (std::size_t w = bits_.size(); w-- > words;) {
            std::uint64_t moved = bits_[w - words] << rest;
            if (rest && w > words) moved |= bits_[w - words - 1] >> (64 - rest);
            changed |= moved & ~bits_[w];
            bits_[w] |= moved;
        }
        return changed != 0;
    }
};

}  // namespace planbatch
