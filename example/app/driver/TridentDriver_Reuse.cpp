// SPDX-License-Identifier: BSD-3-Clause
#include "TridentDriver_Reuse.hpp"

#include <Kokkos_Core.hpp>
#include <TpetraExt_MatrixMatrix.hpp>

#include "TridentProblems_Comm.hpp"
#include "Trident_MultiplyPlan.hpp"
#include "base/Trident_Phase.hpp"

namespace Trident {
namespace Driver {
namespace {

/// Seconds of each of `count` calls, longest over ranks, with what they leave to the device.
template <class Product>
std::vector<double> timeEach(int count, const comm_type& comm, const Product& product) {
  std::vector<double> seconds;
  for (int n = 0; n < count; ++n) {
    Kokkos::fence();
    comm.barrier();
    const double start = Impl::steadySeconds();
    product();
    Kokkos::fence();
    seconds.push_back(Comm(comm).max(Impl::steadySeconds() - start));
  }
  return seconds;
}

}  // namespace

std::vector<double> reuseSeconds(const CommandLine& line, const Problem& problem,
                                 Measurement& measured) {
  using plan_type =
      MultiplyPlan<scalar_type, local_ordinal_type, global_ordinal_type, matrix_type::node_type>;
  const matrix_type &A = *problem.A, &B = *problem.B;
  const auto C = Teuchos::rcp(new matrix_type(A.getRowMap(), 0));
  std::vector<double> seconds;
  if (line.algorithm == "tpetra") {
    const auto multiply = [&] { Tpetra::MatrixMatrix::Multiply(A, false, B, false, *C); };
    multiply();
    seconds = timeEach(line.reuse, *A.getComm(), multiply);
  } else {
    const plan_type plan(A, B, *C, tridentParameters(line));
    seconds = timeEach(line.reuse, *A.getComm(), [&] { plan.multiply(A, B, *C); });
  }
  measured.C = C;
  return seconds;
}

}  // namespace Driver
}  // namespace Trident
