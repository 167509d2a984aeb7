// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENTPREDICT_TPETRA_HPP
#define TRIDENTPREDICT_TPETRA_HPP

#include "TridentPredict_Product.hpp"

namespace Trident {
namespace Predict {

/// Counts Tpetra's product: each rank imports the rows of B that its columns of A name and others
/// own. Counted as import, as the driver counts it.
/// @param questions of columnQuestions(): Tpetra asks for the same columns, in more bytes
Counted countTpetra(const Problem& problem, const SampledResult& C, const RankTraffic& questions,
                    int nodeSize);

}  // namespace Predict
}  // namespace Trident

#endif
