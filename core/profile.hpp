// The availability profile: free amounts of every resource as a step function of time.
//
// From `time(i)` until `time(i + 1)`, row i is free; the last row holds for ever. Behind the last breakpoint stands a
// guard that covers no demand, at a time that is never reached, so that loops need not ask where the profile ends.
// Storage is flat and loops are plain: up to some 10,000 breakpoints nothing else was faster. K is the number of
// resources, or std::dynamic_extent; Number counts both seconds and amounts. In 32 bits, which searches count in if they
// can, each time is stored beside its amount, since decoding reads both. In 64 bits times and amounts are apart, since
// reservations are looked up by time.
#pragma once
#include <algorithm>
#include <concepts>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>

#include "demand.hpp"

namespace planbatch {

template <std::size_t K, std::signed_integral Number = std::int64_t>
class Profile {
  public:
    using Amounts = Demand<K, Number>;

    constexpr std::size_t width() const {
        if constexpr (K == std::dynamic_extent) return width_;
        else return K;
    }
    std::size_t size() const { return size_; }
    Number time(std::size_t i) const { return times_[i * entries_of_time]; }
    const Number* row(std::size_t i) const {
        if constexpr (paired) return times_.data() + i * entries_of_time + 1;
        else return free_.data() + i * width();
    }

    // Starts over: `free` from `now` on for ever. `breakpoints` is how many are expected; there may be more.
    void begin(Number now, std::span<const Number> free, std::size_t breakpoints) {
        set_width(free.size());
        size_ = 1;
        make_room(breakpoints + 1);
        set_time(0, now);
        std::copy(free.begin(), free.end(), amounts(0));
        set_guard();
    }

    void copy_from(const Profile& other, std::size_t further_breakpoints) {
        set_width(other.width());
        size_ = other.size_;
        make_room(size_ + further_breakpoints + 1);
        std::memcpy(times_.data(), other.times_.data(), (size_ + 1) * entries_of_time * sizeof(Number));
        if constexpr (!paired) std::memcpy(free_.data(), other.free_.data(), (size_ + 1) * width() * sizeof(Number));
    }

    // Appends a breakpoint behind all others, with what is free at the last; several at one time are one.
    void append(Number when) {
        if (when <= time(size_ - 1)) return;
        make_room(size_ + 2);
        begin_breakpoint(size_, when);
        ++size_;
        set_guard();
    }

    // Starts over without any breakpoint; append_row adds them in the order of time, and close ends.
    void clear(std::size_t width, std::size_t breakpoints) {
        set_width(width);
        size_ = 0;
        make_room(breakpoints + 1);
    }
    void append_row(Number when, const Number* free, const Number* held) {
        set_time(size_, when);
        for (std::size_t k = 0; k < width(); ++k) amounts(size_)[k] = free[k] - held[k];
        ++size_;
    }
    void close() {
        make_room(size_ + 1);
        set_guard();
    }

    // All resources are compared before anything depends on it: one jump that is hard to foresee instead of several.
    bool covers(std::size_t i, const Amounts& demand) const {
        const Number* free = row(i);
        Number short_of = 0;
        for (std::size_t k = 0; k < width(); ++k) short_of |= free[k] - demand[k];  // its sign is that of any of them
        return short_of >= 0;
    }

    // The first breakpoint, from `first` on, from which a demand is free for `walltime` seconds, and the first
    // breakpoint that is not before its end. Some breakpoint must cover the demand for ever. Without "likely", gcc takes
    // these loops for rare ones, with two jumps each time around, and replays take a sixth longer.
    std::pair<std::size_t, std::size_t> earliest_slot(const Amounts& demand, Number walltime, std::size_t first) const {
        const Number* times = times_.data();
        std::size_t i = first;
        for (;;) {
            while (!covers(i, demand)) [[likely]] ++i;
            const Number end = times[i * entries_of_time] + walltime;
            std::size_t j = i + 1;
            while (covers(j, demand) && times[j * entries_of_time] < end) [[likely]] ++j;
            if (times[j * entries_of_time] >= end) return {i, j};
            i = j + 1;
        }
    }
    std::size_t earliest(const Amounts& demand, Number walltime) const {
        return earliest_slot(demand, walltime, 0).first;
    }

    // Takes the earliest slot from `first` on; returns its breakpoint.
    std::size_t place_earliest(const Amounts& demand, Number walltime, std::size_t first = 0) {
        const auto [i, j] = earliest_slot(demand, walltime, first);
        const Number end = time(i) + walltime;
        if (time(j) != end) insert(j, end);
        take_rows(i, j, demand);
        return i;
    }

    // Takes a demand from breakpoint `i` on for `walltime` seconds, whether it is free or not.
    void place_at(std::size_t i, const Amounts& demand, Number walltime) {
        const Number end = time(i) + walltime;
        std::size_t j = i;
        while (time(j) < end) ++j;
        if (time(j) != end) insert(j, end);
        take_rows(i, j, demand);
    }

    // The last breakpoint that is not after `when`; 0 if all are.
    std::size_t index_at(Number when) const {
        return count_while(size_ - 1, [&](std::size_t i) { return time(i + 1) <= when; });
    }

    // Has a breakpoint at `when`, which is not before the first one; returns it.
    std::size_t split(Number when) {
        const std::size_t i = index_at(when);
        if (time(i) == when) return i;
        insert(i + 1, when);
        return i + 1;
    }

