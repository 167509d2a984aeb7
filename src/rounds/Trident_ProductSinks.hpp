// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_PRODUCTSINKS_HPP
#define TRIDENT_PRODUCTSINKS_HPP

#include <functional>
#include <optional>
#include <string>

#include "Trident_Error.hpp"
#include "base/Trident_Names.hpp"
#include "kernels/Trident_LocalMultiply.hpp"
#include "kernels/Trident_NumericProduct.hpp"
#include "kernels/Trident_SemiringProduct_decl.hpp"
#include "matrix/Trident_LocalMatrix.hpp"
#include "matrix/Trident_MultiplyAdds.hpp"
#include "matrix/Trident_SortRows.hpp"
#include "rounds/Trident_RoundCounters.hpp"

namespace Trident::Impl {

/// The fused operands of one batch of rounds, which a rank multiplies.
template <class Scalar, class Device>
struct BatchOperands {
  LocalMatrix<Scalar, Device> a, tile;
};

/// The sizes of a rank's operands of all rounds together. They are known before the operands exist.
struct OperandSizes {
  long long entriesA, rowsB, entriesB;
};

/// A sink that gets the operands of each batch of rounds, in the order of batches, and makes C. All
/// functions but end() are local. If defer() is called, it is called on all ranks.
template <class Scalar, class Device>
class ProductSink {
 public:
  using Matrix = LocalMatrix<Scalar, Device>;

  virtual ~ProductSink() = default;
  /// Returns true if a mask decides which entries of the product are formed.
  virtual bool masked() const { return false; }
  /// Returns true if all rounds must be one batch, whatever options.fuseRounds and
  /// options.memoryBytes say. Such a sink multiplies by the same tile of B several times.
  virtual bool inOneBatch() const { return false; }
  /// Takes the rules by which rows of the left factor are read. Called only if the left factor has
  /// no copy on the grid. Throws if the sink cannot use the rules.
  virtual void readBy(const RowReading<Scalar, Device>& reading) {
    static_cast<void>(reading);
    throw Error("this product reads the rows of its left factor as they are");
  }
  /// Gets the number of batches, before the memory of the rounds is allocated. The number is equal
  /// on all ranks, so the function throws on all ranks or on none.
  virtual void expect(std::size_t batches) { static_cast<void>(batches); }
  /// Returns true if wouldDefer() may return true on some rank. Equal on all ranks.
  virtual bool mayDefer() const { return false; }
  /// Returns true if this rank wants to put its product off until the rounds are over. May throw,
  /// because ranks agree on failures later.
  virtual bool wouldDefer(const OperandSizes& sizes) const {
    static_cast<void>(sizes);
    return false;
  }
  /// Puts the product off until the rounds are over. Called on all ranks if wouldDefer() is true on
  /// one rank, because this rank would otherwise wait for ranks that multiply in the rounds.
  virtual void defer() {}
  /// Takes the operands of a batch. Only SumsOrOperands and ProductPieces keep them after the call.
  /// @param turns function to call often during a long product, to move transfers on; may be empty
  virtual void add(const Matrix& a, const Matrix& tile, const std::function<void()>& turns) = 0;
  /// Does the work that remains after the rounds, while the last operands still exist. Called on
  /// every rank. May communicate.
  /// @param formed true if add() got all operands, because neither this rank nor its node failed
  virtual void end(bool formed) { static_cast<void>(formed); }
  /// Returns the kernel's name, for reports of a product that had nothing to multiply.
  virtual std::string kernelName() const = 0;
};

/// A sink that has C when the rounds are over, unless the product is put off.
template <class Scalar, class Device>
class ProductSum : public ProductSink<Scalar, Device> {
 public:
  using typename ProductSink<Scalar, Device>::Matrix;

  /// Returns C with sorted rows. Throws if the sink has no C.
  virtual Matrix sum() const = 0;
};

/// A sink that adds up the products of all batches to C.
template <class Scalar, class Device>
class PartialSums final : public ProductSum<Scalar, Device> {
 public:
  using typename ProductSink<Scalar, Device>::Matrix;

