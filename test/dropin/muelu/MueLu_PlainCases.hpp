// SPDX-License-Identifier: BSD-3-Clause
// "Easy" lists of MueLu: each a case of MueLu_UnderPreload.cpp.
#ifndef MUELU_PLAINCASES_HPP
#define MUELU_PLAINCASES_HPP

#include <Teuchos_ParameterList.hpp>
#include <functional>
#include <string>
#include <vector>

/// A problem and the list by which it is set up.
struct Case {
  std::string name;
  std::string problem;                               ///< Galeri's name
  std::function<void(Teuchos::ParameterList&)> set;  ///< changes to an easy list
  bool reuse = false;     ///< later setups reuse the hierarchy, as the list's "reuse: type" says
  bool idleRank = false;  ///< a rank has no rows of A
  double stretch = 1;     ///< factor by which the first axis is longer
};

inline std::vector<Case> plainCases() {
  using List = Teuchos::ParameterList;
  const std::string laplace = "Laplace3D", brick = "Brick3D", elasticity = "Elasticity3D";
  const auto reuse = [](const char* type) {
    return [type](List& list) { list.set("reuse: type", type); };
  };
  const auto repartition = [](bool subCommunicators) {
    return [subCommunicators](List& list) {
      list.set("repartition: enable", true);
      list.set("repartition: start level", 1);
      list.set("repartition: min rows per proc", 100);
      list.set("repartition: partitioner", "zoltan2");
      list.set("repartition: use subcommunicators", subCommunicators);
    };
  };
  return {
      {"sa", laplace, [](List&) {}},
      {"implicit", laplace, [](List& list) { list.set("transpose: use implicit", true); }},
      // Without an implicit transpose Tpetra 13.2 crashes in this product, on several ranks.
      {"triple implicit", laplace,
       [](List& list) {
         list.set("rap: triple product", true);
         list.set("transpose: use implicit", true);
       }},
      {"brick", brick, [](List&) {}},
      {"unsmoothed", laplace, [](List& list) { list.set("multigrid algorithm", "unsmoothed"); }},
      {"emin", laplace, [](List& list) { list.set("multigrid algorithm", "emin"); }},
      {"pg", laplace,
       [](List& list) {
         list.set("multigrid algorithm", "pg");
         list.set("problem: symmetric", false);
       }},
      {"dropped", laplace,
       [](List& list) {
         list.set("aggregation: drop tol", 0.02);
         list.set("sa: use filtered matrix", true);
       },
       false, false, 10},
      {"repartitioned", laplace, repartition(true)},
      {"repartitioned, all ranks", laplace, repartition(false)},
      {"elasticity", elasticity, [](List&) {}},
      {"elasticity unsmoothed", elasticity,
       [](List& list) { list.set("multigrid algorithm", "unsmoothed"); }},
      {"elasticity repartitioned", elasticity, repartition(true)},
      {"idle rank", laplace, [](List&) {}, false, true},
      {"reuse S", laplace, reuse("S"), true},
      {"reuse tP", laplace, reuse("tP"), true},
      {"reuse RP", laplace, reuse("RP"), true},
      {"reuse RAP", laplace, reuse("RAP"), true},
      {"reuse full", laplace, reuse("full"), true},
      {"elasticity reuse RP", elasticity, reuse("RP"), true},
  };
}

#endif
