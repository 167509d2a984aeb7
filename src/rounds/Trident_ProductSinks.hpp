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

/// The sizes of a rank's operands of all rounds together, known before these are there.
struct OperandSizes {
  long long entriesA, rowsB, entriesB;
};

/// A sink for the operands of a rank's batches of rounds, which makes C of them. The batches come
/// in their order. Each call is local; defer() comes on all ranks or on none.
template <class Scalar, class Device>
class ProductSink {
 public:
  using Matrix = LocalMatrix<Scalar, Device>;

  virtual ~ProductSink() = default;
  /// Returns true if a mask decides which entries of the product are formed.
  virtual bool masked() const { return false; }
  /// Returns true if all rounds must be one batch, whatever options.fuseRounds and
  /// options.memoryBytes say. Then B travels once, however often its tile is multiplied.
  virtual bool inOneBatch() const { return false; }
  /// Takes the rules by which rows of the left factor are read. Called only if these stay where
  /// they are stored, without a copy on the grid. Throws if the sink cannot read rows so.
  virtual void readBy(const RowReading<Scalar, Device>& reading) {
    static_cast<void>(reading);
    throw Error("this product reads the rows of its left factor as they are");
  }
  /// Takes the number of batches, before they get memory. The number is equal on all ranks; an
  /// exception for it is thrown on all.
  virtual void expect(std::size_t batches) { static_cast<void>(batches); }
  /// Returns true if ranks are to be asked whether they put the product off. Alike on all ranks.
  virtual bool mayDefer() const { return false; }
  /// Returns true if this rank would put its product off until the rounds are over. Called before
  /// ranks agree on memory; may throw.
  virtual bool wouldDefer(const OperandSizes& sizes) const {
    static_cast<void>(sizes);
    return false;
  }
  /// Puts the product off until the rounds are over. All ranks do so if one would, because these
  /// ranks would wait for those that multiply first.
  virtual void defer() {}
  /// Takes the factors of a·tile. Only SumsOrOperands and ProductPieces use them after the call.
  /// @param turns to be called now and then during a long product; may be empty
  virtual void add(const Matrix& a, const Matrix& tile, const std::function<void()>& turns) = 0;
  /// Does the work that remains after the rounds; the operands still exist. Called on every rank;
  /// may communicate.
  /// @param formed true if add() has got all operands: neither this rank nor its node has failed
  virtual void end(bool formed) { static_cast<void>(formed); }
  /// Returns the kernel's name, for reports of a product that had nothing to multiply.
  virtual std::string kernelName() const = 0;
};

/// A sink that multiplies, so that C exists when the rounds are over.
template <class Scalar, class Device>
class ProductSum : public ProductSink<Scalar, Device> {
 public:
  using typename ProductSink<Scalar, Device>::Matrix;

  /// Returns C, rows sorted. Throws if the sink has no C.
  virtual Matrix sum() const = 0;
};

/// A sink that adds the products of all batches; their sum is C.
template <class Scalar, class Device>
class PartialSums final : public ProductSum<Scalar, Device> {
 public:
  using typename ProductSink<Scalar, Device>::Matrix;

  /// @param counters get multiply-adds, seconds and the names of kernels
  /// @param mask entries to form; null: all
  /// @param kept memory that products of one batch with the same tile share. The next product may
  ///   overwrite the C of sum(). May be null; must be null with a mask
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

/// A sink that overwrites the values of a C whose structure is known. The products take no turns.
template <class Scalar, class Device>
class NumericSums final : public ProductSum<Scalar, Device> {
 public:
  using typename ProductSink<Scalar, Device>::Matrix;

  /// @param C structure of C; on devices rows are sorted by column
  /// @param planned null, or facts of products of these very structures; outlives this
  /// @param waits false if only kernels use C and the operands for now; somebody waits for the
  ///   kernels later, and their time is counted there
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
  /// Returns C. Throws if multiply-adds fell outside its structure.
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

/// A PartialSums that can put the product of a single batch off until the rounds are over, on all
/// ranks. Its operands then exist as long as the Rounds do. For devices, which may find C's columns
/// before they multiply; hosts gain nothing.
template <class Scalar, class Device>
class SumsOrOperands final : public ProductSum<Scalar, Device> {
 public:
  using typename ProductSink<Scalar, Device>::Matrix;
  /// Returns true if a rank with such operands would put its product off. Local.
  using DeferRule = std::function<bool(const OperandSizes&)>;

  SumsOrOperands(const DeferRule& defers, const KernelOptions& options, RoundCounters& counters)
      : defers_(defers), options_(options), counters_(counters), sums_(options, counters) {}

  /// Sets the reading of A. With one, no product is put off.
  void readBy(const RowReading<Scalar, Device>& reading) override {
    defers_ = {};
    sums_.readBy(reading);
  }
  void expect(std::size_t batches) override {
    only_ = batches == 1;
    isDeferred_ = false;
  }
  bool mayDefer() const override { return static_cast<bool>(defers_); }
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

  /// Returns true if all ranks put the product off. Then there are operands, but no sum.
  bool isDeferred() const { return isDeferred_; }
  const BatchOperands<Scalar, Device>& operands() const { return operands_; }
  /// Returns the product of the operands, or of copies with other column numbers. Local; throws.
  /// The counters' multiplySeconds grow by this local product alone.
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
