// Searches over permutations: what optimizers in Python build on, and annealing.
#include "../annealing/annealing.hpp"
#include "../permutation.hpp"
#include "../policies/policy.hpp"
#include "bindings.hpp"
#include "owned_round.hpp"

namespace planbatch {
namespace {

// Without the number of resources in its type.
class Search {
  public:
    virtual ~Search() = default;
    virtual bool try_first_plans(Column numbers) = 0;
    virtual double evaluate(Order order) = 0;
    virtual double soonest_cost() = 0;
    virtual double planned_cost(Order order, Column start) = 0;
    virtual Order order() const = 0;
    virtual Column start() const = 0;
    virtual Column trial() const = 0;
    virtual double cost() const = 0;
    virtual bool all_start_now() const = 0;
    virtual bool proven() const = 0;
    virtual bool enumerate() = 0;
    virtual bool advance(std::size_t evaluations, Random& rng, const Clock& clock) = 0;
    virtual std::size_t evaluations() const = 0;
    virtual bool end_stage() = 0;
};

template <std::size_t K, class Number>
class SearchOf : public Search {
  public:
    SearchOf(const Round& round, const Objective& objective, const Scenarios* scenarios, const Setting& setting, bool relaxes) {
        annealing_.begin(round, objective, scenarios, setting, relaxes);
    }
    bool try_first_plans(Column numbers) override { return annealing_.search().try_first_plans(numbers); }
    double evaluate(Order order) override {
        auto& search = annealing_.search();
        std::copy(order.begin(), order.end(), search.trial_order().begin());
        return search.try_order();
    }
    double soonest_cost() override { return annealing_.search().evaluator().soonest_cost(); }
    double planned_cost(Order order, Column start) override { return annealing_.search().evaluator().planned_cost(order, start); }
    Order order() const override { return search().order(); }
    Column start() const override { return search().start(); }
    Column trial() const override { return search().trial(); }
    double cost() const override { return search().cost(); }
    bool all_start_now() const override { return annealing_.all_start_now(); }
    bool proven() const override { return annealing_.proven(); }
    bool enumerate() override { return annealing_.enumerate(); }
    bool advance(std::size_t evaluations, Random& rng, const Clock& clock) override { return annealing_.advance(evaluations, rng, clock); }
    std::size_t evaluations() const override { return annealing_.evaluations(); }
    bool end_stage() override { return annealing_.end_stage(); }

  private:
    Annealing<K, Number> annealing_;
    const OrderSearch<K, Number>& search() const { return annealing_.search(); }
};

// A search with all that it looks at.
class HeldSearch {
  public:
    HeldSearch(nb::object round, std::shared_ptr<Objective> objective, std::shared_ptr<Scenarios> scenarios, const std::vector<double>& setting, bool relaxes)
        : round_object_(std::move(round)), round_(as_round(round_object_)), objective_(std::move(objective)), scenarios_(std::move(scenarios)), anneals_(!setting.empty()) {
        if (!round_.size()) throw std::invalid_argument("round: no job waits");
        if (!setting.empty() && setting.size() != Setting::fields) throw std::invalid_argument("setting: another number of fields");
        const Setting chosen = setting.empty() ? Setting{} : Setting::of(setting);
        const Round view = round_.view();
        if (scenarios_) scenarios_->check(view);
        without_gil([&] {
            if (view.width() == 1 && is_narrow(view)) search_ = made<1, std::int32_t>(view, chosen, relaxes);
            else with_width(view.width(), [&](auto k) { search_ = made<k(), std::int64_t>(view, chosen, relaxes); });
        });
    }

    bool try_first_plans(const Ints& numbers) {
        for (const std::int64_t number : column(numbers))
            if (number < 0 || number > std::int64_t(FirstOrder::expected_slowdown)) throw std::invalid_argument("first plans: no such number");
        return without_gil([&] { return search_->try_first_plans(column(numbers)); });
    }
    double evaluate(const Ints& order) {
        const Order checked = reader_.read(column(order), round_.size());
        return without_gil([&] { return search_->evaluate(checked); });
    }
    double soonest_cost() { return without_gil([&] { return search_->soonest_cost(); }); }
    double planned_cost(const Ints& order, const Ints& start) {
        const Order checked = reader_.read(column(order), round_.size());
        if (start.size() != round_.size()) throw std::invalid_argument("start: not one per waiting job");
        return without_gil([&] { return search_->planned_cost(checked, column(start)); });
    }
    bool enumerate() { return without_gil([&] { return search_->enumerate(); }); }
    bool end_stage() { require_order(); return without_gil([&] { return search_->end_stage(); }); }
    bool advance(std::size_t evaluations, const Generator& generator, double seconds) {
        const Clock clock(seconds);
        require_order();
        if (!anneals_) throw std::invalid_argument("setting: none to anneal by");
        Random rng = random_of(generator);
        const GeneratorLock lock(generator);
        return without_gil([&] { return search_->advance(evaluations, rng, clock); });
    }
    const Search& search() const { return *search_; }
    const std::shared_ptr<Objective>& objective() const { return objective_; }

