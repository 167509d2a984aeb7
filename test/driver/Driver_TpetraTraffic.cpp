// SPDX-License-Identifier: BSD-3-Clause
// Bytes that the driver says Tpetra's product receives, against the messages that it sends.

#include <mpi.h>

#include <Teuchos_UnitTestHarness.hpp>
#include <TpetraExt_MatrixMatrix.hpp>
#include <utility>
#include <vector>

#include "TridentDriver_TestTools.hpp"
#include "TridentDriver_TpetraTraffic.hpp"
#include "TridentProblems_Restriction.hpp"

namespace {

/// Bytes sent to each rank while counting, by the point-to-point calls of Teuchos.
struct Sent {
  std::vector<long long> all, packed;  // packed: of packed rows, which alone travel as characters
};

Sent& sent() {
  static Sent sent;
  return sent;
}

void countSend(int count, MPI_Datatype type, int to) {
  int size = 0;
  if (static_cast<std::size_t>(to) >= sent().all.size() ||
      PMPI_Type_size(type, &size) != MPI_SUCCESS)
    return;
  sent().all[to] += static_cast<long long>(count) * size;
  if (type == MPI_CHAR) sent().packed[to] += count;
}

}  // namespace

extern "C" {

int MPI_Isend(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
              MPI_Request* request) {
  countSend(count, type, to);
  return PMPI_Isend(data, count, type, to, tag, comm, request);
}
int MPI_Send(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
  countSend(count, type, to);
  return PMPI_Send(data, count, type, to, tag, comm);
}
int MPI_Rsend(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
  countSend(count, type, to);
  return PMPI_Rsend(data, count, type, to, tag, comm);
}
int MPI_Ssend(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
  countSend(count, type, to);
  return PMPI_Ssend(data, count, type, to, tag, comm);
}

}  // extern "C"

namespace {

using namespace TestTools;
using namespace Trident::Driver;

/// Returns the nodes of ranks, two on each, 0 and 2 on the first: not the communicator's order.
std::vector<int> nodesOf(int ranks) {
  std::vector<int> nodes(ranks);
  for (int r = 0; r < ranks; ++r) nodes[r] = ranks % 2 == 0 ? r % (ranks / 2) : r;
  return nodes;
}

/// Returns the traffic that this rank received, by the senders' nodes. Collective.
Trident::Traffic received(const std::vector<long long>& sent, const std::vector<int>& nodes,
                          const Comm& comm) {
  std::vector<long long> from(comm.size());
  checkMpi(MPI_Alltoall(sent.data(), 1, MPI_LONG_LONG, from.data(), 1, MPI_LONG_LONG, comm.get()),
           "MPI_Alltoall");
  Trident::Traffic traffic;
  for (int r = 0; r < comm.size(); ++r)
    if (r != comm.rank()) traffic.count(nodes[r] != nodes[comm.rank()], from[r]);
  return traffic;
}

struct Travelled {
  Trident::Traffic all, packed;
};

Travelled receivedInProduct(const matrix_type& A, const matrix_type& B,
                            const std::vector<int>& nodes, const Comm& comm) {
  matrix_type C(A.getRowMap(), 0);
  const std::vector<long long> none(comm.size(), 0);
  sent() = {none, none};
  Tpetra::MatrixMatrix::Multiply(A, false, B, false, C);
  const Sent counted = sent();
  sent() = {};
  return {received(counted.all, nodes, comm), received(counted.packed, nodes, comm)};
}

/// Counts the rows of another matrix that this rank's rows of A need.
long long remoteRows(const matrix_type& A) {
  const auto importer = A.getGraph()->getImporter();
  return importer.is_null() ? 0 : static_cast<long long>(importer->getNumRemoteIDs());
}

TEUCHOS_UNIT_TEST(TpetraTraffic, IsWhatTravels) {
  const Comm comm(*world());
  const std::vector<int> nodes = nodesOf(comm.size());
  const auto A = readMatrix("er:n=1200,d=60", world()).matrix;
  const auto banded = readMatrix("banded:n=1200,bw=60", world()).matrix;
  for (const auto& factors :
       {std::make_pair(A, A), std::make_pair(banded, A), std::make_pair(A, restriction(*A, 1)),
        std::make_pair(A, readMatrix("er:n=1200,d=0", world()).matrix)}) {
    const Trident::Traffic counted = tpetraTraffic(*factors.first, *factors.second, nodes);
    const Travelled travelled = receivedInProduct(*factors.first, *factors.second, nodes, comm);
    out << "internode: counted " << counted.internodeBytes << ", of "
        << travelled.all.internodeBytes << "; intranode: " << counted.intranodeBytes << ", of "
        << travelled.all.intranodeBytes << "\n";
    // The rows exactly: each has its size sent beforehand.
    const long long packed = travelled.packed.internodeBytes + travelled.packed.intranodeBytes;
    const long long sizes =
        static_cast<long long>(sizeof(std::size_t)) * remoteRows(*factors.first);
    TEST_EQUALITY(counted.internodeBytes + counted.intranodeBytes, packed + sizes);
    TEST_COMPARE(counted.internodeBytes, >=, travelled.packed.internodeBytes);
    TEST_COMPARE(counted.intranodeBytes, >=, travelled.packed.intranodeBytes);
    // What sets transfers up is not counted.
    TEST_COMPARE(counted.internodeBytes, <=, travelled.all.internodeBytes);
    TEST_COMPARE(counted.intranodeBytes, <=, travelled.all.intranodeBytes);
  }
}

/// The set-up of transfers is a small part where rows have many entries.
TEUCHOS_UNIT_TEST(TpetraTraffic, IsMostOfWhatTravels) {
  const Comm comm(*world());
  const std::vector<int> nodes = nodesOf(comm.size());
  const auto A = readMatrix("er:n=1200,d=120", world()).matrix;
  const Trident::Traffic counted = tpetraTraffic(*A, *A, nodes);
  const Trident::Traffic all = receivedInProduct(*A, *A, nodes, comm).all;
  out << "internode: counted " << counted.internodeBytes << ", of " << all.internodeBytes
      << "; intranode: " << counted.intranodeBytes << ", of " << all.intranodeBytes << "\n";
  TEST_COMPARE(1.05 * static_cast<double>(counted.internodeBytes), >=,
               static_cast<double>(all.internodeBytes));
  TEST_COMPARE(1.05 * static_cast<double>(counted.intranodeBytes), >=,
               static_cast<double>(all.intranodeBytes));
}

TEUCHOS_UNIT_TEST(TpetraTraffic, NothingWithoutRemoteRows) {
  const auto A = readMatrix("banded:n=100,bw=0", world()).matrix;
  const Trident::Traffic counted = tpetraTraffic(*A, *A, nodesOf(world()->getSize()));
  TEST_EQUALITY_CONST(counted.internodeBytes + counted.intranodeBytes, 0);
}

}  // namespace
