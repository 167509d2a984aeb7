// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_MULTIPLY_DECL_HPP
#define TRIDENT_MULTIPLY_DECL_HPP

#include <Teuchos_ParameterList.hpp>
#include <Teuchos_RCP.hpp>
#include <Tpetra_CrsMatrix_decl.hpp>
#include <string>

#include "Trident_Report.hpp"
#include "base/Trident_CompiledScalars.hpp"

namespace Trident {

/// Forms C = A·B on the trident grid (doc/algorithm.md).
///
/// A is m × l and B l × n, fill-complete, over one communicator, in any one-to-one row Maps;
/// columns of A meet rows of B by global index. C's row Map is A's or contains it: each rank has
/// its rows of A in their order, and maybe others between, which stay empty. Stored zeros are kept:
/// structure does not depend on values.
///
/// A new C (without entries or pattern) becomes fill-complete with B's domain Map and A's range
/// Map, or C's row Map if that has more rows. Its rows are sorted, and its column Map has the owned
/// domain indices first. C keeps its pattern and its Maps, and becomes fill-complete, if it is
/// fill-complete, or was and got no entries since, or has a constant graph. The product replaces
/// its values, with zeros where it has no entry. An entry of the product outside the pattern is an
/// error; with "MM Throw For Non-Existent Entries" = false such entries are dropped.
///
/// Collective over A's communicator. Throws on every rank, with A and B untouched and C as it was:
/// Trident::Error (a std::runtime_error) for bad input, and where ranks pass other parameters,
/// flags or kinds of C than each other; Teuchos' validation exceptions on ranks whose own
/// parameters are bad.
///
/// One thread of a process may be inside Trident at a time, whatever the communicators and the
/// thread level of MPI: where another is, all ranks of the communicator throw Trident::Error.
/// @param params may hold a sublist "Trident" (see getValidParameters()); of the rest
///               "compute global constants" and "MM Throw For Non-Existent Entries" (bools, true
///               by default) are honoured and everything else left alone
template <class SC, class LO, class GO, class NO>
Impl::ReportFor<SC> Multiply(const Tpetra::CrsMatrix<SC, LO, GO, NO>& A,
                             const Tpetra::CrsMatrix<SC, LO, GO, NO>& B,
                             Tpetra::CrsMatrix<SC, LO, GO, NO>& C,
                             const Teuchos::RCP<Teuchos::ParameterList>& params = Teuchos::null);

/// Forms C = op(A)·op(B) with the signature of Tpetra::MatrixMatrix::Multiply. Rows of a transposed
/// matrix are the indices of its domain Map. No transpose is formed: entries change places on their
/// way to the grid.
/// @param label in the name of the call's timer, "Trident <label>: Multiply"
/// @param call_FillComplete_on_result where false, C is left open (fill is active) and its
///   fillComplete() is the caller's, with domain and range Maps of the caller's choice. A new C is
///   then globally indexed, with the room that it was made with, or that of the product if this is
///   more. To a C with a pattern the product is added, as by insertion.
/// @param params as above. It may have an "importer", which Tpetra left there: where op(A) = A and
///   it does not fit this product, it is removed (removeStaleImporter())
template <class SC, class LO, class GO, class NO>
Impl::ReportFor<SC> Multiply(const Tpetra::CrsMatrix<SC, LO, GO, NO>& A, bool transposeA,
                             const Tpetra::CrsMatrix<SC, LO, GO, NO>& B, bool transposeB,
                             Tpetra::CrsMatrix<SC, LO, GO, NO>& C,
                             bool call_FillComplete_on_result = true,
                             const std::string& label = std::string(),
                             const Teuchos::RCP<Teuchos::ParameterList>& params = Teuchos::null);

}  // namespace Trident

#endif