  /// @param counters counters that get multiply-adds, seconds and the names of kernels
  /// @param mask mask of the entries to form, or null to form all entries
  /// @param kept null, or memory that products with the same tile use one after another. A product
  ///   may overwrite the C of the product before. Must be null if there is a mask
  PartialSums(const KernelOptions& options, RoundCounters& counters,
              const LocalMask<Device>* mask = nullptr,
              ProductMemory<Scalar, Device>* kept = nullptr)
      : options_(options), counters_(counters), mask_(mask), kept_(kept) {}

  void readBy(const RowReading<Scalar, Device>& reading) override { reading_ = reading; }

  void add(const Matrix& a, const Matrix& tile, const std::function<void()>& turns) override {
    Matrix partial;
    {
      const PhaseScope scope(counters_.seconds, Phase::LocalMultiply);
      ProgressHook progressHook;
      progressHook.between = turns;
      const CountedProduct<Scalar, Device> product =
          ordinary() && !mask_ ? multiplyLocal(a, tile, options_, progressHook, kept_, reading())
                               : overSemiring(a, tile, progressHook);
      note(product.multiplyAdds < 0 ? countMultiplyAdds(a, tile) : product.multiplyAdds);
      counters_.blockRows += product.blockRows;
      Kokkos::fence();
      partial = product.C;
    }
    const PhaseScope scope(counters_.seconds, Phase::Accumulate);
    if (!ownKernel(kernel())) sortRows(partial);
    C_ = first_ ? partial : sumOf(C_, partial);
    first_ = false;
    Kokkos::fence();
  }
  Matrix sum() const override { return C_; }
  bool masked() const override { return mask_ != nullptr; }
  std::string kernelName() const override { return nameOf(kernel()); }

 private:
  CountedProduct<Scalar, Device> overSemiring(const Matrix& a, const Matrix& tile,
                                              const ProgressHook& progressHook) const {
    if constexpr (sumsAreWider<Scalar>)
      return multiplyLocal(a, tile, options_, progressHook, kept_);
    else
      return semiringProduct(a, tile, mask_, options_, progressHook);
  }

  const RowReading<Scalar, Device>* reading() const { return reading_ ? &*reading_ : nullptr; }

  void note(long long multiplyAdds) {
    counters_.multiplyAdds += multiplyAdds;
    if (multiplyAdds > 0) nameKernel(nameOf(kernel()));
  }

  KernelKind kernel() const { return formingKernel<Scalar, Device>(options_, mask_ != nullptr); }
  bool ordinary() const { return options_.semiring == SemiringKind::PlusTimes; }

  Matrix sumOf(const Matrix& a, const Matrix& b) const {
    if constexpr (sumsAreWider<Scalar>)
      throw Error("products of this scalar are formed in one batch of rounds");
    else
      return ordinary() ? addLocal(a, b) : semiringSum(a, b, options_);
  }

  /// Notes the name of each kernel once, in the order in which they ran.
  void nameKernel(const std::string& name) {
    std::string& names = counters_.kernel;
    if (names.find(name) == std::string::npos) names += (names.empty() ? "" : " and ") + name;
  }

  KernelOptions options_;
  RoundCounters& counters_;
  const LocalMask<Device>* mask_;
  ProductMemory<Scalar, Device>* kept_;
  std::optional<RowReading<Scalar, Device>> reading_;
  bool first_ = true;
  Matrix C_;
};

/// A sink that overwrites the values of a C whose structure is known. Never calls add()'s `turns`.
template <class Scalar, class Device>
class NumericSums final : public ProductSum<Scalar, Device> {
 public:
  using typename ProductSink<Scalar, Device>::Matrix;

  /// @param C matrix to overwrite; on devices its rows must be sorted by column
  /// @param planned facts from products of the same structures, or null; must outlive this object
  /// @param waits true if add() waits for its kernels. If false, only kernels may use C and the
  ///   operands until the caller waits. The kernels' time then counts in the caller's phase
  NumericSums(const Matrix& C, RoundCounters& counters,
              PlannedWork<Scalar, Device>* planned = nullptr, bool waits = true)
      : C_(C), counters_(counters), planned_(planned), waits_(waits) {}

  void expect(std::size_t batches) override { oneBatch_ = batches == 1; }

  void readBy(const RowReading<Scalar, Device>& reading) override { reading_ = reading; }

