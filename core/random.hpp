// numpy's random numbers, without a copy of their state: the layout is that of numpy/random/bitgen.h.
#pragma once
#include <cstdint>

namespace planbatch {

struct Random {
    void* state;
    std::uint64_t (*next_uint64)(void*);
    std::uint32_t (*next_uint32)(void*);
    double (*next_double)(void*);
    std::uint64_t (*next_raw)(void*);

    double draw() { return next_double(state); }  // as rng.random()
    // As rng.integers(0, 2^31): Lemire's method, which needs no rejection for a power of two.
    std::int64_t draw_31_bits() { return std::int64_t{next_uint32(state) >> 1}; }
};

}  // namespace planbatch
