// The Lagrangian bound: prices of capacity climb by the volume algorithm (Barahona, Anbil 2000), along means of
// subgradients from the best prices met, with Polyak's step towards a known cost.
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
    static constexpr double first_step = 0.1, most_step = 2.0, least_step = 1e-4;  // relative to Polyak's
    static constexpr double longer = 1.1, shorter = 0.67;                          // factors of the step
    static constexpr std::size_t patience = 20;            // iterations without better prices until the step is shorter
    static constexpr double most_new = 0.1, least_new = 0.01;  // bounds of the weight of the newest subgradient
    static constexpr std::size_t period = 100;             // iterations until that weight is looked at again
    static constexpr double progress = 0.01;               // halve it after less, relative to what is missing
    static constexpr double rounding_error = 1e-10;  // relative to the sum of the magnitudes of what is summed

    PriceClimb(const Market& market, Supply& supply)
        : market_(market), supply_(supply), list_(market), cells_(supply.rows() * market.buckets()),
          held_(market.sizes() * market.buckets()), excess_(cells_), mean_(cells_), trial_(cells_) {}

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
        if (iterations == 0) return -infinity;
        const Response first = respond(price);
        double best = first.value - rounding_error * first.magnitude;
        double value = first.value, looked = value, step = first_step, newest = most_new;
        supply_.find_excess(held_, mean_);
        std::size_t idle = 0;
        for (std::size_t iteration = 1; iteration < iterations; ++iteration) {
            Interrupt::poll();
            const double norm = squared_norm(price);
            if (norm <= 0.0) break;
            raise(price, step * std::max(upper - value, 1e-6 * std::abs(upper)) / norm);
            const Response trial = respond(trial_);
            best = std::max(best, trial.value - rounding_error * trial.magnitude);
            supply_.find_excess(held_, excess_);
            const double along = mix(newest);
            if (trial.value > value) {
                value = trial.value;
                price = trial_;
                idle = 0;
                if (along >= 0.0) step = std::min(longer * step, most_step);
            } else if (++idle == patience) {
                idle = 0;
                step *= shorter;
                if (step < least_step) break;
            }
            if (iteration % period == 0) {
                if (value - looked < progress * (upper - value)) newest = std::max(newest / 2.0, least_new);
                looked = value;
            }
        }
        return best;
    }

  private:
    const Market& market_;
    Supply& supply_;
    PriceList list_;
    std::size_t cells_;                              // rows · buckets
    std::vector<double> held_;                       // seconds that each size is in each bucket
    std::vector<double> excess_, mean_, trial_;      // the newest subgradient, the mean, and prices, per cell

    // Has an entry choose its cheapest start.
    void add_entry(std::size_t j, Response& response) {
        const Reals edges = market_.edges();
        const std::size_t s = market_.size(j), buckets = market_.buckets();
        const PricedStart cheapest = list_.cheapest(j);
        const double many = market_.many(j), start = cheapest.start, end = start + market_.duration(j);
        response.value += many * cheapest.total;
        response.magnitude += many * list_.magnitude(j, cheapest);
        double* held = held_.data() + s * buckets;
        for (std::size_t b = market_.edge_before(start); b < buckets && edges[b] < end; ++b)
            held[b] += many * (std::min(end, edges[b + 1]) - std::max(start, edges[b]));
    }
    // The squared norm of the mean subgradient where prices can move.
    double squared_norm(Reals price) {
        double norm = 0.0;
        for_each_cell([&](std::size_t c, double width) {
            if (price[c] > 0.0 || mean_[c] > 0.0) norm += mean_[c] * mean_[c] / width;
        });
        return norm;
    }
    // Sets the trial prices. A bucket's excess grows with its width, its price must not.
    void raise(Reals price, double length) {
        for_each_cell([&](std::size_t c, double width) { trial_[c] = std::max(0.0, price[c] + length * mean_[c] / width); });
    }
    // Mixes the newest subgradient into the mean, with the weight up to `most` that makes it shortest; returns the product
    // of both before.
    double mix(double most) {
        double along = 0.0, newest = 0.0, old = 0.0;
        for_each_cell([&](std::size_t c, double width) {
            along += excess_[c] * mean_[c] / width;
            newest += excess_[c] * excess_[c] / width;
            old += mean_[c] * mean_[c] / width;
        });
        const double apart = newest - 2.0 * along + old;
        const double shortest = apart > 0.0 ? (old - along) / apart : most;
        const double weight = std::min(std::max(shortest, most / 10.0), most);
        for (std::size_t c = 0; c < cells_; ++c) mean_[c] = weight * excess_[c] + (1.0 - weight) * mean_[c];
        return along;
    }
    template <class Visit>
    void for_each_cell(Visit visit) {
        for (std::size_t r = 0, c = 0; r < supply_.rows(); ++r)
            for (std::size_t b = 0; b < market_.buckets(); ++b, ++c) visit(c, market_.width(b));
    }
};

}  // namespace planbatch
