// What a plan-based policy searches for, from the arguments that Python gives.
#pragma once
#include "../policies/plan_based.hpp"

namespace planbatch {

inline PlanSearch plan_search(std::shared_ptr<Objective> objective, const std::vector<double>& setting, std::vector<std::int64_t> first_plans,
                              std::size_t evaluations, bool promised, std::size_t scenarios, double risk) {
    if (setting.size() != Setting::fields) throw std::invalid_argument("setting: another number of fields");
    for (const std::int64_t number : first_plans)
        if (number < 0 || number > std::int64_t(FirstOrder::expected_slowdown)) throw std::invalid_argument("first plans: no such number");
    return {std::move(objective), Setting::of(setting), std::move(first_plans), evaluations, promised, scenarios, risk};
}

}  // namespace planbatch
