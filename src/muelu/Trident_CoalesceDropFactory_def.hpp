// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_COALESCEDROPFACTORY_DEF_HPP
#define TRIDENT_COALESCEDROPFACTORY_DEF_HPP

#include "muelu/Trident_CoalesceDropFactory_decl.hpp"

#ifdef TRIDENT_MUELU_DROPS_BY_KERNELS
#include <MueLu_BoundaryDetection.hpp>
#include <MueLu_Monitor.hpp>
#include <MueLu_Utilities.hpp>
#include <Teuchos_CommHelpers.hpp>
#include <cmath>

#include "Trident_Error.hpp"
#include "base/Trident_Agreement.hpp"
#include "tpetra/Trident_LocalEntries.hpp"

namespace Trident {
namespace Impl {

/// Returns true if this rank's rows are in the order of nodes: first the rows of node 0, then those
/// of node 1, and so on. Throws Error if the rows do not fill whole nodes. Local.
/// @param nodes node of each row
template <class Nodes>
bool rowsFollowNodes(const Nodes& nodes, int block) {
  const auto rows = static_cast<long long>(nodes.size());
  if (rows % block != 0)
    throw Error("a rank has " + std::to_string(rows) + " rows, which are no nodes of " +
                std::to_string(block));
  bool follow = true;
  for (long long row = 0, node = 0; row < rows; ++node)
    for (const long long end = row + block; row < end; ++row) follow &= nodes[row] == node;
  return follow;
}

}  // namespace Impl

template <class SC, class LO, class GO, class NO>
void CoalesceDropFactory<SC, LO, GO, NO>::Build(MueLu::Level& level) const {
  const auto A = this->template Get<MatrixPtr>(level, "A");
  if (A->GetFixedBlockSize() == 1) return base_type::Build(level);
  const auto leaveToBase = [&](const std::string& reason) {
    this->GetOStream(MueLu::Warnings0) << "Trident::CoalesceDropFactory: " << reason
                                       << ", left to MueLu::CoalesceDropFactory_kokkos\n";
    base_type::Build(level);
  };
  const std::string reason = whyBase(A);
  if (!reason.empty()) return leaveToBase(reason);

  const Impl::SingleThreadGuard inside;
  Impl::requireMpi();
  auto timed = Teuchos::rcp(new MueLu::FactoryMonitor(*this, "Build", level));
  const auto info = this->template Get<InfoPtr>(level, "UnAmalgamationInfo");
  Impl::LocalFailure failure;
  failure.guard([&] {
    const std::string problem = Impl::SingleThreadGuard::problem();
    if (!problem.empty()) throw Error(problem);
  });
  Rows rows = nodeRows(A, level, failure);
  const bool wanted = level.IsRequested("A", this) || level.GetKeepFlag("A", this) != 0;
  const bool whole =
      !rows.drops || this->GetParameterList().template get<bool>("filtered matrix: reuse graph");
  Kokkos::View<bool*, device_type> boundary;
  Impl::NodeGraph<device_type> graph;
  LocalMatrix kept;
  bool byBase = false;
  Teuchos::RCP<const MueLu::SubFactoryMonitor> part =
      Teuchos::rcp(new MueLu::SubFactoryMonitor(*this, "Dropping decisions", level));
  failure.guard([&] {
    byBase = !Impl::rowsFollowNodes(*info->getRowTranslation(), rows.block);
    if (byBase) return;
    const auto& nodes = *info->getColTranslation();
    rows.nodes = Impl::scratch<int, device_type>("Trident::nodes", nodes.size());
    Kokkos::deep_copy(rows.nodes,
                      Kokkos::View<const LO*, Kokkos::HostSpace>(nodes.getRawPtr(), nodes.size()));
    boundary = boundaryNodes(rows);
    byBase = !Impl::makeNodeGraph(
        rows, boundary,
        this->GetParameterList().template get<bool>("aggregation: dropping may create Dirichlet"),
        graph);
    if (!byBase && wanted && !whole) kept = keptRows(rows, graph);
  });
  Impl::requireConsistent(Impl::rawComm(*A->getRowMap()->getComm()),
                          "Trident::CoalesceDropFactory::Build", failure.text(), {}, "", &byBase);
  if (byBase) {
    part = Teuchos::null;  // ends the timers, because the base has timers of these names
    timed = Teuchos::null;
    return leaveToBase("rows or columns that are not numbered node by node");
  }

  const auto nodes = Teuchos::rcp(
      new NodeGraph(typename NodeGraph::local_graph_type(graph.entries, graph.begins),
                    info->getNodeRowMap(), info->getNodeColMap(), "amalgamated graph of A"));
  nodes->SetBoundaryNodeMap(boundary);
  printStatistics(*A, rows, boundary, graph.kept);
  this->Set(level, "DofsPerNode", static_cast<LO>(rows.block));
  this->Set(level, "Graph", nodes);
  if (!wanted) return;
  part = Teuchos::null;  // ends this timer before the next one begins
  part = Teuchos::rcp(new MueLu::SubFactoryMonitor(*this, "Filtered matrix fill", level));
  this->Set(level, "A",
            filtered(A, whole ? wholeMatrix(*Impl::tpetraMatrix(A), rows)
                              : keptMatrix(*Impl::tpetraMatrix(A), kept)));
}

/// Returns a reason to leave all work to the base, or an empty text. All ranks get the same result.
template <class SC, class LO, class GO, class NO>
std::string CoalesceDropFactory<SC, LO, GO, NO>::whyBase(const MatrixPtr& A) const {
  const auto& list = this->GetParameterList();
  const auto text = [&](const std::string& name) {
    return list.isParameter(name) ? list.template get<std::string>(name) : std::string();
  };
  if (Impl::tpetraMatrix(A).is_null()) return "not a matrix of Tpetra::CrsMatrix";
  const auto strided = Impl::stridedRows(*A);
  if (!strided.is_null() && strided->getStridedBlockId() >= 0) return "a block of a strided Map";
  if (A->GetFixedBlockSize() > Impl::mostRowsOfNode) return "many unknowns of a node";
  for (const char* name :
       {"aggregation: use blocking", "aggregation: symmetrize graph after dropping",
        "aggregation: coloring: use color graph", "filtered matrix: use root stencil",
        "filtered matrix: use spread lumping"})
    if (!list.template isType<bool>(name) || list.template get<bool>(name)) return name;
  if (list.template get<double>("aggregation: row sum drop tol") > 0)
    return "\"aggregation: row sum drop tol\"";
  const std::string scheme = text("aggregation: drop scheme");
  const std::string soc = "aggregation: strength-of-connection: ";
  const bool classical = scheme == "classical" && text("aggregation: classical algo") == "default";
  const bool pointwise = scheme == "point-wise" && text(soc + "matrix") == "A" &&
                         text(soc + "measure") == "smoothed aggregation";
  if (!classical && !pointwise) return "\"aggregation: drop scheme\" or the measure";
  if (lumps() && text("filtered matrix: lumping choice") != "diag lumping")
    return "\"filtered matrix: lumping choice\"";
  return "";
}

/// Returns true if dropped entries are added to other entries. In a MueLu with old parameters,
/// "filtered matrix: use lumping" must be true, too.
template <class SC, class LO, class GO, class NO>
bool CoalesceDropFactory<SC, LO, GO, NO>::lumps() const {
  const auto& list = this->GetParameterList();
  const bool old = list.isParameter("aggregation: classical algo");
  const std::string choice = list.template get<std::string>("filtered matrix: lumping choice");
  return (choice == "diag lumping" || choice == "distributed lumping") &&
         (!old || list.template get<bool>("filtered matrix: use lumping"));
}

/// Returns the threshold for diagonal entries to which dropped entries were added. A diagonal entry
/// up to this threshold becomes 1.
template <class SC, class LO, class GO, class NO>
auto CoalesceDropFactory<SC, LO, GO, NO>::least() const -> typename Rows::Real {
  return static_cast<typename Rows::Real>(
      this->GetParameterList().template get<double>("filtered matrix: Dirichlet threshold"));
}

/// Returns A's rows by nodes, and the rule for dropping entries. The caller must set
/// CoalesceDropInput::nodes. Collective, because ranks send each other diagonal entries.
template <class SC, class LO, class GO, class NO>
auto CoalesceDropFactory<SC, LO, GO, NO>::nodeRows(const MatrixPtr& A, MueLu::Level& level,
                                                   Impl::LocalFailure& failure) const -> Rows {
  const auto& list = this->GetParameterList();
  double tolerance = list.template get<double>("aggregation: drop tol");
  if (list.template get<bool>("aggregation: use ml scaling of drop tol"))
    tolerance /= std::pow(2.0, level.GetLevelID());
  Rows rows;
  rows.block = static_cast<int>(A->GetFixedBlockSize());
  rows.tolerance = static_cast<typename Rows::Real>(tolerance);
  rows.drops = rows.tolerance != 0;
  Teuchos::RCP<Tpetra::Vector<SC, LO, GO, NO>> diagonal;
  if (rows.drops)
    diagonal =
        Impl::tpetraVector(MueLu::Utilities<SC, LO, GO, NO>::GetMatrixOverlappedDiagonal(*A));
  failure.guard([&] {
    rows.matrix = Impl::localMatrixOf(*Impl::tpetraMatrix(A));
    if (rows.drops)
      rows.diagonal =
          Kokkos::subview(diagonal->getLocalViewDevice(Tpetra::Access::ReadOnly), Kokkos::ALL(), 0);
  });
  return rows;
}

/// Finds the nodes of Dirichlet rows, as MueLu does. Local.
template <class SC, class LO, class GO, class NO>
auto CoalesceDropFactory<SC, LO, GO, NO>::boundaryNodes(const Rows& rows) const
    -> Kokkos::View<bool*, device_type> {
  using MueLu::BoundaryDetection::VectorDirichletFunctor;
  const auto& list = this->GetParameterList();
  const Kokkos::View<bool*, device_type> boundary("Trident::boundaryNodes", rows.count());
  const auto threshold = Teuchos::ScalarTraits<SC>::magnitude(
      static_cast<SC>(list.template get<double>("aggregation: Dirichlet threshold")));
  LocalMatrix matrix = rows.matrix;
  const auto find = [&](auto functor) {
    Kokkos::parallel_for("Trident::boundaryNodes",
                         Kokkos::RangePolicy<LO, typename NO::execution_space>(0, rows.count()),
                         functor);
  };
  if (list.template get<bool>("aggregation: greedy Dirichlet"))
    find(VectorDirichletFunctor<LocalMatrix, true>(matrix, rows.block, boundary, threshold, 1));
  else
    find(VectorDirichletFunctor<LocalMatrix, false>(matrix, rows.block, boundary, threshold, 1));
  return boundary;
}

/// Returns the filtered matrix's rows, without the dropped entries. Local.
template <class SC, class LO, class GO, class NO>
auto CoalesceDropFactory<SC, LO, GO, NO>::keptRows(const Rows& rows,
                                                   const Impl::NodeGraph<device_type>& graph) const
    -> LocalMatrix {
  const auto columns = Impl::uninitialized<LO, device_type>("Trident::columns", graph.kept);
  const auto values =
      Impl::uninitialized<typename Rows::scalar_type, device_type>("Trident::values", graph.kept);
  const LocalMatrix kept("Trident::filtered", rows.matrix.numRows(), rows.matrix.numCols(),
                         graph.kept, values, graph.rowBegins, columns);
  fill(rows, kept, false);
  return kept;
}

/// Returns a matrix of the kept rows, with A's Maps. Collective.
template <class SC, class LO, class GO, class NO>
auto CoalesceDropFactory<SC, LO, GO, NO>::keptMatrix(const TpetraMatrix& A,
                                                     const LocalMatrix& kept) const
    -> Teuchos::RCP<TpetraMatrix> {
  return Teuchos::rcp(new TpetraMatrix(kept, A.getRowMap(), A.getColMap(), A.getDomainMap(),
                                       A.getRangeMap(), A.getCrsGraph()->getImporter(),
                                       A.getCrsGraph()->getExporter()));
}

/// Returns a copy of A with zeros for the dropped entries. The copy shares A's graph. Collective.
template <class SC, class LO, class GO, class NO>
auto CoalesceDropFactory<SC, LO, GO, NO>::wholeMatrix(const TpetraMatrix& A, const Rows& rows) const
    -> Teuchos::RCP<TpetraMatrix> {
  const auto copy = Teuchos::rcp(new TpetraMatrix(A, Teuchos::Copy));
  if (rows.drops || (lumps() && least() >= 0)) fill(rows, Impl::localMatrixOf(*copy), true);
  return copy;
}

/// Returns `matrix` in MueLu's form. Sets the block size and the eigenvalue estimate. Local.
template <class SC, class LO, class GO, class NO>
auto CoalesceDropFactory<SC, LO, GO, NO>::filtered(const MatrixPtr& A,
                                                   const Teuchos::RCP<TpetraMatrix>& matrix) const
    -> MatrixPtr {
  const auto result = Impl::mueLuMatrix(matrix);
  result->SetFixedBlockSize(A->GetFixedBlockSize());
  const bool same =
      this->GetParameterList().template get<bool>("filtered matrix: reuse eigenvalue");
  result->SetMaxEigenvalueEstimate(same ? A->GetMaxEigenvalueEstimate()
                                        : -Teuchos::ScalarTraits<SC>::one());
  return result;
}

/// Fills a filtered matrix. Local.
template <class SC, class LO, class GO, class NO>
void CoalesceDropFactory<SC, LO, GO, NO>::fill(const Rows& rows, const LocalMatrix& filtered,
                                               bool whole) const {
  using Fill = Impl::FillFiltered<typename Rows::scalar_type, device_type>;
  Impl::NodeTeams<device_type>::run("Trident::fillFiltered", filtered.numRows(),
                                    Fill{rows, filtered, whole, lumps(), least()});
}

/// Prints MueLu's statistics, if the factory's verbosity asks for them. Collective.
template <class SC, class LO, class GO, class NO>
void CoalesceDropFactory<SC, LO, GO, NO>::printStatistics(
    const matrix_type& A, const Rows& rows, const Kokkos::View<bool*, device_type>& boundary,
    std::size_t kept) const {
  if (!this->IsPrint(MueLu::Statistics1)) return;
  const long long mine[] = {Impl::countTrue(boundary),
                            static_cast<long long>(rows.matrix.nnz() - kept)};
  long long all[2];
  Teuchos::reduceAll(*A.getRowMap()->getComm(), Teuchos::REDUCE_SUM, 2, mine, all);
  auto& out = this->GetOStream(MueLu::Statistics1);
  out << "Detected " << all[0] << " Dirichlet nodes\n"
      << "Number of dropped entries: " << all[1] << "/" << A.getGlobalNumEntries() << std::endl;
}

}  // namespace Trident

#endif

#define TRIDENT_COALESCEDROPFACTORY_INSTANT(SC, LO, GO, NO) \
  template class Trident::CoalesceDropFactory<SC, LO, GO, NO>;

#endif
