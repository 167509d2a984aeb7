// SPDX-License-Identifier: BSD-3-Clause
// A rank that does not come to a tile of peers, as one that died: the others give up, and leave the
// memory that it may read. One test, as the process can use Trident no more after it.

#include <Teuchos_UnitTestHarness.hpp>
#include <memory>
#include <string>

#include "Transport_HostIpc.hpp"
#include "Transport_TestTools.hpp"
#include "Trident_Error.hpp"
#include "base/Trident_Mpi.hpp"
#include "base/Trident_Wait.hpp"
#include "exchange/Trident_NodeGather.hpp"
#include "grid/Trident_Communicator.hpp"

namespace Trident::Impl {
namespace {

using TestTools::HostIpc;
using TestTools::worldRank;
using TestTools::worldSize;

TEUCHOS_UNIT_TEST(PeerTimeout, OthersGiveUpAndFreeNothing) {
  const Communicator node = Communicator::duplicate(MPI_COMM_WORLD);
  HostIpc host;
  const TimeoutScope timeout(0.5);
  auto gather = makePeerGather(node.get(), host);
  gather->reserve(1000, 1);
  static_cast<char*>(gather->open(0))[0] = 'x';
  barrier(node.get(), "all to have reserved");
  const std::size_t held = host.left();
  const bool away = worldSize() > 1 && worldRank() == 0;
  std::string said;
  if (!away) {
    Traffic traffic;
    try {
      gather->start(0, {{0, 0, 1}}, traffic);
      gather->finish(0);
    } catch (const Error& e) {
      said = e.what();
    }
  }
  out << said << "\n";
  if (worldSize() == 1) {
    TEST_EQUALITY(said, std::string());
    return;
  }
  if (!away) {
    TEST_ASSERT(said.find("gave up after 0.5") != std::string::npos);
    TEST_ASSERT(said.find("waits for the ranks of the node to write a tile") != std::string::npos);
    gather.reset();
    TEST_EQUALITY(host.left(), held);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  gather.reset();  // of the one that stayed away: it waits for nobody for ever
}

}  // namespace

}  // namespace Trident::Impl
