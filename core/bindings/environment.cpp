// Decisions one by one: plans that are made job by job, and the environment for reinforcement learning.
#include "../simulation/environment.hpp"
#include "bindings.hpp"
#include "owned_simulation.hpp"
#include "owned_round.hpp"

namespace planbatch {
namespace {

using Seen = Tuple<SingleArray, SingleArray, ByteArray>;

Seen seen_by(const StepwisePlan& plan, Observation&& o) {
    return nb::make_tuple(array_of<float>(std::move(o.jobs), {plan.visible(), StepwisePlan::job_features}),
                          array_of<float>(std::move(o.machine), {StepwisePlan::machine_features}),
                          array_of<std::uint8_t>(std::move(o.mask), {plan.visible() + 1}));
}

std::size_t checked(std::size_t visible) {
    if (visible < 1 || visible > 100'000) throw std::invalid_argument("visible: not from 1 to 100,000 jobs");
    return visible;
}

// The plan of one round.
class OwnedStepwisePlan {
  public:
    OwnedStepwisePlan(const OwnedRound& round, std::size_t visible) : plan_(checked(visible)) { plan_.begin(round.view()); }
    bool is_open() const { return plan_.is_open(); }
    Seen observe() const { return seen_by(plan_, plan_.observe()); }
    void place(std::size_t i) {
        if (!plan_.may_place(i)) throw std::invalid_argument("job " + std::to_string(i) + " is no visible job without a start");
        plan_.place(i);
    }
    IntArray start() { return copy_out(Column(plan_.start())); }

  private:
    StepwisePlan plan_;
};

class OwnedEnvironment {
  public:
    OwnedEnvironment(OwnedSimulation& simulation, std::size_t visible, const Floats& penalty)
        : penalty_(checked(simulation, penalty)), environment_(simulation.simulation(), planbatch::checked(visible), penalty_) {}
    bool is_over() const { return environment_.is_over(); }
    Seen observe() const { return seen_by(environment_.plan(), environment_.observe()); }
    double step(std::size_t action) {
        if (!environment_.is_allowed(action)) throw std::invalid_argument("action " + std::to_string(action) + " is not allowed here: see the mask");
        return environment_.step(action);
    }

  private:
    std::vector<double> penalty_;
    Environment environment_;

    static std::vector<double> checked(OwnedSimulation& simulation, const Floats& penalty) {
        if (penalty.size() != simulation.simulation().start().size()) throw std::invalid_argument("penalty: not one per job");
        return copy_of(penalty);
    }
};

}  // namespace

void bind_environment(nb::module_& m) {
    nb::class_<OwnedStepwisePlan>(m, "StepwisePlan", "A plan that is made job by job.")
        .def(nb::init<const OwnedRound&, std::size_t>(), "round"_a, "visible"_a, nb::keep_alive<1, 2>())
        .def_prop_ro("is_open", &OwnedStepwisePlan::is_open, "Whether a visible job could start now.")
        .def_prop_ro("start", &OwnedStepwisePlan::start)
        .def("observe", &OwnedStepwisePlan::observe, "Features of the visible jobs and of the machine, and which decisions are allowed.")
        .def("place", &OwnedStepwisePlan::place, "job"_a, "Place a visible job at its earliest start.");
    nb::class_<OwnedEnvironment>(m, "Environment", "A replay as a sequence of decisions with rewards.")
        .def(nb::init<OwnedSimulation&, std::size_t, const Floats&>(), "simulation"_a, "visible"_a, "penalty"_a, nb::keep_alive<1, 2>())
        .def_prop_ro("is_over", &OwnedEnvironment::is_over)
        .def("observe", &OwnedEnvironment::observe)
        .def("step", &OwnedEnvironment::step, "action"_a, "Take a decision; return the reward until the next one.");
    m.attr("JOB_FEATURES") = StepwisePlan::job_features;
    m.attr("MACHINE_FEATURES") = StepwisePlan::machine_features;
}

}  // namespace planbatch
