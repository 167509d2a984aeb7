// SPDX-License-Identifier: BSD-3-Clause
#include "Trident_Nodes.hpp"

#include <string>

#include "Trident_Error.hpp"
#include "base/Trident_Agreement.hpp"
#include "base/Trident_Phase.hpp"
#include "exchange/Trident_Context.hpp"
#include "grid/Trident_NodeLayout.hpp"
#include "tpetra/Trident_TpetraCompat.hpp"

namespace Trident {

std::vector<int> nodesOfRanks(const Teuchos::Comm<int>& comm, int ranksPerNode) {
  constexpr const char* function = "Trident::nodesOfRanks";
  const Impl::CallScope inside(function);
  return Impl::withErrorContext(function, [&] {
    Impl::Context& context = Impl::Context::of(Impl::rawComm(comm));
    Impl::checkArguments(context.comm(), function, [&](Impl::CollectiveArguments& values) {
      values.push_back({"ranksPerNode", std::to_string(ranksPerNode)});
      return std::string(ranksPerNode < 0 ? "ranksPerNode is negative; 0 takes the ranks that "
                                            "share memory"
                                          : "");
    });
    const Impl::NodeLayout& layout = context.layout(ranksPerNode);
    std::vector<int> nodes = layout.gridRank;
    for (int& node : nodes) node /= layout.nodeSize;
    return nodes;
  });
}

}  // namespace Trident
