// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_COALESCEDROPFACTORY_DECL_HPP
#define TRIDENT_COALESCEDROPFACTORY_DECL_HPP

// clang-format off
#include "muelu/Trident_MueLuMatrix.hpp"  // first: AmalgamationInfo needs it
#include <MueLu_AmalgamationInfo.hpp>
// clang-format on
#include <MueLu_Level.hpp>
#include <Teuchos_RCP.hpp>
#include <string>

#if __has_include(<MueLu_VectorDroppingClassical_decl.hpp>)  // a MueLu that drops by kernels
#define TRIDENT_MUELU_DROPS_BY_KERNELS
#include <MueLu_CoalesceDropFactory_kokkos.hpp>
#include <MueLu_LWGraph_kokkos.hpp>

#include "base/Trident_Agreement.hpp"
#include "muelu/Trident_CoalesceDropInput.hpp"
#else
#include <MueLu_CoalesceDropFactory.hpp>
#endif

namespace Trident {

#ifdef TRIDENT_MUELU_DROPS_BY_KERNELS
/// MueLu's factory of graphs and filtered matrices, with kernels of Trident's for nodes of several
/// unknowns.
///
///     FactoryManager.SetFactory("Graph", Teuchos::rcp(new Trident::CoalesceDropFactory<...>()));
///
/// Parameters, input and output are those of MueLu::CoalesceDropFactory_kokkos: "Graph",
/// "DofsPerNode", "A". A filtered matrix is formed only if some factory asked for it. If it has all
/// entries, it shares A's graph.
///
/// The base does the work if a node has one unknown. With a warning, it also does the work for
/// - matrices that are not Tpetra::CrsMatrix, blocks of a strided Map, more than 64 unknowns, and
///   nodes whose rows or columns are not numbered one node after the other;
/// - all drop schemes but two: "classical" with the algorithm "default"; "point-wise" with the
///   matrix "A" and the measure "smoothed aggregation";
/// - a tolerance for row sums; distributed, root or spread lumping; "aggregation: use blocking",
///   "aggregation: symmetrize graph after dropping" and "aggregation: coloring: use color graph".
template <class SC = MueLu::DefaultScalar, class LO = MueLu::DefaultLocalOrdinal,
          class GO = MueLu::DefaultGlobalOrdinal, class NO = MueLu::DefaultNode>
class CoalesceDropFactory : public MueLu::CoalesceDropFactory_kokkos<SC, LO, GO, NO> {
 public:
  using base_type = MueLu::CoalesceDropFactory_kokkos<SC, LO, GO, NO>;  ///< MueLu's class
  using matrix_type = Impl::MueLuMatrix<SC, LO, GO, NO>;                ///< matrix of a level

  /// Makes the graph and the filtered matrix. MueLu's set-up calls it. Throws Trident::Error, on
  /// every rank, if the rows of a rank do not fill nodes. Collective.
  void Build(MueLu::Level& level) const override;

 private:
  using MatrixPtr = Teuchos::RCP<matrix_type>;
  using TpetraMatrix = Tpetra::CrsMatrix<SC, LO, GO, NO>;
  using LocalMatrix = typename TpetraMatrix::local_matrix_device_type;
  using InfoPtr = Teuchos::RCP<MueLu::AmalgamationInfo<LO, GO, NO>>;
  using NodeGraph = MueLu::LWGraph_kokkos<LO, GO, NO>;
  using device_type = typename NO::device_type;
  using Rows = Impl::CoalesceDropInput<typename TpetraMatrix::impl_scalar_type, device_type>;

  std::string whyBase(const MatrixPtr& A) const;
  bool lumps() const;
  typename Rows::Real least() const;
  Rows nodeRows(const MatrixPtr& A, MueLu::Level& level, Impl::LocalFailure& failure) const;
  Kokkos::View<bool*, device_type> boundaryNodes(const Rows& rows) const;
  LocalMatrix keptRows(const Rows& rows, const Impl::NodeGraph<device_type>& graph) const;
  Teuchos::RCP<TpetraMatrix> keptMatrix(const TpetraMatrix& A, const LocalMatrix& kept) const;
  MatrixPtr filtered(const MatrixPtr& A, const Teuchos::RCP<TpetraMatrix>& matrix) const;
  Teuchos::RCP<TpetraMatrix> wholeMatrix(const TpetraMatrix& A, const Rows& rows) const;
  void fill(const Rows& rows, const LocalMatrix& filtered, bool whole) const;
  void printStatistics(const matrix_type& A, const Rows& rows,
                       const Kokkos::View<bool*, device_type>& boundary, std::size_t kept) const;
};
#else
/// MueLu's own factory with a warning, for releases of MueLu without graphs of nodes for devices.
template <class SC = MueLu::DefaultScalar, class LO = MueLu::DefaultLocalOrdinal,
          class GO = MueLu::DefaultGlobalOrdinal, class NO = MueLu::DefaultNode>
class CoalesceDropFactory : public MueLu::CoalesceDropFactory<SC, LO, GO, NO> {
 public:
  using base_type = MueLu::CoalesceDropFactory<SC, LO, GO, NO>;  ///< MueLu's class

  /// Warns, and builds as the base. Collective.
  void Build(MueLu::Level& level) const override {
    this->GetOStream(MueLu::Warnings0)
        << "Trident::CoalesceDropFactory: left to MueLu::CoalesceDropFactory of this release\n";
    base_type::Build(level);
  }
};
#endif

}  // namespace Trident

#endif
