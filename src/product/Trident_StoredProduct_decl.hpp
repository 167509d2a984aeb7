// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_STOREDPRODUCT_DECL_HPP
#define TRIDENT_STOREDPRODUCT_DECL_HPP

#include <Teuchos_ParameterList.hpp>
#include <Teuchos_RCP.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "Trident_Report.hpp"
#include "tpetra/Trident_CheckInput.hpp"
#include "tpetra/Trident_Operand.hpp"

namespace Trident::Impl {

/// A call of a public function, in whose name a stored product is formed.
template <class SC, class LO, class GO, class NO>
struct StoredCall {
  const char* function;  ///< "Trident::Multiply"
  std::vector<Operand<SC, LO, GO, NO>> operands;
  Tpetra::CrsMatrix<SC, LO, GO, NO>* C;
  std::string name;       ///< of C, for messages
  ResultPattern allowed;  ///< of C
  std::string label;      ///< the caller's; times "Trident <label>: <timer>" where it is not empty
  const char* timer;
  Teuchos::RCP<Teuchos::ParameterList> params;
  /// What is done once the product is there; may be empty. Collective.
  std::function<void()> then;
};

/// A plan that holds no matrix of the caller's and serves any fitting result: of plans by
/// themselves, whose owner knows which structures they are for. Ending one is as of MultiplyPlan.
template <class SC, class LO, class GO, class NO>
class StoredProduct {
 public:
  using Call = StoredCall<SC, LO, GO, NO>;
  using Words = std::vector<std::uint64_t>;

  virtual ~StoredProduct() = default;

  /// Forms a product of the structure of the first one; C is new, on a row Map like that of the
  /// first C, or has the first one's structure. Collective; throws on every rank, C's values
  /// unchanged.
  virtual Report form(const Call& call) const = 0;
  /// Of the first product.
  virtual const Report& report() const = 0;
  /// Gives away what tells the structure of its results (StructureWords); none where this rank
  /// lacked memory for it.
  virtual Words takeResult() = 0;
  /// Whether a new result can still be made: false where somebody has changed the columns of one
  /// that shares them. Local; reads them once.
  virtual bool makesResults() const = 0;
  /// Of what it keeps on this rank.
  virtual std::size_t bytes() const = 0;
};

/// Forms the product of a call into its C, which may have a pattern, and stores it. Collective, as
/// the public function; throws as that, C as it was.
template <class SC, class LO, class GO, class NO>
std::unique_ptr<StoredProduct<SC, LO, GO, NO>> storeProduct(const StoredCall<SC, LO, GO, NO>& call);

}  // namespace Trident::Impl

#endif
