// Many reservations at once: the profile that they leave, in one pass over their starts and ends.
//
// Taking reservations one by one moves the breakpoints behind each of them; where ten thousand jobs wait, that takes
// most of a round.
#pragma once
#include <utility>
#include <vector>

#include "../profile.hpp"
#include "../round.hpp"

namespace planbatch {

template <std::size_t K>
class ReservationSweep {
  public:
    // Writes `base` less the reservations (starts in seconds from now, `never` for none), none of which is before now.
    void subtract(const Round& round, Column start, const Profile<K>& base, Profile<K>& profile) {
        if (start.size() >= few_reservations) return sweep(round, start, base, profile);
        profile.copy_from(base, 2 * start.size());
        for (std::size_t i = 0; i < start.size(); ++i)
            if (start[i] != never) profile.take_between(start[i], start[i] + round.jobs.walltime[i], demand_of<K>(round, i));
    }

  private:
    struct Instant {
        std::int64_t when;  // seconds from now
        JobNumber job;
        std::int32_t sign;  // 1 at its start, -1 at its end
    };
    static constexpr std::size_t few_reservations = 64;  // are better taken one by one
    // Few instants are sorted by comparison, more by short digits, and many by long ones (bits).
    static constexpr std::size_t few = 64, many = 1024;
    static constexpr int short_digit = 8, long_digit = 11;
    std::vector<Instant> instants_, sorted_;
    std::vector<std::size_t> places_;
    std::vector<std::int64_t> held_;

    void sweep(const Round& round, Column start, const Profile<K>& base, Profile<K>& profile) {
        list_instants(round, start);
        sort_instants();
        const std::size_t width = base.width();
        held_.assign(width, 0);
        profile.clear(width, base.size() + instants_.size() + 1);
        std::size_t row = 0, at = 0;
        while (row < base.size() || at < instants_.size()) {
            const std::int64_t next_row = row < base.size() ? base.time(row) : never;
            const std::int64_t when = at < instants_.size() ? std::min(next_row, instants_[at].when) : next_row;
            if (next_row == when) ++row;
            for (; at < instants_.size() && instants_[at].when == when; ++at) hold(round, instants_[at], width);
            profile.append_row(when, base.row(row - 1), held_.data());
        }
        profile.close();
    }
    void hold(const Round& round, const Instant& instant, std::size_t width) {
        const auto demand = demand_of<K>(round, std::size_t(instant.job));
        for (std::size_t k = 0; k < width; ++k) held_[k] += instant.sign * demand[k];
    }
    void list_instants(const Round& round, Column start) {
        instants_.clear();
        for (std::size_t i = 0; i < start.size(); ++i) {
            if (start[i] == never) continue;
            instants_.push_back({start[i], JobNumber(i), 1});
            instants_.push_back({start[i] + round.jobs.walltime[i], JobNumber(i), -1});
        }
    }
    void sort_instants() {
        if (instants_.size() < few) {
            std::sort(instants_.begin(), instants_.end(), [](const Instant& a, const Instant& b) { return a.when < b.when; });
            return;
        }
        std::int64_t largest = 0;
        for (const Instant& instant : instants_) largest = std::max(largest, instant.when);
        sorted_.resize(instants_.size());
        const int digit = instants_.size() < many ? short_digit : long_digit;
        for (int shift = 0; largest >> shift; shift += digit) sort_by_digit(shift, digit), instants_.swap(sorted_);
    }
    void sort_by_digit(int shift, int digit) {
        const std::int64_t mask = (std::int64_t{1} << digit) - 1;
        places_.assign(std::size_t(mask) + 1, 0);
        for (const Instant& instant : instants_) ++places_[std::size_t(instant.when >> shift & mask)];
        std::size_t before = 0;
        for (std::size_t& place : places_) before += std::exchange(place, before);
        for (const Instant& instant : instants_) sorted_[places_[std::size_t(instant.when >> shift & mask)]++] = instant;
    }
};

}  // namespace planbatch
