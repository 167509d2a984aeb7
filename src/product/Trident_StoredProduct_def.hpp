// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_STOREDPRODUCT_DEF_HPP
#define TRIDENT_STOREDPRODUCT_DEF_HPP

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "Trident_Error.hpp"
#include "base/Trident_Agreement.hpp"
#include "base/Trident_Threads.hpp"
#include "base/Trident_Wait.hpp"
#include "product/Trident_Product.hpp"
#include "product/Trident_RepeatedProduct.hpp"
#include "product/Trident_StoredProduct_decl.hpp"
#include "tpetra/Trident_Fingerprint.hpp"
#include "tpetra/Trident_StructureWords.hpp"

namespace Trident::Impl {

/// What a new matrix on C's row Map has, as a product for C's pattern. Local, but for `failure`.
template <class SC, class LO, class GO, class NO>
ExportedMatrix<SC, LO, GO, NO> forPattern(const Tpetra::CrsMatrix<SC, LO, GO, NO>& product,
                                          LocalFailure& failure) {
  ExportedMatrix<SC, LO, GO, NO> exported;
  exported.columns.map = product.getColMap();
  failure.guard([&] {
    const auto local = localMatrixOf(product);
    exported.local.offsets = local.graph.row_map;
    exported.local.values = local.values;
    // A copy, as commitToPattern() uses them up.
    exported.local.columns = uninitialized<int, typename NO::device_type>(
        "Trident::columns", local.graph.entries.extent(0));
    Kokkos::deep_copy(exported.local.columns, local.graph.entries);
  });
  return exported;
}

template <class SC, class LO, class GO, class NO>
class RepeatedAndStored : public StoredProduct<SC, LO, GO, NO> {
  using Base = StoredProduct<SC, LO, GO, NO>;
  using Matrix = Tpetra::CrsMatrix<SC, LO, GO, NO>;

 public:
  using Call = typename Base::Call;
  using Words = typename Base::Words;

  /// Forms the product of a call. Collective.
  RepeatedAndStored(const Call& call, const Options& options) {
    Matrix& C = *call.C;
    if (isNew(C)) {
      formFirst(call, C, options);
    } else {
      Matrix product(C.getRowMap(), 0);
      formFirst(call, product, options);
      LocalFailure failure;
      const auto exported = forPattern(product, failure);
      commitToPattern(exported, true, C, failure);
    }
    if (call.then) call.then();
  }

  Report form(const Call& call) const override {
    const ThreadInside inside;
    const LabelTimer timed(call.label, call.timer);
    const TimeoutScope timeout(product_->timeoutSeconds());
    return inNameOf(call.function, [&] {
      const auto begin = [&](const auto& takeMemory) {
        const auto check = [&](CommonValues& values) {
          addCommonValues(call.operands, *call.C, call.name, values);
          return std::string();
        };
        checkArguments(rawComm(*call.C->getComm()), call.function, check, [&] {
          takeMemory();
          return false;
        });
      };
      const Report report = product_->form(call.operands, *call.C, begin);
      if (call.then) call.then();
      return report;
    });
  }

  const Report& report() const override { return product_->report(); }
  Words takeResult() override { return std::move(result_); }
  bool makesResults() const override {
    if constexpr (isHost<typename NO::device_type>) {
      const auto& rows = product_->rows();
      return hashArray<typename NO::device_type>("Trident::fingerprintColumns", rows.columns) ==
             columns_;
    }
    return true;  // by its own copies
  }
  std::size_t bytes() const override { return bytes_; }

 private:
  void formFirst(const Call& call, Matrix& C, const Options& options) {
    product_.emplace(call.operands, C, options, call.params, true);
    LocalFailure failure;
    failure.guard([&] {
      StructureWords<Matrix> words;
      words.add(C);
      result_ = words.take();
      columns_ = result_.at(3);
      bytes_ = product_->bytes();
    });
    if (failure.failed()) result_.clear();  // fits no C
  }

  std::optional<RepeatedProduct<SC, LO, GO, NO>> product_;
  Words result_;
  std::uint64_t columns_ = 0;  // hash of the result's
  std::size_t bytes_ = 0;
};

template <class SC, class LO, class GO, class NO>
std::unique_ptr<StoredProduct<SC, LO, GO, NO>> storeProduct(
    const StoredCall<SC, LO, GO, NO>& call) {
  const ThreadInside inside;
  const LabelTimer timed(call.label, call.timer);
  return inNameOf(call.function, [&] {
    const Options options = checkCall(ProductCall<SC, LO, GO, NO>{
        call.function, call.C, call.name, call.allowed, call.params, true, {}, call.operands});
    const TimeoutScope timeout(options.timeoutSeconds);
    return std::make_unique<RepeatedAndStored<SC, LO, GO, NO>>(call, options);
  });
}

}  // namespace Trident::Impl

#define TRIDENT_STOREDPRODUCT_INSTANT(SC, LO, GO, NO)                      \
  template std::unique_ptr<::Trident::Impl::StoredProduct<SC, LO, GO, NO>> \
  Trident::Impl::storeProduct<SC, LO, GO, NO>(const StoredCall<SC, LO, GO, NO>&);

#endif
