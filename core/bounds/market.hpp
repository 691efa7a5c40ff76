// The Lagrangian relaxation of a round: what jobs demand and how much there is in each bucket of time, where every row
// of capacity has a price per bucket. Equal jobs are one entry. Times are seconds after now.
#pragma once
#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "../numbers.hpp"
#include "term.hpp"

namespace planbatch {

// The Lagrangian bound at some prices.
struct Response {
    double value;
    double magnitude;  // the sum that the rounding errors of the value are relative to
};

// A moment (s after now), and the bucket that it is in, or one more than there are.
struct Moment {
    double when;
    std::size_t bucket;
};

class Market {
  public:
    struct Columns {
        std::vector<double> edges;       // of the buckets, the first is 0; after the last, capacity costs nothing
        std::vector<double> capacity;    // ∫ level dt, a row of buckets per row of capacity
        std::vector<double> coef;        // demand of a job of each size on each row of capacity, a row per size
        std::vector<std::int64_t> size;  // which size the jobs of each entry have
        std::vector<double> many;        // how many equal jobs an entry stands for
        std::vector<double> duration;    // walltime (s)
        std::vector<double> earliest;    // start if the job were alone
        std::vector<double> weight, origin;
        int power;
    };

    // Throws unless columns agree in length and times are finite, so that no look-up leaves the edges.
    explicit Market(Columns columns) : columns_(std::move(columns)) {
        check_tables();
        check_entries();
    }

    std::size_t entries() const { return columns_.size.size(); }
    std::size_t buckets() const { return columns_.edges.size() - 1; }
    std::size_t rows() const { return columns_.capacity.size() / buckets(); }
    std::size_t sizes() const { return columns_.coef.size() / rows(); }

    Reals edges() const { return columns_.edges; }
    double width(std::size_t bucket) const { return columns_.edges[bucket + 1] - columns_.edges[bucket]; }
    Table<const double> capacity() const { return {columns_.capacity.data(), rows(), buckets()}; }
    Table<const double> coef() const { return {columns_.coef.data(), sizes(), rows()}; }
    Reals origins() const { return columns_.origin; }

    std::size_t size(std::size_t entry) const { return std::size_t(columns_.size[entry]); }
    double many(std::size_t entry) const { return columns_.many[entry]; }
    double duration(std::size_t entry) const { return columns_.duration[entry]; }
    double earliest(std::size_t entry) const { return columns_.earliest[entry]; }
    Term term(std::size_t entry) const { return {columns_.weight[entry], columns_.origin[entry], columns_.power}; }

    // The last edge that is not after `when`, which is not before the first one.
    std::size_t edge_before(double when) const {
        const auto after = std::upper_bound(columns_.edges.begin(), columns_.edges.end(), when);
        return std::size_t(after - columns_.edges.begin()) - 1;
    }
    Moment moment(double when) const { return {when, edge_before(when)}; }

  private:
    Columns columns_;

    static bool finite(Reals column) {
        return std::all_of(column.begin(), column.end(), [](double x) { return std::isfinite(x); });
    }
    void check_tables() const {
        const Columns& c = columns_;
        require(c.edges.size() >= 2 && finite(c.edges), "market: edges that are not two finite numbers or more");
        require(std::is_sorted(c.edges.begin(), c.edges.end()), "market: edges that do not ascend");
        require(!c.capacity.empty() && c.capacity.size() % buckets() == 0, "market: capacity without one entry per bucket");
        require(!c.coef.empty() && c.coef.size() % rows() == 0, "market: coef without one entry per row of capacity");
        require(finite(c.capacity) && finite(c.coef), "market: a capacity or a demand that is not finite");
        require(c.power == 1 || c.power == 2, "market: a power that is neither 1 nor 2");
    }
    void check_entries() const {
        const Columns& c = columns_;
        for (const auto* column : {&c.many, &c.duration, &c.earliest, &c.weight, &c.origin}) {
            require(column->size() == entries(), "market: columns that differ in length");
            require(finite(*column), "market: an entry that is not finite");
        }
        for (std::size_t j = 0; j < entries(); ++j) {
            require(c.size[j] >= 0 && std::size_t(c.size[j]) < sizes(), "market: an entry of no known size");
            require(c.duration[j] >= 0.0, "market: a negative duration");
            require(c.earliest[j] >= c.edges[0], "market: a start before the first edge");
        }
    }
};

}  // namespace planbatch
