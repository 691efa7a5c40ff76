// Exhaustive search.
#include "../branch_and_bound/placed_profile.hpp"
#include "../branch_and_bound/rising_profile.hpp"
#include "../branch_and_bound/search.hpp"
#include "arrays.hpp"
#include "bindings.hpp"

namespace planbatch {
namespace {

template <class Search>
void make_search(Search* self, const Ints& times, const Ints& free, const Ints& amounts, const Ints& walltime, const Ints& latest, const Floats& weight,
                 const Floats& origin, const Ints& kind, const Ints& entry, const Ints& by_due, std::shared_ptr<Shares> shares, bool largest,
                 int power, double slack, double step, double goal, std::size_t remembered) {
    if (free.ndim() != 2 || free.shape(0) != times.size()) throw std::invalid_argument("free: not one row per time");
    if (amounts.ndim() != 2 || amounts.shape(0) != walltime.size() || amounts.shape(1) != free.shape(1)) throw std::invalid_argument("amounts: not one row per job, with an amount per resource");
    if (power != 1 && power != 2) throw std::invalid_argument("power: neither 1 nor 2");
    if (remembered > std::size_t{1} << 24) throw std::invalid_argument("remembered: more than 2^24 nodes");
    BranchJobs jobs{amounts.shape(1), copy_of(amounts), copy_of(walltime), copy_of(latest), copy_of(weight), copy_of(origin), copy_of(kind), copy_of(entry), copy_of(by_due)};
    new (self) Search(std::move(jobs), CostRule::of(largest, power, slack, step, reals(weight)), std::move(shares), column(times),
                      {free.data(), free.shape(0), free.shape(1)}, goal, remembered);
}

template <class Profile>
void bind_search(nb::module_& m, const char* name, const char* about) {
    using Search = BranchAndBound<Profile>;
    nb::class_<Search>(m, name, about)
        .def("__init__", &make_search<Search>, nb::kw_only(), "times"_a, "free"_a, "amounts"_a, "walltime"_a, "latest"_a, "weight"_a, "origin"_a,
             "kind"_a, "entry"_a, "by_due"_a, "shares"_a.none(), "largest"_a, "power"_a, "slack"_a, "step"_a, "goal"_a, "remembered"_a)
        .def("explore", [](Search& self, std::size_t nodes) { return without_gil([&] { return self.explore(nodes); }); }, "nodes"_a,
             "Visit up to so many further nodes; how many it were.")
        .def_prop_ro("begun", &Search::begun, "Whether a node has been visited.")
        .def_prop_ro("done", &Search::done, "Whether every node has been visited or cut.")
        .def_prop_ro("best", &Search::best, "The least cost known.")
        .def_prop_ro("best_start", [](const Search& self) { return copy_out(self.best_start()); }, "The starts of the plan found (s after now), 0 if none was.")
        .def_prop_ro("open_bound", &Search::open_bound, "The least bound of a listed node that has not been visited, for sums of terms; or infinity.");
}

}  // namespace

void bind_branch_and_bound(nb::module_& m) {
    bind_search<RisingProfile<true>>(m, "ProcessorBranchAndBound", "Branch and bound over the plans of a round of processors alone.");
    bind_search<RisingProfile<false>>(m, "ResourceBranchAndBound", "Branch and bound over the plans of a round of several resources.");
    bind_search<PlacedProfile>(m, "WindowBranchAndBound", "Branch and bound over the plans of a round with windows.");
}

}  // namespace planbatch
