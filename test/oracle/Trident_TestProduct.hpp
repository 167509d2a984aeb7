// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_TESTPRODUCT_HPP
#define TRIDENT_TESTPRODUCT_HPP

#include "Trident_Multiply.hpp"
#include "Trident_TestOracle.hpp"

/// \file Trident_TestProduct.hpp
/// A random product with random Maps and parameters, and everything that must hold for it.

namespace TridentTest {

struct Sizes {
  int m, l, n;
};

Sizes randomSizes(Random& random);

int gcd(int a, int b);

/// Draws parameters that fit `ranks` ranks; `shape` becomes the grid if one is asked for.
Teuchos::RCP<Teuchos::ParameterList> randomParameters(Random& random, int ranks, int& lambda,
                                                      std::string& shape);

/// Checks of what the report says against the dense product. Collective.
std::string checkReport(const Trident::Report& report, const Sparse& A, const Sparse& B,
                        const Expected& expected, int lambda, const std::string& shape,
                        const Teuchos::Comm<int>& comm);

/// The promises of a product, in the order in which checkProduct() looks at them.
enum class Promise { Call, Form, RowMap, Entries, Operands, Count, Report, Apply, Tpetra };

/// Returns a promise in words.
const char* nameOf(Promise promise);

/// Checks all of a product's promises. Returns the first one broken and what breaks it, as text on
/// every rank. Collective.
std::string checkProduct(const matrix_type& A, const Sparse& a, const matrix_type& B,
                         const Sparse& b, const Indices& rows, const Indices& cols,
                         const Teuchos::RCP<Teuchos::ParameterList>& params, bool exact,
                         int lambda = 0, const std::string& shape = "");

/// Checks the random product of a seed. Returns the promise that is broken, by what, the product,
/// and how to run it again; an empty text if all is well. Collective.
std::string checkRandomProduct(std::uint64_t seed, const CommPtr& comm);

}  // namespace TridentTest

#endif