  void add(const Matrix& a, const Matrix& tile, const std::function<void()>&) override {
    const PhaseScope scope(counters_.seconds, Phase::LocalMultiply);
    const NumericWork work = numericProduct(a, tile, C_, !first_, reading_ ? &*reading_ : nullptr,
                                            oneBatch_ ? planned_ : nullptr);
    if (planned_)
      counters_.multiplyAdds = planned_->multiplyAdds;
    else
      counters_.multiplyAdds +=
          work.multiplyAdds < 0 ? countMultiplyAdds(a, tile) : work.multiplyAdds;
    counters_.blockRows += work.blockRows;
    strays_ += work.strays;
    first_ = false;
    if (waits_) Kokkos::fence();
  }
  /// Returns C. Throws if multiply-adds fell outside C's structure.
  Matrix sum() const override {
    if (strays_ > 0)
      throw Error(std::to_string(strays_) +
                  " multiply-adds fall outside the planned structure of C; make a new plan for "
                  "factors of another structure");
    return C_;
  }
  std::string kernelName() const override { return "numeric"; }

 private:
  Matrix C_;
  RoundCounters& counters_;
  PlannedWork<Scalar, Device>* const planned_;
  const bool waits_;
  std::optional<RowReading<Scalar, Device>> reading_;
  bool first_ = true, oneBatch_ = false;
  long long strays_ = 0;
};

/// A PartialSums that can put the product off until the rounds are over, if there is one batch. All
/// ranks put the product off, or none. If they do, the operands exist as long as the Rounds object.
/// Devices gain time, because they can find C's columns before they multiply. Hosts gain nothing.
template <class Scalar, class Device>
class SumsOrOperands final : public ProductSum<Scalar, Device> {
 public:
  using typename ProductSink<Scalar, Device>::Matrix;
  /// A rule that returns true if a rank with operands of these sizes wants to put its product off.
  using DeferRule = std::function<bool(const OperandSizes&)>;

  SumsOrOperands(const DeferRule& defers, const KernelOptions& options, RoundCounters& counters)
      : defers_(defers), options_(options), counters_(counters), sums_(options, counters) {}

  /// Sets the reading of A. After this call no product is put off.
  void readBy(const RowReading<Scalar, Device>& reading) override {
    defers_ = {};
    sums_.readBy(reading);
  }
  void expect(std::size_t batches) override {
    oneBatch_ = batches == 1;
    isDeferred_ = false;
  }
  bool mayDefer() const override { return static_cast<bool>(defers_); }
  bool wouldDefer(const OperandSizes& sizes) const override {
    return oneBatch_ && defers_ && defers_(sizes);
  }
  void defer() override { isDeferred_ = true; }
  void add(const Matrix& a, const Matrix& tile, const std::function<void()>& turns) override {
    if (!isDeferred_) return sums_.add(a, tile, turns);
    operands_ = {a, tile};
  }
  Matrix sum() const override { return sums_.sum(); }
  std::string kernelName() const override { return sums_.kernelName(); }

  /// Returns true if all ranks put the product off. Then there are operands(), but no sum().
  bool isDeferred() const { return isDeferred_; }
  const BatchOperands<Scalar, Device>& operands() const { return operands_; }
  /// Returns a·tile. The factors may be copies of the operands, with other column numbers. Local;
  /// may throw on this rank alone. Adds the time of this product to counters.multiplySeconds.
  Matrix multiply(const Matrix& a, const Matrix& tile) const {
    const double before = localSeconds();
    PartialSums<Scalar, Device> sums(options_, counters_);
    sums.add(a, tile, {});
    for (RoundTimes& times : counters_.times)
      times.multiplied = steadySeconds() - counters_.roundsBegan;
    counters_.multiplySeconds += localSeconds() - before;
    return sums.sum();
  }

 private:
  double localSeconds() const {
    return counters_.seconds[Phase::LocalMultiply] + counters_.seconds[Phase::Accumulate];
  }

  DeferRule defers_;
  KernelOptions options_;
  RoundCounters& counters_;
  PartialSums<Scalar, Device> sums_;
  BatchOperands<Scalar, Device> operands_;
  bool oneBatch_ = false, isDeferred_ = false;
};

}  // namespace Trident::Impl

#endif
