// SPDX-License-Identifier: BSD-3-Clause
#include "dropin/Trident_DropInLife.hpp"

#include <mpi.h>

#include "base/Trident_Mpi.hpp"
#include "dropin/Trident_DropInPlans.hpp"
#include "dropin/Trident_DropInReport.hpp"
#include "exchange/Trident_Context.hpp"

namespace Trident::Impl {
namespace {

/// MPI deletes the attributes of MPI_COMM_SELF before all else that it ends.
int endNow(MPI_Comm, int, void*, void*) {
  endReport(countsOfPlans());
  endPlans();
  Context::releaseAll();
  return MPI_SUCCESS;
}

bool setEnd() {
  int key = MPI_KEYVAL_INVALID;
  TRIDENT_MPI_CHECK(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, endNow, &key, nullptr));
  TRIDENT_MPI_CHECK(MPI_Comm_set_attr(MPI_COMM_SELF, key, nullptr));
  return true;
}

}  // namespace

void endWithMpi() {
  static const bool set = setEnd();
  static_cast<void>(set);
}

}  // namespace Trident::Impl
