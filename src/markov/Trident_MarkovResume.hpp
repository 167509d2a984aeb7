// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_MARKOVRESUME_HPP
#define TRIDENT_MARKOVRESUME_HPP

#include <string>
#include <utility>

#include "markov/Trident_MarkovCluster_decl.hpp"
#include "markov/Trident_MarkovOrigin.hpp"
#include "markov/Trident_MarkovStart.hpp"
#include "matrix/Trident_StoredAs.hpp"
#include "product/Trident_GridSpaces.hpp"
#include "tpetra/Trident_LocalEntries.hpp"
#include "tpetra/Trident_ResultMatrix.hpp"

namespace Trident::Impl {

/// Returns a message if checkpoints are wrong, else an empty text. Local.
template <class LO, class GO, class NO>
std::string problemOfCheckpoints(const MarkovCheckpoints<LO, GO, NO>& checkpoints) {
  if (checkpoints.every < 0)
    return "checkpoints.every is " + std::to_string(checkpoints.every) +
           "; it must be 1 or more, or 0 for none";
  if (checkpoints.every > 0 && !checkpoints.save)
    return "checkpoints.save is empty; set a function that keeps the state, or every to 0";
  if (checkpoints.resume.is_null()) return "";
  const auto& matrix = checkpoints.resume->matrix;
  if (matrix.is_null() || !matrix->isFillComplete())
    return "the state to resume has no fill-complete matrix; pass one as save() got it";
  if (checkpoints.resume->iteration < 1)
    return "the state to resume is of iteration " + std::to_string(checkpoints.resume->iteration) +
           "; iterations count from 1";
  return "";
}

/// Returns the values that must be the same on all ranks. Without a state to resume there are as
/// many values as with one, so that ranks can compare them. Local.
template <class LO, class GO, class NO>
CollectiveArguments collectiveArgumentsOf(const MarkovCheckpoints<LO, GO, NO>& checkpoints) {
  const bool resumes = !checkpoints.resume.is_null();
  const auto state = resumes ? *checkpoints.resume : MarkovState<LO, GO, NO>();
  CollectiveArguments values{{"checkpoints.every", std::to_string(checkpoints.every)},
                             {"checkpoints.resume", resumes ? "a state" : "none"},
                             {"resume->iteration", std::to_string(state.iteration)},
                             {"resume->chaos", allDigits(state.chaos)},
                             {"resume->mostEntries", std::to_string(state.mostEntries)},
                             {"resume->expanded", std::to_string(state.expanded)},
                             {"resume->dropped", std::to_string(state.dropped)}};
  for (const CollectiveArgument& part : partsOf(state.origin))
    values.push_back({"resume->origin, " + part.name, part.text});
  return values;
}

/// Brings the matrix to resume onto the grid. Collective. Throws Trident::Error on every rank if
/// the matrix is not on A's row Map, if a value is negative or not finite, or if a rank fails.
template <class LO, class GO, class NO>
GridMatrix<double, typename NO::device_type> resumedMatrix(
    const MarkovState<LO, GO, NO>& state, const GridSpaces<double, LO, GO, NO>& spaces) {
  const auto& matrix = *state.matrix;
  const auto& map = *spaces.numbering(0).map;
  if (!map.isSameAs(*matrix.getRowMap()) || !map.isSameAs(*matrix.getDomainMap()))
    throw Error(
        "the matrix to resume has other Maps than A; make its row and domain Maps A's row Map");
  runEverywhere(spaces.comm(),
                [&] { requireWeights(localMatrixOf(matrix).values, "the matrix to resume"); });
  const MissingIndexMessage lookup{"the matrix to resume has a column", "A's row Map",
                                   "pass a state of the same graph"};
  return spaces.import(matrix, 0, 0, lookup);
}

/// Returns a copy of a Markov process' matrix as a Tpetra matrix on the graph's row Map.
/// Collective; throws Trident::Error on every rank if a rank fails.
template <class LO, class GO, class NO>
Teuchos::RCP<const Tpetra::CrsMatrix<double, LO, GO, NO>> matrixOffGrid(
    const GridSpaces<double, LO, GO, NO>& spaces,
    const GridMatrix<double, typename NO::device_type>& matrix) {
  using Matrix = Tpetra::CrsMatrix<double, LO, GO, NO>;
  const auto& space = spaces.space(0);
  const auto& map = spaces.numbering(0).map;
  const RoundOptions& options = spaces.options().rounds;
  Traffic uncounted;
  LocalFailure failure;
  Teuchos::RCP<Matrix> result;
  failure.guard([&] { result = Teuchos::rcp(new Matrix(map, 0)); });
  throwEverywhere(spaces.comm(), failure.text());
  const auto exported = [&] {
    MatrixExport<double, typename NO::device_type> outgoing(matrix, SliceUsers::Shared, space,
                                                            space, options, uncounted, failure);
    return exportMatrix<double, LO, GO, NO>(outgoing, spaces.numbering(0), options, uncounted,
                                            failure);
  }();
  commitResult(exported, map, map, {}, true, *result, failure);
  return result;
}

/// The checkpoints of one run: the state that the run resumes, and the states that it saves.
template <class LO, class GO, class NO>
class Checkpoints {
  using Spaces = GridSpaces<double, LO, GO, NO>;
  using Device = typename NO::device_type;
  using Placed = GridMatrix<double, Device>;

