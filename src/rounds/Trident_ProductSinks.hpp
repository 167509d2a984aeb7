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

/// The sizes of the operands of one batch of all rounds on a rank, before they are there.
struct OperandSizes {
  long long entriesA, rowsB, entriesB;
};

/// Takes the operands of a rank's batches of rounds, in their order, and makes C of them. Each call
/// is local; defer() comes on all ranks or on none.
template <class Scalar, class Device>
class ProductSink {
 public:
  using Matrix = LocalMatrix<Scalar, Device>;

  virtual ~ProductSink() = default;
  /// Returns true if a mask decides which entries of the product are formed.
  virtual bool masked() const { return false; }
  /// Returns true if all rounds are to be one batch, whatever options.fuseRounds and
  /// options.memoryBytes say: B then travels once, however often its tile is multiplied.
  virtual bool inOneBatch() const { return false; }
  /// Takes the reading of a left factor whose rows stay stored (readsRows()); without it rows are
  /// read as they are. Throws if the sink cannot.
  virtual void readBy(const RowReading<Scalar, Device>& reading) {
    static_cast<void>(reading);
    throw Error("this product reads the rows of its left factor as they are");
  }
  /// Takes the number of batches, before memory is taken for them. The number is the same on every
  /// rank, and so is an exception for it.
  virtual void expect(std::size_t batches) { static_cast<void>(batches); }
  /// Returns true if this rank would put its product off until the rounds are over. Asked before
  /// memory is agreed upon; may throw.
  virtual bool wouldDefer(const OperandSizes& sizes) const {
    static_cast<void>(sizes);
    return false;
  }
  /// Puts the product off, as all ranks do if one would: others would wait for ranks that multiply
  /// first.
  virtual void defer() {}
  /// Takes the factors of a·tile. Only SumsOrOperands and ProductPieces use them after it returns.
  /// @param turns to be called now and then during a long product; may be empty
  virtual void add(const Matrix& a, const Matrix& tile, const std::function<void()>& turns) = 0;
  /// Ends the rounds, while the operands stand. Called on every rank, and may communicate.
  /// @param formed true if it has got all operands: neither this rank nor its node has failed
  virtual void end(bool formed) { static_cast<void>(formed); }
  /// Returns the name of the kernel of a product that had nothing to multiply.
  virtual std::string kernelName() const = 0;
};

/// A sink that multiplies: it has C when the rounds are over.
template <class Scalar, class Device>
class ProductSum : public ProductSink<Scalar, Device> {
 public:
  using typename ProductSink<Scalar, Device>::Matrix;

  /// Returns C, rows sorted. Throws if a sink has none.
  virtual Matrix sum() const = 0;
};

/// Adds the products of all batches: C is their sum.
template <class Scalar, class Device>
class PartialSums final : public ProductSum<Scalar, Device> {
 public:
  using typename ProductSink<Scalar, Device>::Matrix;

  /// @param counters get multiply-adds, seconds and the names of kernels
  /// @param mask which entries are formed; null: all
  /// @param kept for products of the same tile, of one batch each: what sum() gives of one may be
  ///   overwritten by the next. May be null; not with a mask
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

  /// Names each kernel once, in the order they ran in.
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

/// Overwrites the values of a C whose structure is known. The products take no turns.
template <class Scalar, class Device>
class NumericSums final : public ProductSum<Scalar, Device> {
 public:
  using typename ProductSink<Scalar, Device>::Matrix;

  /// @param C its structure; on devices with rows sorted by column
  /// @param planned null, or of products of these very structures; outlives this
  /// @param waits false if C and the operands are met by kernels alone until somebody waits for
  ///   them: the time of these kernels stands where that is
  NumericSums(const Matrix& C, RoundCounters& counters,
              PlannedWork<Scalar, Device>* planned = nullptr, bool waits = true)
      : C_(C), counters_(counters), planned_(planned), waits_(waits) {}

  void expect(std::size_t batches) override { only_ = batches == 1; }

  void readBy(const RowReading<Scalar, Device>& reading) override { reading_ = reading; }

  void add(const Matrix& a, const Matrix& tile, const std::function<void()>&) override {
    const PhaseScope scope(counters_.seconds, Phase::LocalMultiply);
    const NumericWork work = numericProduct(a, tile, C_, !first_, reading_ ? &*reading_ : nullptr,
                                            only_ ? planned_ : nullptr);
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
  /// Returns C; throws if multiply-adds fell outside the structure.
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
  bool first_ = true, only_ = false;
  long long strays_ = 0;
};

/// A sum as PartialSums that may put an only local product off until the rounds are over, on all
/// ranks; then its operands stand as long as the Rounds do. For devices, which may find C's columns
/// before they multiply; hosts gain nothing by it.
template <class Scalar, class Device>
class SumsOrOperands final : public ProductSum<Scalar, Device> {
 public:
  using typename ProductSink<Scalar, Device>::Matrix;
  /// Returns true if a rank with such operands would put its product off. Local.
  using DeferRule = std::function<bool(const OperandSizes&)>;

  SumsOrOperands(const DeferRule& defers, const KernelOptions& options, RoundCounters& counters)
      : defers_(defers), options_(options), counters_(counters), sums_(options, counters) {}

  /// Has A read by `reading`; then nothing is put off.
  void readBy(const RowReading<Scalar, Device>& reading) override {
    defers_ = {};
    sums_.readBy(reading);
  }
  void expect(std::size_t batches) override {
    only_ = batches == 1;
    isDeferred_ = false;
  }
  bool wouldDefer(const OperandSizes& sizes) const override {
    return only_ && defers_ && defers_(sizes);
  }
  void defer() override { isDeferred_ = true; }
  void add(const Matrix& a, const Matrix& tile, const std::function<void()>& turns) override {
    if (!isDeferred_) return sums_.add(a, tile, turns);
    operands_ = {a, tile};
  }
  Matrix sum() const override { return sums_.sum(); }
  std::string kernelName() const override { return sums_.kernelName(); }

  /// Returns true if the product is put off, on all ranks: one that has not failed has operands,
  /// and no sum.
  bool isDeferred() const { return isDeferred_; }
  const BatchOperands<Scalar, Device>& operands() const { return operands_; }
  /// Returns the product of the operands, or of these after their columns were relabelled. Local;
  /// throws. The counters' multiplySeconds get the local product alone.
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
  bool only_ = false, isDeferred_ = false;
};

}  // namespace Trident::Impl

#endif
