// The Lagrangian bound: prices of capacity climb along smoothed subgradients (Barahona, Anbil 2000) with Polyak's step
// towards a known cost.
//
//     L(price) = Σᵢ min over t of [termᵢ(t) + price of what job i takes from t on] − what the machine earns at most
//
// is at most the cost of every plan, whatever the prices; the best L met is the bound. `Supply` says what jobs pay and
// the machine earns: rows of capacity, or configurations. An iteration takes O(entries · buckets), and what these take.
#pragma once
#include "../interrupt.hpp"
#include "capacity_rows.hpp"
#include "price_list.hpp"

namespace planbatch {

template <class Supply>
class PriceClimb {
  public:
    static constexpr double first_step = 1.0;    // relative to Polyak's
    static constexpr double smoothing = 0.3;     // weight of the newest subgradient
    static constexpr std::size_t patience = 20;  // iterations without progress until the step shrinks
    static constexpr double shrink = 0.7;        // the factor by which it shrinks
    static constexpr double least_step = 1e-4;
    static constexpr double progress = 1e-5;         // the least that counts, relative to what is missing
    static constexpr double rounding_error = 1e-10;  // relative to the sum of the magnitudes of what is summed

    PriceClimb(const Market& market, Supply& supply)
        : market_(market), supply_(supply), list_(market), cells_(supply.rows() * market.buckets()),
          held_(market.sizes() * market.buckets()), excess_(cells_), smooth_(cells_), trial_(cells_) {}

    Response respond(Reals price) {
        list_.set(supply_.rates(price));
        std::fill(held_.begin(), held_.end(), 0.0);
        Response response{0.0, 0.0};
        for (std::size_t j = 0; j < market_.entries(); ++j) add_entry(j, response);
        supply_.charge(price, response);
        return response;
    }

    // Returns the best L less its rounding errors; `price` becomes its prices. `upper` is the cost of a plan: it only
    // sets the length of the steps, and the bound holds whatever it is.
    double climb(std::vector<double>& price, double upper, std::size_t iterations) {
        double best = -infinity, best_value = -infinity, step = first_step;
        std::size_t idle = 0;
        bool fresh = true;
        trial_ = price;
        for (std::size_t iteration = 0; iteration < iterations; ++iteration) {
            Interrupt::poll();
            const auto [value, magnitude] = respond(trial_);
            best = std::max(best, value - rounding_error * magnitude);
            ++idle;
            if (value > best_value) {
                if (iteration == 0 || value - best_value > progress * (upper - best_value)) idle = 0;
                best_value = value;
                price = trial_;
            }
            if (idle >= patience) {  // begin anew at the best prices, with shorter steps
                step *= shrink;
                if (step < least_step) break;
                trial_ = price;
                idle = 0;
                fresh = true;
                continue;
            }
            supply_.find_excess(held_, excess_);
            const double norm = smooth(fresh ? 1.0 : smoothing);
            fresh = false;
            if (norm <= 0.0) break;
            raise(step * std::max(upper - value, 1e-6 * std::abs(upper)) / norm);
        }
        return best;
    }

  private:
    const Market& market_;
    Supply& supply_;
    PriceList list_;
    std::size_t cells_;                              // rows · buckets
    std::vector<double> held_;                       // seconds that each size is in each bucket
    std::vector<double> excess_, smooth_, trial_;    // the subgradient, its smoothed form, and prices, per cell


    // Has an entry choose its cheapest start.
    void add_entry(std::size_t j, Response& response) {
        const Reals edges = market_.edges();
        const std::size_t s = market_.size(j), buckets = market_.buckets();
        const auto [least, start] = list_.cheapest(j);
        const double many = market_.many(j), end = start + market_.duration(j);
        const Term term = market_.term(j);
        double slope = term.weight;
        if (term.power == 2) slope *= 2.0 * std::max(0.0, start - term.origin);
        response.value += many * least;
        response.magnitude += many * (std::abs(least) + list_.paid_in_all(s) + slope * end);
        double* held = held_.data() + s * buckets;
        for (std::size_t b = market_.edge_before(start); b < buckets && edges[b] < end; ++b)
            held[b] += many * (std::min(end, edges[b + 1]) - std::max(start, edges[b]));
    }
    // Mixes the newest subgradient into the smoothed one; returns its squared norm where prices can move.
    double smooth(double newest) {
        double norm = 0.0;
        for_each_cell([&](std::size_t c, double width) {
            smooth_[c] = newest * excess_[c] + (1.0 - newest) * smooth_[c];
            if (trial_[c] > 0.0 || smooth_[c] > 0.0) norm += smooth_[c] * smooth_[c] / width;
        });
        return norm;
    }
    // A bucket's excess grows with its width, its price must not.
    void raise(double length) {
        for_each_cell([&](std::size_t c, double width) { trial_[c] = std::max(0.0, trial_[c] + length * smooth_[c] / width); });
    }
    template <class Visit>
    void for_each_cell(Visit visit) {
        for (std::size_t r = 0, c = 0; r < supply_.rows(); ++r)
            for (std::size_t b = 0; b < market_.buckets(); ++b, ++c) visit(c, market_.width(b));
    }
};

}  // namespace planbatch
