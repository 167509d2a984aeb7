// SPDX-License-Identifier: BSD-3-Clause
// What programs use of Xpetra themselves, and the base of smoothers.
#include <MueLu_SmootherPrototype.hpp>
#include <Tpetra_Core.hpp>
#include <Tpetra_CrsMatrix.hpp>
#include <Xpetra_CrsMatrixWrap.hpp>
#include <Xpetra_MatrixUtils.hpp>
#include <Xpetra_TpetraCrsMatrix.hpp>
#include <Xpetra_TpetraMultiVector.hpp>
#include <Xpetra_TpetraVector.hpp>

#include "definitions_xpetra.hpp"
#define MAPS int, long long, Tpetra::Map<>::node_type
#define TYPES double, MAPS
template class Xpetra::TpetraMap<MAPS>;
template class Xpetra::TpetraVector<TYPES>;
template class Xpetra::TpetraVector<int, MAPS>;
template class Xpetra::TpetraVector<long long, MAPS>;
template class Xpetra::TpetraMultiVector<TYPES>;
template class Xpetra::TpetraMultiVector<int, MAPS>;
template class Xpetra::TpetraMultiVector<long long, MAPS>;
template class Xpetra::VectorFactory<TYPES>;
template class Xpetra::MultiVectorFactory<TYPES>;
template class Xpetra::Matrix<TYPES>;
template class Xpetra::TpetraCrsMatrix<TYPES>;
template class Xpetra::CrsMatrixWrap<TYPES>;
template class Xpetra::MatrixUtils<TYPES>;
template class MueLu::SmootherPrototype<TYPES>;
