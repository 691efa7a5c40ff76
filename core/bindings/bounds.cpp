// Lower bounds: the Lagrangian relaxation, and knapsacks.
#include <nanobind/stl/pair.h>

#include "../bounds/configurations.hpp"
#include "../bounds/price_climb.hpp"
#include "../bounds/shares.hpp"
#include "arrays.hpp"
#include "bindings.hpp"

namespace planbatch {
namespace {

void make_market(Market* self, const Floats& edges, const Floats& capacity, const Floats& coef, const Ints& size, const Floats& many,
                 const Floats& duration, const Floats& earliest, const Floats& weight, const Floats& origin, int power) {
    if (edges.size() < 2 || capacity.ndim() != 2 || capacity.shape(1) != edges.size() - 1) throw std::invalid_argument("market: capacity without one column per bucket");
    if (coef.ndim() != 2 || coef.shape(1) != capacity.shape(0)) throw std::invalid_argument("market: coef without one column per row of capacity");
    new (self) Market({copy_of(edges), copy_of(capacity), copy_of(coef), copy_of(size), copy_of(many), copy_of(duration), copy_of(earliest),
                       copy_of(weight), copy_of(origin), power});
}

// Prices, one per row of capacity and bucket, checked.
Reals prices(const Market& market, const Floats& price) {
    if (price.ndim() != 2 || price.shape(0) != market.rows() || price.shape(1) != market.buckets()) throw std::invalid_argument("price: not one per row and bucket");
    const Reals all = reals(price);
    if (!std::all_of(all.begin(), all.end(), [](double each) { return std::isfinite(each); })) throw std::invalid_argument("price: not a finite number");
    return all;
}

std::pair<double, double> respond(const Market& market, const Floats& price) {
    const Reals checked = prices(market, price);
    CapacityRows rows(market);
    const auto [value, magnitude] = without_gil([&] { return PriceClimb(market, rows).respond(checked); });
    return {value, magnitude};
}

auto climb(const Market& market, const Floats& price, double upper, std::size_t iterations) {
    const Reals first = prices(market, price);
    std::vector<double> best(first.begin(), first.end());
    CapacityRows rows(market);
    const double bound = without_gil([&] { return PriceClimb(market, rows).climb(best, upper, iterations); });
    return std::make_pair(bound, hand_over(std::move(best), {market.rows(), market.buckets()}));
}
auto climb_configurations(std::shared_ptr<Market> market, const Floats& price, const Ints& width, const Ints& units, const Ints& jobs, const Ints& rooms,
                          const Floats& seconds, std::size_t replaced, double upper, std::size_t iterations) {
    Configurations configurations(*market, {copy_of(width), copy_of(units), copy_of(jobs), copy_of(rooms), copy_of(seconds)}, replaced);
    std::vector<double> best = configurations.from_rows(prices(*market, price));
    return without_gil([&] {
        const double bound = PriceClimb(*market, configurations).climb(best, upper, iterations);
        return std::make_pair(bound, Shares(market, configurations, best));
    });
}

void make_shares(Shares* self, std::shared_ptr<Market> market, const Floats& price) {
    const Reals checked = prices(*market, price);
    CapacityRows rows(*market);
    without_gil([&] { new (self) Shares(std::move(market), rows, checked); });
}

std::size_t known_entry(const Shares& shares, std::size_t entry) {
    if (entry >= shares.market().entries()) throw std::out_of_range("entry: no such entry");
    return entry;
}

auto excess(const Shares& shares, std::size_t entry, const Floats& when) {
    known_entry(shares, entry);
    std::vector<double> found;
    for (const double start : reals(when)) {
        if (!(start >= shares.market().edges()[0] && std::isfinite(start))) throw std::invalid_argument("when: a start that is not finite, or before the first edge");
        found.push_back(shares.excess_at(entry, start));
    }
    return hand_over(std::move(found));
}

auto latest(const Shares& shares, double gap) {
    std::vector<double> found;
    found.reserve(shares.market().entries());
    for (std::size_t j = 0; j < shares.market().entries(); ++j) found.push_back(shares.limit(j, gap));
    return hand_over(std::move(found));
}

auto most_value_of(const Ints& sizes, const Ints& value, const Ints& count, std::int64_t room) {
    if (room < 0 || room > std::numeric_limits<std::int32_t>::max()) throw std::invalid_argument("room: not from 0 to 2^31");
    check_knapsack(column(sizes), column(value), column(count));
    return hand_over(without_gil([&] { return most_value(column(sizes), column(value), column(count), std::size_t(room)); }));
}

}  // namespace

void bind_bounds(nb::module_& m) {
    nb::class_<Market>(m, "Market", "The Lagrangian relaxation of a round: what equal jobs demand, and capacity per bucket of time.")
        .def("__init__", &make_market, nb::kw_only(), "edges"_a, "capacity"_a, "coef"_a, "size"_a, "many"_a, "duration"_a, "earliest"_a,
             "weight"_a, "origin"_a, "power"_a)
        .def_prop_ro("origin", [](const Market& self) { return copy_out(self.origins()); }, "The origin of each entry's term (s after now).")
        .def("__len__", &Market::entries)
        .def("respond", &respond, "price"_a, "L at these prices, and the sum that its rounding errors are relative to.")
        .def("climb", &climb, "price"_a, "upper"_a, "iterations"_a, "The best L met, less its rounding errors, and its prices; `upper` is the cost of a plan.")
        .def("climb_configurations", &climb_configurations, "price"_a, nb::kw_only(), "width"_a, "units"_a, "jobs"_a, "rooms"_a, "seconds"_a, "replaced"_a,
             "upper"_a, "iterations"_a,
             "The best bound of the configuration relaxation met from prices of the rows of capacity on, less its rounding errors, and the shares of "
             "it; configurations replace the first rows.");
    nb::class_<Shares>(m, "Shares", "By how much starts exceed the jobs' shares of the Lagrangian bound, at fixed prices.")
        .def("__init__", &make_shares, "market"_a, "price"_a)
        .def_prop_ro("base", &Shares::base, "The Lagrangian bound at these prices.")
        .def_prop_ro("magnitude", &Shares::magnitude, "The sum that the rounding errors of the bound are relative to.")
        .def("breakpoints", [](const Shares& self, std::size_t entry) { return copy_out(self.breakpoints(known_entry(self, entry))); }, "entry"_a,
             "The starts between which the excess of an entry is monotone (s after now).")
        .def("excess", &excess, "entry"_a, "when"_a, "The excess of an entry that starts at these times (s after now).")
        .def("latest", &latest, "gap"_a, "The start of each entry from which on every excess is above the gap (s after now); or infinity.");
    m.def("most_value", &most_value_of, "sizes"_a, "value"_a, "count"_a, "room"_a, "The largest value of items that fit side by side into each room 0 … room.");
}

}  // namespace planbatch
