// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_NOTEROUNDS_HPP
#define TRIDENT_NOTEROUNDS_HPP

#include <algorithm>
#include <string>

#include "Trident_Report.hpp"
#include "base/Trident_Names.hpp"
#include "matrix/Trident_LocalMatrix.hpp"
#include "rounds/Trident_RoundCounters.hpp"

namespace Trident::Impl {

/// Adds a reason to a text of reasons, unless it is there already.
inline void addReason(std::string& reasons, const std::string& reason) {
  const std::string ended = reason + "; ";
  std::size_t at = reasons.find(ended);
  while (at != std::string::npos && at > 0 && (at == 1 || reasons.compare(at - 2, 2, "; ") != 0))
    at = reasons.find(ended, at + 1);
  if (at == std::string::npos) reasons += ended;
}

/// Adds a product's choice to those of earlier products: "a" becomes "a and b" if b is new.
inline void addChoice(std::string& choices, const std::string& choice) {
  if (choice.find(choices) != std::string::npos)
    choices = choice;
  else if (choices.find(choice) == std::string::npos)
    choices += " and " + choice;
}

/// Adds the counts, times and choices of one product to a report, and the sizes of its slices.
template <class Matrix>
void noteRounds(Report& report, const RoundCounters& counters, const Matrix& A, const Matrix& B,
                const Matrix& C) {
  addChoice(report.exchange, counters.exchange);
  addChoice(report.fetch, counters.fetch);
  addChoice(report.gather, counters.gather);
  addChoice(report.kernel, counters.kernel);
  addReason(report.reasons, "exchange " + counters.exchange + ": " + counters.exchangeReason);
  addReason(report.reasons, "gather " + counters.gather + ": " + counters.gatherReason);
  report.multiplySeconds += counters.multiplySeconds;
  if (report.times.empty()) report.roundsBegan = counters.roundsBegan;
  report.times.insert(report.times.end(), counters.times.begin(), counters.times.end());
  report.rounds += counters.rounds;
  report.fusedRounds = std::max(report.fusedRounds, counters.fusedRounds);
  report.multiplyAdds += counters.multiplyAdds;
  report.blockRows += counters.blockRows;
  report.internodeEntries += counters.internodeEntries;
  report.tileBytes = std::max(report.tileBytes, counters.tileBytes);
  report.pieces = std::max(report.pieces, counters.pieces);
  report.predictedPieceBytes = std::max(report.predictedPieceBytes, counters.predictedPieceBytes);
  report.pieceBytes = std::max(report.pieceBytes, counters.pieceBytes);
  report.traffic.setup += counters.traffic.setup;
  report.traffic.rounds += counters.traffic.rounds;
  for (int p = 0; p < phaseCount; ++p)
    report.seconds[static_cast<Phase>(p)] += counters.seconds[static_cast<Phase>(p)];
  report.entriesC = C.nnz();
  std::size_t bytes = matrixBytes(A) + matrixBytes(C);
  report.sliceEntries += static_cast<long long>(A.nnz());
  if (A.values.data() != B.values.data()) {
    bytes += matrixBytes(B);
    report.sliceEntries += static_cast<long long>(B.nnz());
  }
  report.sliceBytes = std::max(report.sliceBytes, bytes);
}

/// Adds a product's semiring to the reasons, unless it is plus-times.
inline void noteSemiring(Report& report, SemiringKind semiring) {
  if (semiring != SemiringKind::PlusTimes)
    addReason(report.reasons, std::string("semiring ") + nameOf(semiring));
}

/// Takes the last "; " off the reasons.
inline void endReasons(Report& report) {
  if (!report.reasons.empty()) report.reasons.resize(report.reasons.size() - 2);
}

}  // namespace Trident::Impl

#endif
