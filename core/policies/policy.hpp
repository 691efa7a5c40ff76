// What decides a round: writes a start for each waiting job, or `never` for none.
#pragma once
#include <memory>
#include <tuple>
#include <vector>

#include "../random.hpp"
#include "../round.hpp"

namespace planbatch {

// What a policy that searches reports of a round.
struct Report {
    double seed_cost = not_a_number;  // of the best first plan
    double cost = not_a_number;       // of the plan
    std::int64_t evaluations = 0;     // plans evaluated after the first ones
};

// What a policy writes. `start` is `never` everywhere at first; `policy_state` is what the policy stored per job in the
// round before, `never` if nothing.
struct Decision {
    std::span<std::int64_t> start, policy_state;
};

// A policy at work: it belongs to one replay, and may keep buffers, but nothing that a later round depends on.
class Policy {
  public:
    virtual ~Policy() = default;
    virtual Report decide(const Round& round, Decision decision) = 0;
    // The jobs that have a start in the last plan, ascending, if all of them start now; null if the policy does not list them.
    virtual const std::vector<std::size_t>* starting() const { return nullptr; }
};

// A kind of policy with its parameters, from which policies are made for machines with so many resources. It is shared
// by replays in several threads.
class PolicyKind {
  public:
    virtual ~PolicyKind() = default;
    virtual std::unique_ptr<Policy> make(std::size_t width, const Random& rng) const = 0;
};

// Calls `f` with the number of resources as a constant: 1, 2 or std::dynamic_extent.
template <class F>
decltype(auto) with_width(std::size_t width, F&& f) {
    if (width == 1) return f(std::integral_constant<std::size_t, 1>{});
    if (width == 2) return f(std::integral_constant<std::size_t, 2>{});
    return f(std::integral_constant<std::size_t, std::dynamic_extent>{});
}

// A kind of policy that is made from copies of its parameters, and of a generator if it wants one: Made<K>(parameters…).
template <template <std::size_t> class Made, class... Parameters>
class PolicyOf : public PolicyKind {
  public:
    // Throws if the policy does.
    explicit PolicyOf(Parameters... parameters) : parameters_(std::move(parameters)...) { PolicyOf::make(1, Random{}); }
    auto arguments() const {
        return std::apply([](const auto&... parameters) { return std::tie(parameters...); }, parameters_);
    }
    std::unique_ptr<Policy> make(std::size_t width, const Random& rng) const override {
        return with_width(width, [&](auto k) -> std::unique_ptr<Policy> {
            using MadeForWidth = Made<decltype(k)::value>;
            constexpr bool draws = std::is_constructible_v<MadeForWidth, const Parameters&..., const Random&>;
            return std::apply([&](const auto&... parameters) {
                if constexpr (draws) return std::make_unique<MadeForWidth>(parameters..., rng);
                else return std::make_unique<MadeForWidth>(parameters...);
            }, parameters_);
        });
    }

  private:
    std::tuple<Parameters...> parameters_;
};

}  // namespace planbatch
