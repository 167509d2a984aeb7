// SPDX-License-Identifier: BSD-3-Clause
#ifndef PEERS_FACTORS_HPP
#define PEERS_FACTORS_HPP

#include "Peers_Rows.hpp"
#include "TridentProblems_Types.hpp"

/// \file Peers_Factors.hpp
/// The same matrices as Tpetra has them.

namespace Peers {

/// The factors of A·A, or of P'·A·P; P is null where A·A is asked for.
struct Factors {
  Teuchos::RCP<Trident::Problems::matrix_type> A, P;
};

/// Reads or makes A, and makes P of it. Collective.
///
/// A is what the driver takes, or elastic:n=N, which has the shape of three-dimensional elasticity:
/// brick3d:n=N with a dense block of 3 x 3 in the place of each entry.
/// P = (I - 2/3 D⁻¹ A) P0, formed by Tpetra. P0 has a column for each aggregate around an
/// independent set of distance 2, constant on it; of elastic six columns for each, as of rigid body
/// modes, with random values.
/// Throws on every rank where A is not square, or P is asked for and A's diagonal has a zero.
Factors readFactors(const CommandLine& line);

/// Returns this rank's rows. Collective. Throws on every rank where one has too many entries.
Rows rowsOf(const Trident::Problems::matrix_type& matrix, const std::string& name);

/// Does the work of main() for a library that multiplies Tpetra's matrices.
int mainOfTpetra(int argc, char* argv[], const std::string& library,
                 const std::function<Result(const CommandLine&, const Factors&)>& measure);

}  // namespace Peers

#endif