  private:
    nb::object round_object_;
    const OwnedRound& round_;
    std::shared_ptr<Objective> objective_;
    std::shared_ptr<Scenarios> scenarios_;
    bool anneals_;  // without a setting the stages would never end
    std::unique_ptr<Search> search_;
    PermutationReader reader_;

    static const OwnedRound& as_round(nb::handle round) {
        if (!nb::isinstance<OwnedRound>(round)) throw nb::type_error("round: not one of the core");
        return nb::cast<const OwnedRound&>(round);
    }
    // Moves begin with an order.
    void require_order() const {
        if (!(search_->cost() < infinity)) throw std::invalid_argument("search: no first plans have been tried");
    }
    template <std::size_t K, class Number>
    std::unique_ptr<Search> made(const Round& round, const Setting& setting, bool relaxes) const {
        return std::make_unique<SearchOf<K, Number>>(round, *objective_, scenarios_.get(), setting, relaxes);
    }
};

}  // namespace

void bind_searches(nb::module_& m) {
    nb::class_<HeldSearch>(m, "OrderSearch", sharing<HeldSearch>([](const HeldSearch& self, auto visit) { visit(self.objective()); }),
                           "A search over the permutations of a round: evaluates orders, and anneals.")
        .def(nb::init<nb::object, std::shared_ptr<Objective>, std::shared_ptr<Scenarios>, std::vector<double>, bool>(), "round"_a, "objective"_a,
             "scenarios"_a.none(), "setting"_a, "relaxes"_a = true,
             nb::sig("def __init__(self, round: Round, objective: Objective, scenarios: Scenarios | None, setting: collections.abc.Sequence[float], relaxes: bool = True) -> None"))
        .def("try_first_plans", &HeldSearch::try_first_plans, "numbers"_a, "Decode first plans; False if a cost is not a finite number.")
        .def("evaluate", &HeldSearch::evaluate, "order"_a, "The cost of an order: infinite if it breaks a promise, NaN if it is not a finite number.")
        .def("soonest_cost", &HeldSearch::soonest_cost, "The cost if every job could start now.")
        .def("planned_cost", &HeldSearch::planned_cost, "order"_a, "start"_a, "The cost of the plan that an order was decoded to, whatever was promised.")
        .def("enumerate", &HeldSearch::enumerate, "Evaluate all permutations; False if a cost is not a finite number.")
        .def("advance", &HeldSearch::advance, "evaluations"_a, "generator"_a, "seconds"_a = infinity,
             "Anneal for so many evaluations or seconds; False if a cost is not a finite number.")
        .def("end_stage", &HeldSearch::end_stage, "Take over what the stage found; False if its cost is not a finite number.")
        .def("all_start_now", [](const HeldSearch& self) { return self.search().all_start_now(); })
        .def("proven", [](const HeldSearch& self) { return self.search().proven(); }, "Whether the plan is proven to be optimal.")
        .def_prop_ro("order", [](const HeldSearch& self) { return copy_out(self.search().order()); })
        .def_prop_ro("start", [](const HeldSearch& self) { return copy_out(self.search().start()); })
        .def_prop_ro("trial", [](const HeldSearch& self) { return copy_out(self.search().trial()); })
        .def_prop_ro("evaluations", [](const HeldSearch& self) { return self.search().evaluations(); }, "Evaluations of annealing so far.")
        .def_prop_ro("cost", [](const HeldSearch& self) { return self.search().cost(); });
    m.def("orders_to_try", [](std::size_t jobs, std::size_t evaluations) { return Annealing<1, std::int64_t>::orders_to_try(jobs, evaluations); },
          "jobs"_a, "evaluations"_a, "The number of permutations if a budget allows trying them all, else 0.");
}

}  // namespace planbatch
