// The jobs of a plan that end after their deadlines.
#pragma once
#include <vector>

#include "../objectives/deadline.hpp"
#include "../random.hpp"
#include "../round.hpp"

namespace planbatch {

class LateJobs {
  public:
    // If not `active`, there are none.
    void prepare(const Round& round, bool active) {
        jobs_ = round.jobs, active_ = active;
        places_.clear();
    }
    // Looks at the plan of an order; the job in the first place cannot move forward.
    void find(Order order, Column start) {
        if (!active_) return;
        places_.clear();
        for (std::size_t place = 1; place < order.size(); ++place)
            if (lateness_of(start, jobs_, std::size_t(order[place])) > 0) places_.push_back(place);
    }
    bool empty() const { return places_.empty(); }
    // The place of one of them in that order: of two, the one that is later by more.
    std::size_t draw(Order order, Column start, Random& rng) const {
        const auto place = [&] { return places_[std::size_t(double(places_.size()) * rng.draw())]; };
        const auto lateness = [&](std::size_t at) { return lateness_of(start, jobs_, std::size_t(order[at])); };
        const std::size_t one = place(), other = place();
        return lateness(other) > lateness(one) ? other : one;
    }

  private:
    JobTable jobs_{};
    bool active_ = false;
    std::vector<std::size_t> places_;
};

}  // namespace planbatch
