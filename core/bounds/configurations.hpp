// Configurations: the jobs that run at a moment fit side by side into the free processors, so a bucket earns at most
// what the best set of jobs pays, a knapsack. There is a price per size of jobs and bucket.
//
// This is the configuration relaxation: at every moment the machine is in a mixture of sets that fit. No rows of
// capacity can imply more.
#pragma once
#include "capacity_rows.hpp"
#include "knapsack.hpp"

namespace planbatch {

class Configurations {
  public:
    struct Columns {
        std::vector<std::int64_t> units;  // of each size
        std::vector<std::int64_t> jobs;   // jobs of each size
        std::vector<std::int64_t> rooms;  // free units, ascending
        std::vector<double> seconds;      // of each bucket with so many free units, a row of buckets per room
    };

    // Throws unless columns agree in length.
    Configurations(const Market& market, Columns columns)
        : market_(market), columns_(std::move(columns)), taken_(market.sizes() * market.buckets()), value_(market.sizes()) {
        const Columns& c = columns_;
        require(c.units.size() == market.sizes() && c.jobs.size() == market.sizes(), "not one entry per size");
        require(c.seconds.size() == c.rooms.size() * market.buckets(), "not one row of seconds per room");
        require(std::all_of(c.units.begin(), c.units.end(), [](std::int64_t u) { return u > 0; }), "a size below 1");
        require(std::all_of(c.jobs.begin(), c.jobs.end(), [](std::int64_t n) { return n >= 0; }), "a negative number of jobs");
        require(!c.rooms.empty() && c.rooms[0] >= 0 && c.rooms.back() <= most_room && std::is_sorted(c.rooms.begin(), c.rooms.end()), "rooms that do not ascend from 0 or more");
        require(std::all_of(c.seconds.begin(), c.seconds.end(), [](double s) { return s >= 0.0 && std::isfinite(s); }), "seconds that are not finite, or negative");
    }

    std::size_t rows() const { return market_.sizes(); }

    Table<const double> rates(Reals price) const { return {price.data(), rows(), market_.buckets()}; }

    void charge(Reals price, Response& response) {
        const std::size_t buckets = market_.buckets();
        std::fill(taken_.begin(), taken_.end(), 0.0);
        for (std::size_t b = 0; b < buckets; ++b) {
            Interrupt::poll();
            for (std::size_t s = 0; s < rows(); ++s) value_[s] = price[s * buckets + b];
            std::size_t last = columns_.rooms.size();
            while (last > 0 && columns_.seconds[(last - 1) * buckets + b] <= 0.0) --last;
            if (last == 0) continue;
            knapsack_.solve(columns_.units, value_, columns_.jobs, std::size_t(columns_.rooms[last - 1]));
            for (std::size_t k = 0; k < last; ++k) {
                const double seconds = columns_.seconds[k * buckets + b];
                if (seconds <= 0.0) continue;
                const double earned = seconds * knapsack_.take(std::size_t(columns_.rooms[k]), [&](std::size_t s, std::size_t many) {
                    taken_[s * buckets + b] += seconds * double(many);
                });
                response.value -= earned;
                response.magnitude += earned;
            }
        }
    }
    void find_excess(const std::vector<double>& held, std::vector<double>& excess) const {
        for (std::size_t c = 0; c < held.size(); ++c) excess[c] = held[c] - taken_[c];
    }

  private:
    static constexpr std::int64_t most_room = std::int64_t{1} << 24;
    const Market& market_;
    Columns columns_;
    std::vector<double> taken_;  // seconds that the best sets give each size, in each bucket
    std::vector<double> value_;
    Knapsack knapsack_;

    static void require(bool holds, const char* message) {
        if (!holds) throw std::invalid_argument(std::string("configurations: ") + message);
    }
};

}  // namespace planbatch
