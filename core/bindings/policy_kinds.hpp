// How policies are bound that are made from an order and a few parameters.
#pragma once
#include "../orders/order.hpp"
#include "../policies/policy.hpp"
#include "arrays.hpp"

namespace planbatch {

// A policy whose first parameter is the order of the queue.
template <template <std::size_t> class Made, class... Parameters>
void bind_ordered(nb::module_& m, const char* name, const char* about, const std::same_as<nb::arg> auto&... parameters) {
    bind_value<PolicyOf<Made, std::shared_ptr<const QueueOrder>, Parameters...>, PolicyKind>(m, name, about, "order"_a, parameters...);
}

}  // namespace planbatch