    void take_between(Number start, Number end, const Amounts& demand) {
        const std::size_t first = split(start);
        take_rows(first, split(end), demand);
    }
    void give_between(Number start, Number end, const Amounts& demand) {
        const std::size_t first = split(start), last = split(end);
        for (std::size_t i = first; i < last; ++i) give_row(i, demand);
    }
    void give_row(std::size_t i, const Amounts& demand) {
        for (std::size_t k = 0; k < width(); ++k) amounts(i)[k] += demand[k];
    }

    bool fits_at(std::size_t i, const Amounts& demand, Number walltime) const {
        const Number end = time(i) + walltime;
        for (; time(i) < end; ++i)
            if (!covers(i, demand)) return false;
        return true;
    }

    // Whether from `when` on the same is free as in another profile from its beginning on.
    bool equals_from(Number when, const Profile& other) const {
        std::size_t i = index_at(when), j = 0;
        for (;;) {
            if (!std::equal(row(i), row(i) + width(), other.row(j))) return false;
            const bool first_moves = i + 1 < size_ && (j + 1 == other.size_ || time(i + 1) - when <= other.time(j + 1));
            const bool second_moves = j + 1 < other.size_ && (i + 1 == size_ || other.time(j + 1) <= time(i + 1) - when);
            if (!first_moves && !second_moves) return true;
            i += first_moves, j += second_moves;
        }
    }

    void raise_to_nothing() {
        for (std::size_t i = 0; i < size_; ++i)
            for (std::size_t k = 0; k < width(); ++k) amounts(i)[k] = std::max(amounts(i)[k], Number{0});
    }
    bool overdrawn() const {
        for (std::size_t i = 0; i < size_; ++i)
            if (std::any_of(row(i), row(i) + width(), [](Number n) { return n < 0; })) return true;
        return false;
    }

    // Drops all before breakpoint `i`.
    void begin_at(std::size_t i) {
        shift(i, 0, size_ + 1 - i);
        size_ -= i;
    }
    // Removes breakpoints at which nothing changes.
    void drop_idle() {
        std::size_t kept = 1;
        for (std::size_t i = 1; i < size_; ++i) {
            if (std::equal(row(i), row(i) + width(), row(kept - 1))) continue;
            shift(i, kept, 1);
            ++kept;
        }
        size_ = kept;
        set_guard();
    }

    // Moves one breakpoint, from `from` to the place `to` before it, where it begins at `when` with the row before.
    void move_breakpoint(std::size_t from, std::size_t to, Number when) {
        shift(to, to + 1, from - to);
        begin_breakpoint(to, when);
    }
    void insert(std::size_t at, Number when) {
        make_room(size_ + 2);
        ++size_;
        if constexpr (paired)
            if (size_ - at <= few) return carry(at, when);
        shift(at, at + 1, size_ - at);
        begin_breakpoint(at, when);
    }
    void take_rows(std::size_t first, std::size_t last, const Amounts& demand) {
        if constexpr (paired) {  // both entries of each pair, since these follow one another in memory
            const Number change[] = {0, demand[0]};
            Number* entry = times_.data() + 2 * first;
            for (std::size_t i = first; i < last; ++i, entry += 2)
                for (std::size_t k = 0; k < 2; ++k) entry[k] -= change[k];
            return;
        }
        for (std::size_t i = first; i < last; ++i)
            for (std::size_t k = 0; k < width(); ++k) amounts(i)[k] -= demand[k];
    }

  private:
    std::size_t width_ = K == std::dynamic_extent ? 1 : K;
    std::size_t size_ = 0;
    static constexpr bool paired = sizeof(Number) < sizeof(std::int64_t);
    static_assert(K == 1 || !paired);
    static constexpr std::size_t entries_of_time = paired ? 2 : 1;
    std::vector<Number> times_, free_;  // if paired, the first has both

    void set_time(std::size_t i, Number when) { times_[i * entries_of_time] = when; }
    Number* amounts(std::size_t i) { return const_cast<Number*>(row(i)); }
    // With what is free at the one before.
    void begin_breakpoint(std::size_t i, Number when) {
        set_time(i, when);
        std::copy_n(row(i - 1), width(), amounts(i));
    }
    void set_width(std::size_t width) {
        if (K != std::dynamic_extent || width == width_) return;
        width_ = width;
        times_.clear(), free_.clear();
    }
    void make_room(std::size_t entries) {
        if (times_.size() >= entries * entries_of_time) return;
        const std::size_t room = entries + entries / 2 + 8;
        times_.resize(room * entries_of_time);
        if constexpr (!paired) free_.resize(room * width());
    }
    void set_guard() {
        set_time(size_, std::numeric_limits<Number>::max());
        std::fill_n(amounts(size_), width(), Number{-1});
    }
    // Of few pairs: searches insert most breakpoints near the end, where this is faster than a call of memmove.
    static constexpr std::size_t few = 16;
    void carry(std::size_t at, Number when) {
        Number* entry = times_.data() + 2 * at;
        Number* const guard = times_.data() + 2 * size_;
        Number free = entry[-1];
        for (; entry <= guard; entry += 2) [[likely]] {
            when = std::exchange(entry[0], when);
            free = std::exchange(entry[1], free);
        }
    }
    void shift(std::size_t from, std::size_t to, std::size_t entries) {
        std::memmove(times_.data() + to * entries_of_time, times_.data() + from * entries_of_time, entries * entries_of_time * sizeof(Number));
        if constexpr (!paired) std::memmove(free_.data() + to * width(), free_.data() + from * width(), entries * width() * sizeof(Number));
    }
};

}  // namespace planbatch
