// What a plan-based policy searches for, from the arguments that Python gives.
#pragma once
#include "../policies/plan_based.hpp"

namespace planbatch {

inline Setting checked_setting(const std::vector<double>& numbers) {
    if (numbers.size() != Setting::fields) throw std::invalid_argument("setting: another number of fields");
    return Setting::of(numbers);
}
inline void check_first_plans(Column numbers) {
    for (const std::int64_t number : numbers)
        if (number < 0 || number > std::int64_t(FirstOrder::expected_slowdown)) throw std::invalid_argument("first plans: no such number");
}
inline PlanSearch plan_search(std::shared_ptr<const Objective> objective, const std::vector<double>& setting, std::vector<std::int64_t> first_plans,
                              std::size_t evaluations, bool promised, std::size_t scenarios, double risk) {
    check_first_plans(first_plans);
    return {std::move(objective), checked_setting(setting), std::move(first_plans), evaluations, promised, scenarios, risk};
}

}  // namespace planbatch
