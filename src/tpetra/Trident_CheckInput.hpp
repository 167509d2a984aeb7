// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_CHECKINPUT_HPP
#define TRIDENT_CHECKINPUT_HPP

#include <Teuchos_ArrayViewDecl.hpp>
#include <Teuchos_ScalarTraits.hpp>
#include <algorithm>
#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "base/Trident_Agreement.hpp"
#include "base/Trident_PlainNumbers.hpp"
#include "base/Trident_Wait.hpp"
#include "grid/Trident_Communicator.hpp"
#include "tpetra/Trident_GlobalConstants.hpp"
#include "tpetra/Trident_Operand.hpp"
#include "tpetra/Trident_ResultMatrix.hpp"
#include "tpetra/Trident_TpetraCompat.hpp"

namespace Trident::Impl {

/// States of C that a product accepts.
enum class ResultPattern {
  New,  ///< new C, without entries and pattern
  Any   ///< new C, or C with the pattern of an earlier fillComplete(), even if C is open now
};

/// Returns true if C has no entries and no pattern: a new matrix in Tpetra's words. Local.
template <class Matrix>
bool isNew(const Matrix& C) {
  return !C.isFillComplete() && !C.isLocallyIndexed() && !C.isGloballyIndexed();
}

template <class Map>
std::string sizeText(const Map& map) {
  return std::to_string(map.getGlobalNumElements());
}

/// Returns a text like "A is 3 x 4". Asks Maps, not global constants, which a matrix may lack.
template <class SC, class LO, class GO, class NO>
std::string shapeText(const Operand<SC, LO, GO, NO>& operand) {
  const auto& matrix = *operand.matrix;
  const std::string rows = sizeText(*matrix.getRowMap());
  const std::string columns =
      matrix.isFillComplete() ? sizeText(*matrix.getDomainMap()) : std::string("?");
  return operand.label() + " is " +
         (operand.transposed() ? columns + " x " + rows : rows + " x " + columns);
}

/// Returns a text like " (A is 3 x 4, B is 4 x 2)".
template <class SC, class LO, class GO, class NO>
std::string shapesText(const std::vector<Operand<SC, LO, GO, NO>>& operands) {
  std::string shapes;
  for (const auto& operand : operands)
    shapes += (shapes.empty() ? " (" : ", ") + shapeText(operand);
  return shapes + ")";
}

/// Returns true if a matrix or Map lives on this communicator, or on one with the same ranks in the
/// same order. Local: ranks may get different answers, so the caller must let them agree.
template <class Object>
bool hasRanksOf(MPI_Comm comm, const Object& object) {
  return sameRanksHere(comm, rawComm(*object.getComm()));
}

/// Returns true if no index of a Map has several owners. Collective. Asks Tpetra's isOneToOne()
/// last, because it makes a directory of all ranks, and returns false for many empty Maps.
template <class Map>
bool oneToOne(const Map& map) {
  const bool ranges = map.isContiguous() && map.isDistributed();  // each rank has a range
  return map.getGlobalNumElements() == 0 || ranges || map.isOneToOne();
}

/// Throws Trident::Error on every rank if an index of a Map has several owners. The message names
/// one such index; withErrorContext() adds the function's name. Collective.
/// @param name, remedy words for the Map and for the remedy
template <class Map>
void requireOneToOne(const Map& map, const std::string& name, const std::string& remedy) {
  if (oneToOne(map)) return;
  const MPI_Comm comm = rawComm(*map.getComm());
  decltype(localGids(map)) gids;
  std::vector<int> owners;
  runEverywhere(comm, [&] {
    gids = localGids(map);
    owners.resize(gids.size());
  });
  map.getRemoteIndexList(gids, Teuchos::ArrayView<int>(owners));  // finds one owner of each index
  constexpr long long none = std::numeric_limits<long long>::lowest();
  std::vector<long long> first{none};
  for (std::size_t n = 0; n < owners.size(); ++n)
    if (owners[n] != map.getComm()->getRank())
      first[0] = std::max(first[0], -static_cast<long long>(gids[n]));
  maximumEverywhere(comm, first, LocalFailure());
  const long long index = first[0] > none ? -first[0] : map.getMinAllGlobalIndex();
  throw Error(name + " has an index that several ranks own (" + std::to_string(index) + "); " +
              remedy);
}

/// Throws on every rank if a Map is not one-to-one. The Error names `function`, so the caller needs
/// no withErrorContext(). Collective.
template <class Map>
void requireOneToOne(const std::string& function, const Map& map, const std::string& name,
                     const std::string& remedy) {
  withErrorContext(function.c_str(), [&] { requireOneToOne(map, name, remedy); });
}

/// Throws if a matrix's row Map, a rowMap(), or the last domainMap() is not one-to-one. Collective.
template <class SC, class LO, class GO, class NO>
void requireOneToOne(const std::string& function,
                     const std::vector<Operand<SC, LO, GO, NO>>& operands) {
  const std::string remedy = "matrices must have one-to-one Maps";
  for (const auto& operand : operands) {
    requireOneToOne(function, *operand.matrix->getRowMap(), operand.name + "'s row Map", remedy);
    if (operand.transposed())
      requireOneToOne(function, *operand.rowMap(), operand.rowMapName(), remedy);
  }
  const auto& last = operands.back();
  requireOneToOne(function, *last.domainMap(), last.domainMapName(), remedy);
}

/// Returns the place of the first operand whose number of columns is not the next operand's number
/// of rows; the last place if all sizes fit. Local; operands must be fill-complete.
template <class SC, class LO, class GO, class NO>
std::size_t operandThatDiffers(const std::vector<Operand<SC, LO, GO, NO>>& operands) {
  std::size_t p = 0;
  while (p + 1 < operands.size() && operands[p].domainMap()->getGlobalNumElements() ==
                                        operands[p + 1].rowMap()->getGlobalNumElements())
    ++p;
  return p;
}

/// Returns e.g. "; or pass transposeR = true", if one other flag makes sizes fit; else "". Local.
template <class SC, class LO, class GO, class NO>
std::string flagThatFits(std::vector<Operand<SC, LO, GO, NO>> operands) {
  for (const auto& operand : operands)
    if (operand.form == OperandForm::Jacobi) return "";  // a Jacobi call has no transpose flags
  for (auto& operand : operands) {
    const OperandForm before = operand.form;
    operand.form = operand.transposed() ? OperandForm::Itself : OperandForm::Transposed;
    if (operandThatDiffers(operands) + 1 == operands.size())
      return "; or pass transpose" + operand.name + " = " +
             (operand.transposed() ? "true" : "false");
    operand.form = before;
  }
  return "";
}

constexpr const char* differentSizes = "inner sizes differ";  // start of problemOfSizes()'s text

/// Returns the fault of the sizes of fill-complete operands; "" if there is none. Local.
template <class SC, class LO, class GO, class NO>
std::string problemOfSizes(const std::vector<Operand<SC, LO, GO, NO>>& operands) {
  const std::size_t p = operandThatDiffers(operands);
  if (p + 1 == operands.size()) return "";
  return differentSizes + shapesText(operands) + "; " + operands[p].label() +
         " must have as many columns as " + operands[p + 1].label() + " has rows" +
         flagThatFits(operands);
}

template <class SC, class LO, class GO, class NO>
bool oneCommunicator(const std::vector<Operand<SC, LO, GO, NO>>& operands,
                     const Tpetra::CrsMatrix<SC, LO, GO, NO>& C) {
  const MPI_Comm comm = rawComm(*operands[0].matrix->getComm());
  bool one = hasRanksOf(comm, C);
  for (const auto& operand : operands) one = one && hasRanksOf(comm, *operand.matrix);
  return one;
}

/// Returns true if C is known to have contributions to rows of other ranks, which the next
/// fillComplete() would send and add to the product. Local.
template <class Matrix>
bool hasContributionsElsewhere(const Matrix& C) {
  return GraphConstants<Matrix>::hasContributionsElsewhere(C);
}

/// Returns the reason why a result cannot be formed in C as it is; "" if it can. Local.
/// @param remedy end of the text, which advises to pass a new matrix
template <class Matrix>
std::string problemOfResult(const Matrix& C, const std::string& name, ResultPattern allowed,
                            const std::string& remedy) {
  if (hasContributionsElsewhere(C))
    return name + " has contributions to rows of other ranks; call " + name +
           ".fillComplete() first, or " + remedy;
  if (isNew(C))
    return C.isStaticGraph() ? name + " has a constant graph without entries; " + remedy : "";
  if (allowed == ResultPattern::New) return name + " already has a pattern; " + remedy;
  // C has a pattern only after a fillComplete() of C, or of C's graph.
  const std::string again = "; call " + name + ".fillComplete(), or " + remedy;
  if (!C.isLocallyIndexed() || C.getDomainMap().is_null() || C.getRangeMap().is_null())
    return name + " has entries but was never fill-complete" + again;
  if (localEntries(C) == 0 || C.isStorageOptimized()) return "";
  if (C.isStaticGraph())
    return name +
           "'s graph has no optimized storage; complete the graph without \"Optimize "
           "Storage\" = false, or " +
           remedy;
  if (C.isFillComplete())
    return name + " is fill-complete without optimized storage; call " + name +
           ".resumeFill() and " + name +
           ".fillComplete() without \"Optimize Storage\" = false, or " + remedy;
  return name + " has room for entries beyond its pattern, or got some since it was fill-complete" +
         again;
}

/// Returns the fault of the input, as far as this rank sees; "" if there is none. Local.
template <class SC, class LO, class GO, class NO>
std::string problemOfInput(const std::vector<Operand<SC, LO, GO, NO>>& operands,
                           const Tpetra::CrsMatrix<SC, LO, GO, NO>& C, const std::string& name,
                           ResultPattern allowed) {
  if (!oneCommunicator(operands, C)) {
    std::string names;
    for (const auto& operand : operands) names += operand.name + ", ";
    return names.substr(0, names.size() - 2) + " and " + name + " do not live on one communicator";
  }
  for (const auto& operand : operands)
    if (!operand.matrix->isFillComplete())
      return operand.name + " is not fill-complete; call " + operand.name + ".fillComplete() first";
  const std::string sizes = problemOfSizes(operands);
  if (!sizes.empty()) return sizes;
  const auto rows = operands[0].rowMap();
  if (C.getRowMap()->getGlobalNumElements() < rows->getGlobalNumElements())
    return name + " has " + sizeText(*C.getRowMap()) + " rows" + shapesText(operands) + "; make " +
           name + " with " + operands[0].rowMapName();
  for (const auto& operand : operands)
    if (operand.matrix == &C)
      return name + " is " + operand.name + "; the result needs a matrix of its own";
  return isNew(C) && !C.isStaticGraph() && !hasContributionsElsewhere(C)
             ? ""
             : problemOfResult(
                   C, name, allowed,
                   "pass a new CrsMatrix(" + operands[0].name +
                       (operands[0].transposed() ? ".getDomainMap(), 0)" : ".getRowMap(), 0)"));
}

template <class Operand>
std::string problemOfDiagonal(const Operand& operand) {
  return "the inverse diagonal's Map is not " + operand.name + "'s row Map; make it a Vector(" +
         operand.name + ".getRowMap())";
}

/// Throws if D⁻¹ and matrix of a Jacobi operand have different row counts on this rank. Local.
template <class Operand>
void requireDiagonalHere(const Operand& operand) {
  if (operand.form == OperandForm::Jacobi &&
      localSize(*operand.inverseDiagonal->getMap()) != localSize(*operand.matrix->getRowMap()))
    throw Error(problemOfDiagonal(operand));
}

/// Throws Trident::Error on every rank if D⁻¹ of a Jacobi operand is not on the matrix's row Map.
/// Collective over `comm` if there is a Jacobi operand.
template <class SC, class LO, class GO, class NO>
void checkDiagonals(MPI_Comm comm, const std::string& function,
                    const std::vector<Operand<SC, LO, GO, NO>>& operands) {
  for (const auto& operand : operands) {
    if (operand.form != OperandForm::Jacobi) continue;  // all ranks skip the same operands
    const bool fits = operand.inverseDiagonal->getMap()->isSameAs(*operand.matrix->getRowMap());
    throwEverywhere(comm, function, fits ? "" : problemOfDiagonal(operand));
  }
}

/// Returns a real or complex number as text, with all digits.
template <class SC>
std::string scalarText(const SC& value) {
  using Traits = Teuchos::ScalarTraits<SC>;
  const std::string real = plainText(static_cast<double>(Traits::real(value)), 17);
  if (!Traits::isComplex) return real;
  return "(" + real + "," + plainText(static_cast<double>(Traits::imag(value)), 17) + ")";
}

/// Adds properties of the operands and of C that must be the same on all ranks. Call it only if
/// problemOfInput() finds no fault. Local.
template <class SC, class LO, class GO, class NO>
void addCollectiveArguments(const std::vector<Operand<SC, LO, GO, NO>>& operands,
                            const Tpetra::CrsMatrix<SC, LO, GO, NO>& C, const std::string& name,
                            CollectiveArguments& values) {
  for (std::size_t p = 0; p < operands.size(); ++p) {
    const auto& operand = operands[p];
    std::size_t known = 0;
    while (operands[known].matrix != operand.matrix) ++known;
    values.push_back(
        {operand.name, known < p ? operands[known].name + " itself" : "a matrix of its own"});
    values.push_back(
        {"the transpose flag of " + operand.name, operand.transposed() ? "true" : "false"});
    if (operand.form != OperandForm::Jacobi) continue;
    values.push_back({"omega", scalarText(operand.omega)});
  }
  values.push_back({name, isNew(C)             ? "new"
                          : C.isFillComplete() ? "fill-complete"
                                               : "open, with a pattern"});
}

/// Throws Trident::Error on every rank if the operands' product cannot be formed in C, or if ranks'
/// calls differ. Compares the calls before any other communication. Collective over the first
/// operand's communicator.
/// @param function, name names of the public function and of C, for messages
/// @param problem fault that this rank has found before; "" if none
/// @param values arguments that must be the same on all ranks; this function adds operands and C
template <class SC, class LO, class GO, class NO>
void checkInput(const std::string& function, const std::vector<Operand<SC, LO, GO, NO>>& operands,
                const Tpetra::CrsMatrix<SC, LO, GO, NO>& C, const std::string& name,
                ResultPattern allowed, const std::string& problem, CollectiveArguments& values) {
  const MPI_Comm comm = rawComm(*operands[0].matrix->getComm());
  LocalFailure local;
  bool otherwise = true;  // later false if all ranks found the same fault of sizes
  local.guard([&] {
    const std::string found =
        problem.empty() ? problemOfInput(operands, C, name, allowed) : problem;
    if (problem.empty() && found.rfind(differentSizes, 0) == 0) {
      values = {{"a problem of " + function, found}};
      otherwise = false;
    }
    if (!found.empty()) throw Error(found);
    if (!isSingleRank(comm)) addCollectiveArguments(operands, C, name, values);
  });
  try {
    requireConsistent(comm, function, local.text(), values, std::string(), &otherwise);
  } catch (const Error&) {  // all ranks come here, or this rank has given up a wait
    // Sizes may differ because a Map counts a row of two ranks twice. If so, throws for that row.
    if (!otherwise && whyAbandoned().empty()) requireOneToOne(function, operands);
    throw;
  }
  checkDiagonals(comm, function, operands);
  const auto rows = operands[0].rowMap();
  if (!rows->isSameAs(*C.getRowMap())) {
    requireOneToOne(function, *C.getRowMap(), name + "'s row Map",
                    "make " + name + " with " + operands[0].rowMapName() + " or a one-to-one Map");
    LocalFailure failure;
    bool within = false;
    failure.guard([&] { within = rowsWithin(*rows, *C.getRowMap()).size() == localSize(*rows); });
    throwEverywhere(comm, function,
                    failure.failed() ? failure.text()
                    : within         ? ""
                             : name + "'s row Map does not contain " + operands[0].rowMapName() +
                                   " rank by rank in its order; make " + name + " with " +
                                   operands[0].rowMapName());
  }
  requireOneToOne(function, operands);
}

}  // namespace Trident::Impl

#endif