 public:
  /// Checks the state to resume. Collective; throws Trident::Error on every rank if the state comes
  /// from another graph or other options.
  /// @param checkpoints, spaces must outlive this object
  Checkpoints(const Tpetra::CrsMatrix<double, LO, GO, NO>& A, const MarkovOptions& options,
              const MarkovCheckpoints<LO, GO, NO>& checkpoints, const Spaces& spaces)
      : checkpoints_(checkpoints), spaces_(spaces) {
    if (!resumes() && checkpoints.every == 0) return;
    origin_ = originOf(A, options, spaces.comm());
    const std::string problem =
        resumes() ? problemOfOrigin(checkpoints.resume->origin, origin_) : std::string();
    if (!problem.empty()) throw Error(problem);  // all ranks throw the same
  }

  bool resumes() const { return !checkpoints_.resume.is_null(); }

  /// Returns the matrix of the state to resume. Collective; throws as resumedMatrix().
  /// @param result gets the counts of the earlier iterations
  Placed resume(MarkovResult<LO, GO, NO>& result) const {
    const MarkovState<LO, GO, NO>& state = *checkpoints_.resume;
    result.iterations = state.iteration;
    result.chaos = state.chaos;
    result.mostEntries = state.mostEntries;
    result.expanded = state.expanded;
    result.dropped = state.dropped;
    result.entries = static_cast<long long>(state.matrix->getGlobalNumEntries());
    return resumedMatrix(state, spaces_);
  }

  /// Saves a state. Collective. If the caller's save() throws on one rank, all ranks throw.
  template <class Scalar>
  void save(const MarkovResult<LO, GO, NO>& soFar, const GridMatrix<Scalar, Device>& matrix) const {
    MarkovState<LO, GO, NO> state;
    state.origin = origin_;
    state.iteration = soFar.iterations;
    state.chaos = soFar.chaos;
    state.mostEntries = soFar.mostEntries;
    state.expanded = soFar.expanded;
    state.dropped = soFar.dropped;
    state.matrix = matrixOffGrid(spaces_, storedAs<double>(matrix));
    runEverywhere(spaces_.comm(), [&] { checkpoints_.save(state); });
  }

 private:
  const MarkovCheckpoints<LO, GO, NO>& checkpoints_;
  const Spaces& spaces_;
  MarkovOrigin origin_;
};

}  // namespace Trident::Impl

#endif
