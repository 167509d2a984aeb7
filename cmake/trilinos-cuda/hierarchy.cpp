// SPDX-License-Identifier: BSD-3-Clause
// Hierarchies of MueLu and the factories that form no product.
#include <MueLu_AmalgamationFactory.hpp>
#include <MueLu_CoarseMapFactory.hpp>
#include <MueLu_FactoryManager_def.hpp>
#include <MueLu_Hierarchy.hpp>
#include <MueLu_NullspaceFactory.hpp>
#include <MueLu_SmootherFactory.hpp>
#include <Tpetra_Core.hpp>
#include <Tpetra_CrsMatrix.hpp>

#include "definitions_hierarchy.hpp"
#define TYPES double, int, long long, Tpetra::Map<>::node_type

namespace MueLu {

/// Makes what a hierarchy by smoothed aggregation needs; MueLu's own makes each factory that there
/// is.
template <>
const RCP<const FactoryBase> FactoryManager<TYPES>::GetDefaultFactory(
    const std::string& name) const {
  const auto found = defaultFactoryTable_.find(name);
  if (found != defaultFactoryTable_.end()) return found->second;
  const auto keep = [&](const RCP<const FactoryBase>& factory) {
    return SetAndReturnDefaultFactory(name, factory);
  };
  const auto from = [&](const RCP<Factory>& factory, const std::string& what) {
    factory->SetFactory(what, GetFactory("Ptent"));
    return keep(factory);
  };
  if (name == "A") return keep(rcp(new MueLu::RAPFactory<TYPES>()));
  if (name == "P") return from(rcp(new MueLu::SaPFactory<TYPES>()), "P");
  if (name == "Ptent") return keep(rcp(new MueLu::TentativePFactory_kokkos<TYPES>()));
  if (name == "R") return keep(rcp(new MueLu::TransPFactory<TYPES>()));
  if (name == "Nullspace") return from(rcp(new MueLu::NullspaceFactory<TYPES>()), "Nullspace");
  if (name == "Graph") return keep(rcp(new MueLu::CoalesceDropFactory_kokkos<TYPES>()));
  if (name == "UnAmalgamationInfo") return keep(rcp(new MueLu::AmalgamationFactory<TYPES>()));
  if (name == "Aggregates")
    return keep(
        rcp(new MueLu::UncoupledAggregationFactory<int, long long, Tpetra::Map<>::node_type>()));
  if (name == "CoarseMap") return keep(rcp(new MueLu::CoarseMapFactory<TYPES>()));
  for (const char* graph : {"DofsPerNode", "Filtering"})
    if (name == graph) return GetFactory("Graph");
  for (const char* tentative : {"Coordinates", "Node Comm"})
    if (name == tentative) return GetFactory("Ptent");
  for (const char* coarse : {"RAP Pattern", "AP Pattern", "K", "M", "Mdiag"})
    if (name == coarse) return GetFactory("A");
  for (const char* smoother : {"Smoother", "PreSmoother", "PostSmoother", "CoarseSolver"})
    if (name == smoother) return Teuchos::null;
  for (const char* user : {"Pnodal", "NodeMatrix", "NodeAggMatrix"})
    if (name == user) return NoFactory::getRCP();
  throw Exceptions::RuntimeError("this MueLu has no default factory for " + name);
}

}  // namespace MueLu

template class MueLu::FactoryManager<TYPES>;
template class MueLu::Hierarchy<TYPES>;
template class MueLu::NullspaceFactory<TYPES>;
template class MueLu::SmootherFactory<TYPES>;
template class MueLu::AmalgamationFactory<TYPES>;
template class MueLu::CoarseMapFactory<TYPES>;
