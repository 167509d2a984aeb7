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
/// A is m × l and B is l × n. Both are fill-complete, over one communicator, and have one-to-one
/// row Maps. Columns of A meet rows of B by global index. C's row Map must have A's rows on the
/// same ranks and in the same order. Further rows may lie between them, and stay empty. Stored
/// zeros are kept, so structure does not depend on values.
///
/// A new C (without entries or pattern) becomes fill-complete. Its domain Map is B's. Its range Map
/// is A's, or C's row Map if that has more rows. Its rows are sorted, and its column Map has the
/// owned domain indices first.
///
/// A C keeps its pattern and its Maps if it is fill-complete, if it was fill-complete and got no
/// entries since, or if it has a constant graph. Such a C becomes fill-complete, too. The product
/// replaces its values. An entry that the product lacks becomes zero. An entry of the product
/// outside the pattern is an error; with "MM Throw For Non-Existent Entries" = false it is dropped.
///
/// Collective over A's communicator. Throws on every rank, with A, B and C unchanged:
/// Trident::Error (a std::runtime_error) for bad input, and if parameters, flags or the kind of C
/// differ between ranks. Ranks whose own parameters are bad throw Teuchos' validation exceptions.
///
/// One thread of a process may be inside Trident at a time, whatever the communicators and the
/// thread level of MPI. If another thread is inside, all ranks throw Trident::Error.
/// @param params may hold a sublist "Trident" (see getValidParameters()). Beside it, only "compute
///   global constants" and "MM Throw For Non-Existent Entries" (bools, true by default) are read
template <class SC, class LO, class GO, class NO>
Impl::ReportFor<SC> Multiply(const Tpetra::CrsMatrix<SC, LO, GO, NO>& A,
                             const Tpetra::CrsMatrix<SC, LO, GO, NO>& B,
                             Tpetra::CrsMatrix<SC, LO, GO, NO>& C,
                             const Teuchos::RCP<Teuchos::ParameterList>& params = Teuchos::null);

/// Forms C = op(A)·op(B) with the signature of Tpetra::MatrixMatrix::Multiply. Rows of a transposed
/// matrix are the indices of its domain Map. No transpose is formed, because entries change places
/// on their way to the grid.
/// @param label part of the name of the call's timer, "Trident <label>: Multiply"
/// @param call_FillComplete_on_result if false, C is left open (fill is active). The caller must
///   then call C.fillComplete() with domain and range Maps. If C has no pattern, it is then
///   globally indexed. Its rows keep their room, or get more if the product needs it. If C has a
///   pattern, the product is then added to C, as by insertion
/// @param params as in the first Multiply(). If A is not transposed, an "importer" that Tpetra left
///   in the list is removed if it does not fit the product (removeStaleImporter())
template <class SC, class LO, class GO, class NO>
Impl::ReportFor<SC> Multiply(const Tpetra::CrsMatrix<SC, LO, GO, NO>& A, bool transposeA,
                             const Tpetra::CrsMatrix<SC, LO, GO, NO>& B, bool transposeB,
                             Tpetra::CrsMatrix<SC, LO, GO, NO>& C,
                             bool call_FillComplete_on_result = true,
                             const std::string& label = std::string(),
                             const Teuchos::RCP<Teuchos::ParameterList>& params = Teuchos::null);

}  // namespace Trident

#endif
