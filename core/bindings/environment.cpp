// Decisions one by one: plans that are made job by job, and the environment for reinforcement learning.
#include "../simulation/environment.hpp"
#include "bindings.hpp"
#include "held_simulation.hpp"
#include "owned_round.hpp"

namespace planbatch {
namespace {

using Seen = Tuple<SingleArray, SingleArray, ByteArray>;

Seen seen_by(const StepwisePlan& plan, Observation&& o) {
    return nb::make_tuple(array_of<float>(std::move(o.jobs), {plan.shown(), StepwisePlan::job_features}),
                          array_of<float>(std::move(o.machine), {StepwisePlan::machine_features}),
                          array_of<std::uint8_t>(std::move(o.mask), {plan.shown() + 1}));
}

std::size_t checked(std::size_t shown) {
    if (shown < 1 || shown > 100'000) throw std::invalid_argument("shown: not from 1 to 100,000 jobs");
    return shown;
}

// The plan of one round.
class HeldPlan {
  public:
    HeldPlan(const OwnedRound& round, std::size_t shown) : plan_(checked(shown)) { plan_.begin(round.view()); }
    bool is_open() const { return plan_.is_open(); }
    Seen observe() const { return seen_by(plan_, plan_.observe()); }
    void place(std::size_t i) {
        if (!plan_.may_place(i)) throw std::invalid_argument("job " + std::to_string(i) + " is no shown job without a start");
        plan_.place(i);
    }
    IntArray start() { return copy_out(Column(plan_.start())); }

  private:
    StepwisePlan plan_;
};

class HeldEnvironment {
  public:
    HeldEnvironment(HeldSimulation& simulation, std::size_t shown, const Floats& penalty)
        : penalty_(checked(simulation, penalty)), environment_(simulation.simulation(), planbatch::checked(shown), penalty_) {}
    bool is_over() const { return environment_.is_over(); }
    Seen observe() const { return seen_by(environment_.plan(), environment_.observe()); }
    double step(std::size_t action) {
        if (!environment_.is_allowed(action)) throw std::invalid_argument("action " + std::to_string(action) + " is not allowed here: see the mask");
        return environment_.step(action);
    }

  private:
    std::vector<double> penalty_;
    Environment environment_;

    static std::vector<double> checked(HeldSimulation& simulation, const Floats& penalty) {
        if (penalty.size() != simulation.simulation().start().size()) throw std::invalid_argument("penalty: not one per job");
        return copy_of(penalty);
    }
};

}  // namespace

void bind_environment(nb::module_& m) {
    nb::class_<HeldPlan>(m, "StepwisePlan", "A plan that is made job by job.")
        .def(nb::init<const OwnedRound&, std::size_t>(), "round"_a, "shown"_a, nb::keep_alive<1, 2>())
        .def_prop_ro("is_open", &HeldPlan::is_open, "Whether a shown job could start now.")
        .def_prop_ro("start", &HeldPlan::start)
        .def("observe", &HeldPlan::observe, "Features of the shown jobs and of the machine, and which decisions are allowed.")
        .def("place", &HeldPlan::place, "job"_a, "Place a shown job at its earliest start.");
    nb::class_<HeldEnvironment>(m, "Environment", "A replay as a sequence of decisions with rewards.")
        .def(nb::init<HeldSimulation&, std::size_t, const Floats&>(), "simulation"_a, "shown"_a, "penalty"_a, nb::keep_alive<1, 2>())
        .def_prop_ro("is_over", &HeldEnvironment::is_over)
        .def("observe", &HeldEnvironment::observe)
        .def("step", &HeldEnvironment::step, "action"_a, "Take a decision; return the reward until the next one.");
    m.attr("JOB_FEATURES") = StepwisePlan::job_features;
    m.attr("MACHINE_FEATURES") = StepwisePlan::machine_features;
}

}  // namespace planbatch
