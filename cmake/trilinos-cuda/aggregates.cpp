// SPDX-License-Identifier: BSD-3-Clause
// Aggregation of MueLu: uncoupled, on the device where its parameters say so.
#include <MueLu_UncoupledAggregationFactory.hpp>
#include <Tpetra_Core.hpp>
#include <Tpetra_CrsMatrix.hpp>

#include "definitions_aggregates.hpp"
template class MueLu::UncoupledAggregationFactory<int, long long, Tpetra::Map<>::node_type>;
