// The parts of the module; each is bound in a file of its own.
#pragma once
#include <nanobind/nanobind.h>

namespace planbatch {

void bind_rounds(nanobind::module_& m);
void bind_objectives(nanobind::module_& m);
void bind_orders(nanobind::module_& m);
void bind_histories(nanobind::module_& m);
void bind_searches(nanobind::module_& m);
void bind_policies(nanobind::module_& m);
void bind_rollouts(nanobind::module_& m);
void bind_queue_policies(nanobind::module_& m);
void bind_simulation(nanobind::module_& m);
void bind_environment(nanobind::module_& m);
void bind_bounds(nanobind::module_& m);
void bind_branch_and_bound(nanobind::module_& m);

}  // namespace planbatch
