// What plans cost. An objective sees starts, jobs and the time; the lower the cost, the better.
#pragma once
#include <cmath>

#include "../user_history/history.hpp"

namespace planbatch {

class Objective {
  public:
    virtual ~Objective() = default;
    // `start` has a start for every job (s). Must be safe to call from several threads.
    virtual double cost(Column start, const JobTable& jobs, std::int64_t now) const = 0;
    // A second criterion, in the units of the cost: where many plans cost the same, searches that ask for it descend
    // the sum of both.
    virtual bool has_guide() const { return false; }
    virtual double guide(Column, const JobTable&, std::int64_t) const { return 0.0; }
    // The same in the first cycle of a search. Short searches, as in replays, have no other.
    virtual double first_guide(Column start, const JobTable& jobs, std::int64_t now) const { return guide(start, jobs, now); }
    // A cost that adds up over jobs, for beams to search in place of this one; itself if there is none.
    virtual const Objective& surrogate() const { return *this; }
    // The first of lexicographic objectives; else itself.
    virtual const Objective& leading() const { return *this; }
    // Whether it counts jobs that end after their deadlines.
    virtual bool uses_deadlines() const { return false; }
    // Whether the start of a job makes a difference to the cost.
    virtual bool counts(const JobTable&, std::size_t) const { return true; }
    // What it needs to know of the past of users; null for nothing.
    virtual std::shared_ptr<const History> history() const { return nullptr; }
};

// An objective returned a cost that is not a finite number.
class CostNotFinite : public std::domain_error {
  public:
    CostNotFinite() : std::domain_error("a cost that is not a finite number") {}
};

// Σ term(i) of whole numbers. In four parts, since one sum waits for the one before; sums of whole numbers below 2^53
// are exact in any order, and beyond it the terms are summed in the order of the jobs.
template <class Term>
double sum_of_whole_numbers(std::size_t n, Term term) {
    double part[4] = {0.0, 0.0, 0.0, 0.0};
    std::size_t i = 0;
    for (; i + 4 <= n; i += 4)
        for (std::size_t k = 0; k < 4; ++k) part[k] += term(i + k);
    for (; i < n; ++i) part[0] += term(i);
    double total = (part[0] + part[1]) + (part[2] + part[3]);
    if (!(total < 9007199254740992.0)) {
        total = 0.0;
        for (i = 0; i < n; ++i) total += term(i);
    }
    return total;
}

// Σ term(i), summed in the order of the jobs.
template <class Term>
double sum_of(std::size_t n, Term term) {
    double total = 0.0;
    for (std::size_t i = 0; i < n; ++i) total += term(i);
    return total;
}

inline double mean_of(double total, std::size_t n) { return total / double(std::max<std::size_t>(n, 1)); }

// The mean of a term that depends on the job and its start alone.
template <double (*term)(Column start, const JobTable& jobs, std::size_t i)>
class MeanOf : public Objective {
  public:
    double cost(Column start, const JobTable& jobs, std::int64_t) const override {
        return mean_of(sum_of(start.size(), [&](std::size_t i) { return term(start, jobs, i); }), start.size());
    }
};

inline bool keeps_promises(Column start, Column latest) {
    for (std::size_t i = 0; i < start.size(); ++i)
        if (start[i] > latest[i]) return false;
    return true;
}

}  // namespace planbatch
