// One job's term of an objective: weight · max(0, start − origin)^power, with the power 1 or 2.
#pragma once

namespace planbatch {

struct Term {
    double weight, origin;  // the origin in the same time as starts (s)
    int power;

    double at(double start) const {
        const double late = start - origin;
        if (late <= 0.0) return 0.0;
        return power == 2 ? weight * late * late : weight * late;
    }
};

}  // namespace planbatch
