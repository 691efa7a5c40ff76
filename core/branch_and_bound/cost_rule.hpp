// How a branch and bound adds up the terms of jobs, and when a plan counts as better.
#pragma once
#include <algorithm>

#include "../numbers.hpp"

namespace planbatch {

struct CostRule {
    bool largest;         // whether the largest term counts instead of the sum
    int power;            // of the terms, 1 or 2
    double slack;         // to subtract from a bound for rounding errors
    double step;          // the least amount by which a better plan is better
    double least_weight;  // the smallest weight that is not zero; 0 if all are

    static CostRule of(bool largest, int power, double slack, double step, Reals weights) {
        double least = infinity;
        for (const double weight : weights)
            if (weight > 0.0) least = std::min(least, weight);
        return {largest, power, slack, step, least == infinity ? 0.0 : least};
    }

    double combine(double so_far, double each) const { return largest ? std::max(so_far, each) : so_far + each; }
    // The least possible term of a job that starts at least `late` seconds after its origin.
    double least_term(double late) const {
        const double seconds = std::max(0.0, late);
        return least_weight * (power == 2 ? seconds * seconds : seconds);
    }
};

}  // namespace planbatch
