// What takes the place of requests in what schedulers see: predicted run times, and corrections of those outlived.
#pragma once
#include <algorithm>
#include <cstdint>

namespace planbatch {

// What a job is believed to take once it has outlived its prediction; at most its request, but for the last.
enum class Corrector : std::int64_t {
    incremental,  // the prediction and 1, 5, 15, 30 min, 1, 2, 5, 10, 20, 50, 100 h, the first that is enough
    doubling,     // the prediction, doubled until it is enough
    request,
    at_start,         // the request, as soon as it runs: only waiting jobs are planned by predictions
    doubling_beyond,  // as doubling, beyond the request if need be
};

inline std::int64_t corrected(Corrector corrector, std::int64_t predicted, std::int64_t elapsed, std::int64_t request) {
    std::int64_t seconds = request;
    if (corrector == Corrector::incremental) {
        for (const std::int64_t minutes : {1, 5, 15, 30, 60, 120, 300, 600, 1200, 3000, 6000})
            if (predicted + 60 * minutes > elapsed) {
                seconds = predicted + 60 * minutes;
                break;
            }
    } else if (corrector == Corrector::doubling || corrector == Corrector::doubling_beyond) {
        seconds = 2 * predicted;
        while (seconds <= elapsed) seconds *= 2;
        if (corrector == Corrector::doubling_beyond) return seconds;
    }
    return std::min(seconds, request);
}

}  // namespace planbatch
