// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENTPREDICT_TABLE_HPP
#define TRIDENTPREDICT_TABLE_HPP

#include <string>
#include <vector>

#include "TridentPredict_Sweep.hpp"

namespace Trident {
namespace Predict {

/// The subject of all predictions of a table.
struct Subject {
  std::string A, B, machine;  ///< names as they were given
  long long entriesA = 0, entriesB = 0, multiplyAdds = 0;
  double entriesC = 0;
  double memoryBytes = 0;  ///< memory of a rank of the machine; 0: not known
};

/// Writes a line for each prediction, and one with the names of the columns before.
std::string csvOf(const Subject& subject, const std::vector<Prediction>& all);

/// Writes a table for people.
/// @param bestAlone true if only the best of each algorithm and number of ranks
std::string markdownOf(const Subject& subject, const std::vector<Prediction>& all, bool bestAlone);

}  // namespace Predict
}  // namespace Trident

#endif
