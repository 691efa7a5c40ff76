// Online linear regression by the normalised adaptive gradient: Algorithm 2 (NAG) of Ross, Mineiro, Langford:
// "Normalized Online Learning" (UAI 2013).
//
// An error is asymmetric: weight · e² if too much was predicted, weight · |e| if too little. There is a penalty on the
// squares of the weights. All numbers stand in the state of a history.
#pragma once
#include <cmath>

#include "../numbers.hpp"

namespace planbatch {

class NormalizedRegression {
  public:
    // How many numbers it needs: N and t of the algorithm; then weights, scales and sums of squared gradients.
    static constexpr std::size_t numbers(std::size_t features) { return 2 + 3 * features; }

    NormalizedRegression(std::span<double> numbers, std::size_t features)
        : total_(numbers[0]), time_(numbers[1]), weight_(numbers.subspan(2, features)),
          scale_(numbers.subspan(2 + features, features)), squares_(numbers.subspan(2 + 2 * features, features)) {}

    // w · x.
    double value(Reals x) const {
        double total = 0.0;
        for (std::size_t i = 0; i < x.size(); ++i) total += weight_[i] * x[i];
        return total;
    }
    // Learns one example.
    void learn(Reals x, double value, double weight) {
        if (time_ == 0.0) time_ = 1.0;
        for (std::size_t i = 0; i < x.size(); ++i) normalize(x[i], i);
        const double error = this->value(x) - value;
        const double slope = error > 0.0 ? 2.0 * weight * error : error < 0.0 ? -weight : 0.0;
        for (std::size_t i = 0; i < x.size(); ++i) descend(slope * x[i] + penalty * weight_[i], i);
        time_ += 2.0;
    }

  private:
    static constexpr double penalty = 4e9, rate = 5000.0;
    double &total_, &time_;
    std::span<double> weight_, scale_, squares_;

    // The scale of a feature is the largest that it has been: sᵢ ← |xᵢ|, wᵢ ← wᵢ · sᵢ / |xᵢ|; N ← N + Σ (xᵢ / sᵢ)².
    void normalize(double x, std::size_t i) {
        const double size = std::abs(x);
        if (size > scale_[i]) {
            weight_[i] *= scale_[i] / size;
            scale_[i] = size;
        }
        if (scale_[i] > 0.0) total_ += (x / scale_[i]) * (x / scale_[i]);
    }
    // Gᵢ ← Gᵢ + gᵢ², wᵢ ← wᵢ − η · gᵢ / (sᵢ · √(N · Gᵢ / t)).
    void descend(double gradient, std::size_t i) {
        squares_[i] += gradient * gradient;
        if (squares_[i] > 0.0) weight_[i] -= rate * gradient / (std::sqrt(total_ * squares_[i] / time_) * scale_[i]);
    }
};

}  // namespace planbatch
