// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_SUMMARIZEREPORT_HPP
#define TRIDENT_SUMMARIZEREPORT_HPP

#include <mpi.h>

#include "Trident_Report.hpp"

namespace Trident::Impl {

/// Sums a report over the ranks, as the public summarize() does, but needs no Teuchos::Comm, whose
/// construction is a collective call of Teuchos. Collective over `comm`.
ReportSummary summarize(const Report& report, MPI_Comm comm);

}  // namespace Trident::Impl

#endif
