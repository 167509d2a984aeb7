// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_SUMMARIZEREPORT_HPP
#define TRIDENT_SUMMARIZEREPORT_HPP

#include <mpi.h>

#include "Trident_Report.hpp"

namespace Trident::Impl {

/// Sums a report over the ranks, as the public summarize() does. Collective over `comm`. For
/// callers that have no Teuchos::Comm: to make one is a collective of Teuchos' own.
ReportSummary summarize(const Report& report, MPI_Comm comm);

}  // namespace Trident::Impl

#endif
