// The parameters of an annealing; see planbatch.planner.optimizers.annealing.
#pragma once
#include <cmath>
#include <vector>

#include "../numbers.hpp"

namespace planbatch {

struct Setting {
    double hottest, coldest, cooling, moves, growth;  // temperatures, and evaluations at each
    double swap, near, large, front, eject, block;    // probabilities of kinds of moves
    bool per_job;                                     // temperatures are relative to the cost of one job
    bool by_start;                                    // accepted permutations become the order of their starts
    std::size_t front_jobs;                           // jobs in the first front
    bool tournaments;                                 // the whole queue is searched in tournaments, and by beams

    // Of one cycle of so many evaluations, one at each temperature.
    Setting one_cycle(std::size_t evaluations) const {
        Setting cycle = *this;
        cycle.moves = 1.0, cycle.cooling = std::pow(coldest / hottest, 1.0 / double(evaluations));
        return cycle;
    }

    static constexpr std::size_t fields = 15;
    static Setting of(std::span<const double> p) {
        return {p[0], p[1], p[2], p[3], p[4], p[5], p[6], p[7], p[8], p[9], p[10], p[11] > 0.0, p[12] > 0.0, std::size_t(p[13]), p[14] > 0.0};
    }
    std::vector<double> numbers() const {
        return {hottest, coldest, cooling, moves, growth, swap, near, large, front, eject, block, double(per_job), double(by_start), double(front_jobs), double(tournaments)};
    }
};

}  // namespace planbatch
