// Searches over permutations: what optimizers in Python build on, and annealing.
#include <variant>

#include "../annealing/annealing.hpp"
#include "../permutation.hpp"
#include "../policies/policy.hpp"
#include "bindings.hpp"
#include "owned_round.hpp"
#include "plan_search.hpp"

namespace planbatch {
namespace {

// A search with all that it looks at, for machines with any number of resources.
class OwnedSearch {
  public:
    OwnedSearch(const OwnedRound& round, std::shared_ptr<Objective> objective, std::shared_ptr<Scenarios> scenarios, const std::vector<double>& setting, bool relaxes)
        : round_(round), objective_(std::move(objective)), scenarios_(std::move(scenarios)), anneals_(!setting.empty()) {
        if (!round_.size()) throw std::invalid_argument("round: no job waits");
        const Setting chosen = anneals_ ? checked_setting(setting) : Setting{};
        const Round view = round_.view();
        if (scenarios_) scenarios_->check(view);
        if (view.width() == 1 && is_narrow(view)) annealing_.emplace<Annealing<1, std::int32_t>>();
        else with_width(view.width(), [&](auto k) { annealing_.emplace<Annealing<k(), std::int64_t>>(); });
        without_gil([&] {
            std::visit([&](auto& annealing) { annealing.begin(view, *objective_, scenarios_.get(), chosen, relaxes); }, annealing_);
        });
    }

    // What `f` returns of the annealing.
    template <class F>
    auto read(F f) const {
        return std::visit(f, annealing_);
    }
    // What `f` returns of the annealing, while other threads may run Python.
    template <class F>
    auto compute(F f) {
        return without_gil([&] { return std::visit(f, annealing_); });
    }

    // The same for moves, which begin with an order.
    template <class F>
    auto move(F f) {
        if (!(cost() < infinity)) throw std::invalid_argument("search: no first plans have been tried");
        return compute(f);
    }

    bool try_first_plans(const Ints& numbers) {
        check_first_plans(column(numbers));
        return compute([&](auto& annealing) { return annealing.search().try_first_plans(column(numbers)); });
    }
    double evaluate(const Ints& order) {
        const Order checked = reader_.read(column(order), round_.size());
        return compute([&](auto& annealing) {
            std::copy(checked.begin(), checked.end(), annealing.search().trial_order().begin());
            return annealing.search().try_order();
        });
    }
    double planned_cost(const Ints& order, const Ints& start) {
        const Order checked = reader_.read(column(order), round_.size());
        if (start.size() != round_.size()) throw std::invalid_argument("start: not one per waiting job");
        return compute([&](auto& annealing) { return annealing.search().evaluator().planned_cost(checked, column(start)); });
    }
    bool advance(std::size_t evaluations, const Generator& generator, double seconds) {
        const Clock clock(seconds);
        if (!anneals_) throw std::invalid_argument("setting: none to anneal by");
        Random rng = random_of(generator);
        const GeneratorLock lock(generator);
        return move([&](auto& annealing) { return annealing.advance(evaluations, rng, clock); });
    }
    double cost() const {
        return read([](const auto& annealing) { return annealing.search().cost(); });
    }
    const std::shared_ptr<Objective>& objective() const { return objective_; }

  private:
    const OwnedRound& round_;
    std::shared_ptr<Objective> objective_;
    std::shared_ptr<Scenarios> scenarios_;
    bool anneals_;  // without a setting the stages would never end
    std::variant<Annealing<1, std::int32_t>, Annealing<1, std::int64_t>, Annealing<2, std::int64_t>, Annealing<std::dynamic_extent, std::int64_t>> annealing_;
    PermutationReader reader_;
};

}  // namespace

void bind_searches(nb::module_& m) {
    const auto reads = [](auto f) { return [f](const OwnedSearch& self) { return self.read(f); }; };
    const auto computes = [](auto f) { return [f](OwnedSearch& self) { return self.compute(f); }; };
    const auto moves = [](auto f) { return [f](OwnedSearch& self) { return self.move(f); }; };
    nb::class_<OwnedSearch>(m, "OrderSearch", sharing<OwnedSearch>([](const OwnedSearch& self, auto visit) { visit(self.objective()); }),
                           "A search over the permutations of a round: evaluates orders, and anneals.")
        .def(nb::init<const OwnedRound&, std::shared_ptr<Objective>, std::shared_ptr<Scenarios>, std::vector<double>, bool>(), "round"_a, "objective"_a,
             "scenarios"_a.none(), "setting"_a, "relaxes"_a = true, nb::keep_alive<1, 2>())
        .def("try_first_plans", &OwnedSearch::try_first_plans, "numbers"_a, "Decode first plans; False if a cost is not a finite number.")
        .def("evaluate", &OwnedSearch::evaluate, "order"_a, "The cost of an order: infinite if it breaks a promise, NaN if it is not a finite number.")
        .def("soonest_cost", computes([](auto& annealing) { return annealing.search().evaluator().soonest_cost(); }), "The cost if every job could start now.")
        .def("planned_cost", &OwnedSearch::planned_cost, "order"_a, "start"_a, "The cost of the plan that an order was decoded to, whatever was promised.")
        .def("enumerate", computes([](auto& annealing) { return annealing.enumerate(); }), "Evaluate all permutations; False if a cost is not a finite number.")
        .def("advance", &OwnedSearch::advance, "evaluations"_a, "generator"_a, "seconds"_a = infinity,
             "Anneal for so many evaluations or seconds; False if a cost is not a finite number.")
        .def("end_stage", moves([](auto& annealing) { return annealing.end_stage(); }), "Take over what the stage found; False if its cost is not a finite number.")
        .def("justify", moves([](auto& annealing) { return annealing.justify(annealing.search().start(), annealing.search().cost()); }),
             "Justify the plan for as long as it gets better; False if a cost is not a finite number.")
        .def("all_start_now", reads([](const auto& annealing) { return annealing.all_start_now(); }))
        .def("proven", reads([](const auto& annealing) { return annealing.proven(); }), "Whether the plan is proven to be optimal.")
        .def_prop_ro("order", reads([](const auto& annealing) { return copy_out(annealing.search().order()); }))
        .def_prop_ro("start", reads([](const auto& annealing) { return copy_out(annealing.search().start()); }))
        .def_prop_ro("trial", reads([](const auto& annealing) { return copy_out(annealing.search().trial()); }))
        .def_prop_ro("evaluations", reads([](const auto& annealing) { return annealing.evaluations(); }), "Evaluations of annealing so far.")
        .def_prop_ro("cost", &OwnedSearch::cost);
    m.def("orders_to_try", [](std::size_t jobs, std::size_t evaluations) { return Annealing<1, std::int64_t>::orders_to_try(jobs, evaluations); },
          "jobs"_a, "evaluations"_a, "The number of permutations if a budget allows trying them all, else 0.");
}

}  // namespace planbatch
