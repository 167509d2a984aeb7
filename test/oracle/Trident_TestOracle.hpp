// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_TESTORACLE_HPP
#define TRIDENT_TESTORACLE_HPP

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "Trident_TestMatrices.hpp"
#include "Trident_TestVerdict.hpp"

/// \file Trident_TestOracle.hpp
/// The product that should come out, found without Trident and without Tpetra's products, and
/// checks that answer with a text: empty where all is well.

namespace TridentTest {

/// A dense product: values, which entries exist (structure never looks at values), the product of
/// the moduli as the unit of rounding error, and the multiply-adds.
struct Expected {
  int m, n;
  std::vector<double> value, bound;
  std::vector<int> terms;
  long long multiplyAdds = 0;

  Expected(const Sparse& A, const Sparse& B);
  long long entries() const;
  Sparse sparse() const;
};

Sparse identity(int n);
/// Returns a matrix as a product: with the identity.
Expected itself(const Sparse& a);

/// Returns the first problem of any rank, on every rank. Collective.
std::string everywhere(const Teuchos::Comm<int>& comm, const std::string& problem);

/// Returns true if all ranks say yes. Collective.
bool onAll(const Teuchos::Comm<int>& comm, bool mine);

/// Returns the entries of this rank's rows by (row GID, column GID).
std::map<std::pair<GO, GO>, double> entriesOf(const matrix_type& C);

bool sameValue(double value, double expected, double bound, bool exact);

/// Checks positions and values of C's entries on this rank. Local.
std::string checkEntries(const matrix_type& C, const Expected& expected, const Indices& rows,
                         const Indices& cols, bool exact);

/// Checks the order of C's column Map, and the order in its rows. Collective.
std::string checkColumns(const matrix_type& C);

/// Checks C's importer, which is made of what is known, against the one that Tpetra finds.
/// Collective.
std::string checkImporter(const matrix_type& C);

/// Checks the Maps of C, its column Map's order, its importer, and the order in its rows.
/// Collective.
std::string checkForm(const matrix_type& A, const matrix_type& B, const matrix_type& C);

/// Makes y of a vector on a Map, from values by place.
vector_type vectorOf(const MapPtr& map, const Indices& indices, const std::vector<double>& x);

/// Checks C x against the dense product and against Tpetra's A (B x). Collective.
std::string checkApply(const matrix_type& A, const matrix_type& B, const matrix_type& C,
                       const Expected& expected, const Indices& rows, const Indices& cols,
                       bool exact);

/// Returns true if Tpetra can form A·B. On several ranks 13.2 reads out of bounds if A's domain Map
/// is not B's row Map, as it then fetches no rows of B. It throws ("status of matrix importers is
/// nonsensical") if B has no columns.
bool tpetraCan(const matrix_type& A, const matrix_type& B);

/// Checks C against Tpetra's product T. On hosts Tpetra 13.2 leaves out what comes from stored
/// zeros of A alone, so C may have more entries: zeros. Collective.
std::string checkAgainstTpetra(const matrix_type& A, bool transA, const matrix_type& B, bool transB,
                               const matrix_type& C, bool exact);

/// All bits of a matrix on this rank, and its Maps.
class Snapshot {
 public:
  explicit Snapshot(const matrix_type& A);
  /// Returns the parts that have changed; an empty text if nothing has. Local.
  std::string changes() const;

 private:
  const matrix_type& A_;
  std::vector<const void*> maps_;
  std::string bits_;
};

}  // namespace TridentTest

#endif
