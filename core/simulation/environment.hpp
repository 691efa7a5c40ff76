// A replay as a sequence of decisions with rewards, for reinforcement learning.
#pragma once
#include "simulation.hpp"
#include "stepwise_plan.hpp"

namespace planbatch {

class Environment {
  public:
    // `penalty`: what a second of each job's wait costs.
    Environment(Simulation& simulation, std::size_t visible, Reals penalty)
        : simulation_(simulation), plan_(visible), penalty_(penalty) {
        advance();
        next_decision();
    }

    bool is_over() const { return over_; }
    const StepwisePlan& plan() const { return plan_; }
    Observation observe() const { return plan_.observe(); }
    bool is_allowed(std::size_t action) const {
        if (over_) return false;
        return action == plan_.visible() ? plan_.may_end() : plan_.may_place(action);
    }
    // Takes a decision that is allowed, and moves to the next one; returns the reward of the time in between.
    double step(std::size_t action) {
        if (action == plan_.visible()) return end_round();
        plan_.place(action);
        return plan_.is_open() ? 0.0 : end_round();
    }

  private:
    Simulation& simulation_;
    StepwisePlan plan_;
    Reals penalty_;
    bool over_ = false;

    double end_round() {
        const double reward = carry_out();
        return reward + next_decision();
    }
    // Goes through the rounds that offer no decision.
    double next_decision() {
        double reward = 0;
        while (!over_) {
            plan_.begin(simulation_.round());
            if (plan_.is_open()) break;
            reward += carry_out();
        }
        return reward;
    }
    double carry_out() {
        const std::int64_t now = simulation_.now();
        if (simulation_.commit(plan_.start(), Report{}) != Status::carried_out) throw std::logic_error("environment: the plan is not feasible");
        double penalty = 0;
        for (const std::int64_t job : simulation_.waiting_jobs()) penalty += penalty_[std::size_t(job)];
        advance();
        return -penalty * double(simulation_.now() - now);
    }
    void advance() {
        const Status status = simulation_.advance();
        if (status == Status::stuck) throw std::runtime_error("environment: jobs wait, and nothing will ever happen");
        over_ = status == Status::finished;
    }
};

}  // namespace planbatch
