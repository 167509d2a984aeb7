// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENTPREDICT_CALIBRATE_HPP
#define TRIDENTPREDICT_CALIBRATE_HPP

#include <string>

#include "TridentPredict_Machine.hpp"
#include "TridentProblems_Types.hpp"

namespace Trident {
namespace Predict {

/// Measures this machine and writes its file, from rank 0. Each node forms products by itself, by
/// Trident and by Tpetra; then ranks exchange messages inside nodes, and between them where there
/// are several. Collective; throws std::runtime_error on every rank.
/// @param A whose product with itself gives the rates, which then are this matrix's own; empty: two
///   generated matrices
void calibrate(const std::string& path, const std::string& A,
               const Teuchos::RCP<const Problems::comm_type>& comm);

/// Seconds per multiply-add and per entry of C, from two products; neither is negative.
struct TwoRates {
  double first = 0, second = 0;
};
/// Solves first·x₁ + second·y₁ = t₁ and first·x₂ + second·y₂ = t₂; where one rate comes out
/// negative, it is 0, and the other fits the sum of the times.
TwoRates solveRates(const double x[2], const double y[2], const double t[2]);

}  // namespace Predict
}  // namespace Trident

#endif
