// What a job of each size pays per second, and for its stay.
#pragma once
#include "market.hpp"

namespace planbatch {

struct PricedStart {
    double total;  // term and price
    double start;  // s after now
};

class PriceList {
  public:
    explicit PriceList(const Market& market)
        : market_(&market), columns_(market.buckets() + 1), edges_(market.edges().begin(), market.edges().end()),
          rate_(market.sizes() * columns_), paid_(market.sizes() * columns_) {
        edges_.push_back(infinity);
    }

    // `rates`: per second, a row of buckets per size. Capacity costs nothing after the last edge.
    void set(Table<const double> rates) {
        for (std::size_t s = 0; s < rates.rows; ++s) {
            double *rate = rate_.data() + s * columns_, *paid = paid_.data() + s * columns_;
            std::copy_n(rates.row(s).data(), rates.columns, rate);
            for (std::size_t b = 0; b < rates.columns; ++b) paid[b + 1] = paid[b] + rate[b] * market_->width(b);
        }
    }
    // What a job of an entry pays until a moment, if it runs from the first edge on.
    double paid_until(std::size_t entry, const Moment& end) const {
        const auto [rate, paid] = rows_of(entry);
        return paid[end.bucket] + (end.when - edges_[end.bucket]) * rate[end.bucket];
    }
    double paid_until(std::size_t entry, double end) const { return paid_until(entry, market_->moment(end)); }
    // The term and the price of a start of an entry.
    double at(std::size_t entry, double start) const {
        const double price = paid_until(entry, start + market_->duration(entry)) - paid_until(entry, start);
        return price + market_->term(entry).at(start);
    }
    // The sum that the rounding errors of a total of an entry are relative to.
    double magnitude(std::size_t entry, const PricedStart& priced) const {
        const Term term = market_->term(entry);
        double slope = term.weight;
        if (term.power == 2) slope *= 2.0 * std::max(0.0, priced.start - term.origin);
        return std::abs(priced.total) + paid_in_all(market_->size(entry)) + slope * (priced.start + market_->duration(entry));
    }

    // The start of an entry with the least term and price. Between the moments at which the start or the end meets an
    // edge the price is linear and the term convex; the walk over them ends where the term alone costs more.
    PricedStart cheapest(std::size_t entry) const {
        PricedStart best{infinity, market_->earliest(entry)};
        const Term term = market_->term(entry);
        walk(entry, [&](const Stretch& at) {
            const double cost = term.at(at.from);
            if (cost >= best.total) return false;
            const double total = at.total_from(cost);
            best = less(best, {total, at.from});
            if (at.last) return false;
            const double slope = at.end_rate - at.start_rate;
            double turn = std::min(std::max(term.origin, at.from), at.until);
            if (term.power == 2 && term.weight > 0.0)
                turn = std::min(std::max(term.origin - slope / (2.0 * term.weight), turn), at.until);
            best = less(best, {total - cost + slope * (turn - at.from) + term.at(turn), turn});
            return true;
        });
        return best;
    }

    // Appends, ascending, all starts of an entry between which its term and price are monotone.
    void append_breakpoints(std::size_t entry, std::vector<double>& when) const {
        const Term term = market_->term(entry);
        when.push_back(market_->earliest(entry));
        walk(entry, [&](const Stretch& at) {
            if (at.last) return false;
            const double first = term.origin;
            double second = first;
            if (term.power == 2 && term.weight > 0.0)
                second = std::max(first, first - (at.end_rate - at.start_rate) / (2.0 * term.weight));
            for (const double turn : {first, second})
                if (when.back() < turn && turn < at.until) when.push_back(turn);
            if (at.until > when.back()) when.push_back(at.until);
            return true;
        });
    }

  private:
    // Starts between which neither the start nor the end meets an edge.
    struct Stretch {
        double from, until;           // s after now
        double start_rate, end_rate;  // in the buckets of the start and of the end
        double end_paid, start_paid;  // up to the edges before them
        double after_end_edge, after_start_edge;  // seconds from those edges
        bool last;                    // the start is after the last edge

        double total_from(double cost) const {
            return cost + end_paid + after_end_edge * end_rate - start_paid - after_start_edge * start_rate;
        }
    };
    struct Rows {
        const double *rate, *paid;
    };
    const Market* market_;
    std::size_t columns_;
    std::vector<double> edges_;        // and infinity behind the last
    std::vector<double> rate_, paid_;  // a row per size, with an entry per edge; the last rate is 0, the first paid too

    // What a job of a size that stays for all buckets pays.
    double paid_in_all(std::size_t size) const { return paid_[size * columns_ + columns_ - 1]; }
    // The first of equal ones.
    static PricedStart less(const PricedStart& first, const PricedStart& second) {
        const bool better = second.total < first.total;
        return {better ? second.total : first.total, better ? second.start : first.start};
    }
    Rows rows_of(std::size_t entry) const {
        const std::size_t row = market_->size(entry) * columns_;
        return {rate_.data() + row, paid_.data() + row};
    }

    // Calls visit(stretch) for each stretch from the earliest start on, as long as it returns true.
    template <class Visit>
    void walk(std::size_t entry, Visit visit) const {
        const double* edges = edges_.data();
        const std::size_t last = market_->buckets();
        const auto [rate, paid] = rows_of(entry);
        const double duration = market_->duration(entry);
        double from = market_->earliest(entry);
        std::size_t i = market_->edge_before(from), k = market_->edge_before(from + duration);
        for (;;) {  // indices move without jumps, which would be hard to foresee
            const double start_meets = edges[i + 1], end_meets = edges[k + 1] - duration;
            const double until = std::min(start_meets, end_meets);
            const bool is_last = i == last;
            if (!visit(Stretch{from, until, rate[i], rate[k], paid[k], paid[i], from + duration - edges[k], from - edges[i], is_last}) || is_last) return;
            i += start_meets <= end_meets;
            k += end_meets <= start_meets;
            from = until;
        }
    }
};

}  // namespace planbatch
