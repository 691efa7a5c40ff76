// Configurations: the jobs that run at a moment fit side by side into the free processors, so a bucket earns at most
// what the best set of jobs pays, a knapsack. There is a price per size of jobs and bucket.
//
// This is the configuration relaxation: at every moment the machine is in a mixture of sets that fit. No rows of
// capacity can imply more. Sets are those of one resource; the other resources have rows of capacity.
#pragma once
#include "capacity_rows.hpp"
#include "knapsack.hpp"

namespace planbatch {

class Configurations {
  public:
    struct Columns {
        std::vector<std::int64_t> width;  // which of the widths the jobs of each size of the market have
        std::vector<std::int64_t> units;  // of each width
        std::vector<std::int64_t> jobs;   // jobs of each width
        std::vector<std::int64_t> rooms;  // free units, ascending
        std::vector<double> seconds;      // of each bucket with so many free units, a row of buckets per room
    };

    // Throws unless columns agree in length. The first `replaced` rows of the market say no more than configurations do.
    Configurations(const Market& market, Columns columns, std::size_t replaced)
        : market_(market), others_(market, std::min(replaced, market.rows())), columns_(std::move(columns)), rate_(market.sizes() * market.buckets()) {
        const Columns& c = columns_;
        require(c.width.size() == market.sizes(), "configurations: not one width per size");
        require(c.units.size() == c.jobs.size(), "configurations: not one number of jobs per width");
        require(std::all_of(c.width.begin(), c.width.end(), [&](std::int64_t w) { return w >= 0 && std::size_t(w) < c.units.size(); }), "configurations: a width that is not known");
        require(c.seconds.size() == c.rooms.size() * market.buckets(), "configurations: not one row of seconds per room");
        require(std::all_of(c.units.begin(), c.units.end(), [](std::int64_t u) { return u > 0; }), "configurations: a width below 1");
        require(std::all_of(c.jobs.begin(), c.jobs.end(), [](std::int64_t n) { return n >= 0; }), "configurations: a negative number of jobs");
        require(!c.rooms.empty() && c.rooms[0] >= 0 && c.rooms.back() <= most_room && std::is_sorted(c.rooms.begin(), c.rooms.end()), "configurations: rooms that do not ascend from 0 or more");
        require(std::all_of(c.seconds.begin(), c.seconds.end(), [](double s) { return s >= 0.0 && std::isfinite(s); }), "configurations: seconds that are not finite, or negative");
        taken_.resize(widths() * market.buckets());
        value_.resize(widths());
    }

    std::size_t rows() const { return widths() + others_.rows(); }

    // The prices at which a job pays as much as at those of all rows of capacity.
    std::vector<double> from_rows(Reals price) const {
        const std::size_t buckets = market_.buckets(), replaced = market_.rows() - others_.rows();
        std::vector<double> converted(rows() * buckets);
        for (std::size_t s = 0; s < market_.sizes(); ++s) {
            double* of_width = converted.data() + std::size_t(columns_.width[s]) * buckets;
            std::fill_n(of_width, buckets, 0.0);
            for (std::size_t r = 0; r < replaced; ++r) add_multiple(of_width, market_.coef()(s, r), price.subspan(r * buckets, buckets));
        }
        std::copy(price.begin() + std::ptrdiff_t(replaced * buckets), price.end(), converted.begin() + std::ptrdiff_t(widths() * buckets));
        return converted;
    }
    Table<const double> rates(Reals price) {
        const std::size_t buckets = market_.buckets();
        const Table<const double> others = others_.rates(of_others(price));
        std::copy_n(others.data, rate_.size(), rate_.begin());
        for (std::size_t s = 0; s < market_.sizes(); ++s)
            add_multiple(rate_.data() + s * buckets, 1.0, price.subspan(std::size_t(columns_.width[s]) * buckets, buckets));
        return {rate_.data(), market_.sizes(), buckets};
    }

    void charge(Reals price, Response& response) {
        const std::size_t buckets = market_.buckets();
        others_.charge(of_others(price), response);
        std::fill(taken_.begin(), taken_.end(), 0.0);
        for_each_room(price, [&](std::size_t b, double seconds, std::size_t room) {
            const double earned = seconds * knapsack_.take(room, [&](std::size_t s, std::size_t many) { taken_[s * buckets + b] += seconds * double(many); });
            response.value -= earned;
            response.magnitude += earned;
        });
    }
    Earnings earnings(Reals price) {
        Earnings most = others_.earnings(of_others(price));
        const std::vector<double> others = most.rate;
        for_each_room(price, [&](std::size_t b, double seconds, std::size_t room) {
            const double rate = knapsack_.take(room, [](std::size_t, std::size_t) {});
            most.total[b] += seconds * rate;
            most.rate[b] = others[b] + rate;  // the largest room is the last
        });
        return most;
    }
    void find_excess(Reals held, std::span<double> excess) const {
        const std::size_t buckets = market_.buckets();
        for (std::size_t c = 0; c < taken_.size(); ++c) excess[c] = -taken_[c];
        for (std::size_t s = 0; s < market_.sizes(); ++s)
            add_multiple(excess.data() + std::size_t(columns_.width[s]) * buckets, 1.0, held.subspan(s * buckets, buckets));
        others_.find_excess(held, excess.subspan(taken_.size()));
    }

  private:
    static constexpr std::int64_t most_room = std::int64_t{1} << 24;
    const Market& market_;
    CapacityRows others_;
    Columns columns_;
    std::vector<double> rate_;   // of each size, in each bucket
    std::vector<double> taken_;  // seconds that the best sets give each width, in each bucket
    std::vector<double> value_;
    Knapsack knapsack_;

    // Calls visit(bucket, seconds, room) for each room that a bucket has, ascending, with the bucket's knapsacks solved.
    template <class Visit>
    void for_each_room(Reals price, Visit visit) {
        const std::size_t buckets = market_.buckets();
        for (std::size_t b = 0; b < buckets; ++b) {
            Interrupt::poll();
            for (std::size_t s = 0; s < widths(); ++s) value_[s] = price[s * buckets + b];
            std::size_t last = columns_.rooms.size();
            while (last > 0 && columns_.seconds[(last - 1) * buckets + b] <= 0.0) --last;
            if (last == 0) continue;
            knapsack_.solve(columns_.units, value_, columns_.jobs, std::size_t(columns_.rooms[last - 1]));
            for (std::size_t k = 0; k < last; ++k)
                if (const double seconds = columns_.seconds[k * buckets + b]; seconds > 0.0) visit(b, seconds, std::size_t(columns_.rooms[k]));
        }
    }
    std::size_t widths() const { return columns_.units.size(); }
    Reals of_others(Reals price) const { return price.subspan(widths() * market_.buckets()); }
};

}  // namespace planbatch
