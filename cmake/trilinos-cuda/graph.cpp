// SPDX-License-Identifier: BSD-3-Clause
// The graph of strong connections of MueLu on the device. Only the classical criterion with
// smoothed aggregation's measure is compiled: all of them, each with every option, are hundreds of
// kernels, and take a compiler more than half an hour. The others throw.
#include <MueLu_DroppingCommon.hpp>
#include <MueLu_Exceptions.hpp>
#include <Tpetra_Core.hpp>
#include <Tpetra_CrsMatrix.hpp>

namespace MueLu {

/// What stands where a criterion is left out.
struct LeftOut {
  template <class... Arguments>
  static void runDroppingFunctors_on_dlap(Arguments&&...) {
    throw Exceptions::RuntimeError("this MueLu was built without distance Laplacians");
  }
  template <class... Arguments>
  static void runDroppingFunctors_on_A(Arguments&&...) {
    throw Exceptions::RuntimeError("this MueLu was built with smoothed aggregation's measure only");
  }
};

// In place of the headers whose guards these are.
#define MUELU_SCALARDROPPINGDISTANCELAPLACIAN_DECL_HPP
#define MUELU_VECTORDROPPINGDISTANCELAPLACIAN_DECL_HPP
template <class SC, class LO, class GO, class NO, Misc::StrengthMeasure measure>
class ScalarDroppingDistanceLaplacian : public LeftOut {};
template <class SC, class LO, class GO, class NO, Misc::StrengthMeasure measure>
class VectorDroppingDistanceLaplacian : public LeftOut {};

}  // namespace MueLu

#include <MueLu_ScalarDroppingClassical_decl.hpp>
#include <MueLu_VectorDroppingClassical_decl.hpp>

namespace MueLu {

#define LEAVE_OUT(measure)                                                          \
  template <class SC, class LO, class GO, class NO>                                 \
  class ScalarDroppingClassical<SC, LO, GO, NO, Misc::measure> : public LeftOut {}; \
  template <class SC, class LO, class GO, class NO>                                 \
  class VectorDroppingClassical<SC, LO, GO, NO, Misc::measure> : public LeftOut {};
LEAVE_OUT(UnscaledMeasure)
LEAVE_OUT(SignedRugeStuebenMeasure)
LEAVE_OUT(SignedSmoothedAggregationMeasure)

}  // namespace MueLu

#include <MueLu_CoalesceDropFactory_kokkos.hpp>

#include "definitions_graph.hpp"
#define TYPES double, int, long long, Tpetra::Map<>::node_type
template class MueLu::CoalesceDropFactory_kokkos<TYPES>;
