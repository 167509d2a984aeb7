// SPDX-License-Identifier: BSD-3-Clause
// All ranks get an exception if one of them lacks memory while it reads, numbers or writes labels
// or matrices, or changes a network or the order of its clusters.

#include <Teuchos_UnitTestHarness.hpp>
#include <cstdlib>
#include <new>

#include "TridentClustering_PairText.hpp"
#include "TridentClustering_ReadTab.hpp"
#include "TridentClustering_Renumber.hpp"
#include "TridentClustering_TransformGraph.hpp"
#include "TridentClustering_WriteClusters.hpp"
#include "TridentClustering_WriteGraph.hpp"
#include "TridentDriver_TestTools.hpp"
#include "TridentProblems_Partition.hpp"
#include "TridentProblems_WriteMatrix.hpp"

namespace {

constexpr std::size_t counted = 1000;  // bytes; smaller ones are taken without telling other ranks
int left = -1;  // counted ones before the one that fails; negative: none does

// Counts an allocation, and returns true if it is to fail. It is apart, because nvcc takes operator
// new for device code too, which cannot throw or read `left`.
bool failsNow(std::size_t bytes) { return bytes >= counted && left >= 0 && left-- == 0; }
void requireMemory(const void* memory) {
  if (!memory) throw std::bad_alloc();
}

}  // namespace

void* operator new(std::size_t bytes) {
  void* const memory = failsNow(bytes) ? nullptr : std::malloc(bytes > 0 ? bytes : 1);
  requireMemory(memory);
  return memory;
}
// Allocates by malloc(), so that what the sanitizer's own would allocate is not freed by ours.
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  return failsNow(bytes) ? nullptr : std::malloc(bytes > 0 ? bytes : 1);
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace {

using namespace TestTools;
using namespace Trident::Clustering;

/// Does `work()` with one allocation after the other failing on `rank`, until there is none left.
/// \return how many failed, or -1 where one was not told to all ranks. Collective.
template <class Work>
int failEach(int rank, const Work& work) {
  const Comm comm(*world());
  for (int number = 0;; ++number) {
    left = comm.rank() == rank ? number : -1;
    std::string message;
    try {
      work();
    } catch (const MatrixError& e) {
      message = e.what();
    }
    const bool all = comm.rank() != rank || left >= 0;  // none failed: there are no more
    left = -1;
    if (comm.sum(all ? 0 : 1) == 0) return message.empty() ? number : -1;
    // Or none: a sort does without the memory that it would like to have.
    const std::int64_t told = comm.sum(message.find("out of memory") != std::string::npos ? 1 : 0);
    if (told != comm.size() && (told != 0 || comm.sum(message.empty() ? 0 : 1) > 0)) {
      std::printf("rank %d, allocation %d: \"%s\"\n", comm.rank(), number, message.c_str());
      return -1;
    }
  }
}

std::string pairs() {
  std::string text;
  for (int line = 0; line < 1000; ++line)
    text += "label" + std::to_string(line * 37 % 499) + " label" + std::to_string(line) + " 1\n";
  return text;
}

TEUCHOS_UNIT_TEST(FailingMemory, ReadAndNumber) {
  for (const bool zip : {false, true}) {
    const TempFile file(zip ? "pairs.gz" : "pairs", zip ? gzipped(pairs()) : pairs());
    const Comm comm(*world());
    for (const int rank : {0, comm.size() - 1}) {
      const int failed = failEach(rank, [&] {
        PairReader reader;
        TextInput input(file.path(), comm);
        readChunks(
            input, TextCut(), TextPosition(), [&](const TextChunk& chunk) { reader.take(chunk); },
            comm);
        numberLabels(reader.labels(), comm);
      });
      TEST_ASSERT(failed > 5);
    }
  }
}

TEUCHOS_UNIT_TEST(FailingMemory, Transform) {
  const Comm comm(*world());
  const std::int64_t nodes = 1500;
  const UniformPartition partition(nodes, comm.size());
  LocalRows all;
  for (std::int64_t row = 0; row < partition.count(comm.rank()); ++row) {
    const std::int64_t own = partition.begin(comm.rank()) + row;
    for (std::int64_t other = own % 11; other < nodes; other += 211)
      if (other != own) all.append(static_cast<global_ordinal_type>(other), 1.0 + (own % 5));
    all.endRow();
  }
  const Transformation steps = parseTransformation("add(1),#ceilnb(4),#rank(3),#max(),#tp()");
  LocalRows rows;
  for (const int rank : {0, comm.size() - 1})
    TEST_ASSERT(failEach(rank, [&] {
                  collectively(comm, [&] { rows = all; });
                  transformRows(rows, steps, nodes, comm);
                }) > 20);
}

TEUCHOS_UNIT_TEST(FailingMemory, Clusters) {
  const Comm comm(*world());
  const auto matrix = readMatrix("er:n=1500,d=1", world()).matrix;
  const std::size_t rows = numLocalElements(*matrix->getRowMap());
  std::vector<std::int64_t> clusters(rows);
  for (const int rank : {0, comm.size() - 1}) {
    TEST_ASSERT(failEach(rank, [&] {
                  const std::int64_t first = matrix->getRowMap()->getMinGlobalIndex();
                  for (std::size_t row = 0; row < rows; ++row)
                    clusters[row] = first + static_cast<std::int64_t>(row);
                  renumber(clusters, ClusterOrder::byFirstNode, comm);
                }) > 5);
  }
}

TEUCHOS_UNIT_TEST(FailingMemory, Tab) {
  const Comm comm(*world());
  Graph graph;
  graph.matrix = readMatrix("er:n=3000,d=1", world()).matrix;
  graph.names.firstNumber = graph.matrix->getRowMap()->getMinGlobalIndex();
  std::string text;
  for (int node = 0; node < 3000; ++node)
    text += std::to_string(node) + " label" + std::to_string(node) + "\n";
  const TempFile file("labels.tab", text);
  for (const int rank : {0, comm.size() - 1}) {
    TEST_ASSERT(failEach(rank, [&] { readTab(file.path(), graph); }) > 5);
    TEST_ASSERT(failEach(rank, [&] { writeTab(file.path(), graph); }) > 2);
  }
}

TEUCHOS_UNIT_TEST(FailingMemory, WriteMatrices) {
  const Comm comm(*world());
  const auto A = readMatrix("er:n=3000,d=3", world()).matrix;
  for (const std::string name : {"a.mtx", "a.mtx.gz", "a.csr"}) {
    const TempFile file(name, "");
    for (const int rank : {0, comm.size() - 1})
      TEST_ASSERT(failEach(rank, [&] { writeMatrix(*A, file.path()); }) > 1);
  }
  TEST_ASSERT(failEach(comm.size() - 1, [&] { countEntries(*A); }) > 0);
}

TEUCHOS_UNIT_TEST(FailingMemory, Write) {
  const Comm comm(*world());
  std::vector<std::int64_t> clusters;
  for (std::int64_t node = 0; node < 3000; ++node) clusters.push_back(node % 1000);
  const TempFile file("clusters", "");
  for (const int rank : {0, comm.size() - 1}) {
    TEST_ASSERT(failEach(rank, [&] { writeClusters(file.path(), clusters, NodeNames(), comm); }) >
                5);
    TEST_ASSERT(failEach(rank, [&] { writeClusterMatrix(file.path(), clusters, comm); }) > 5);
    TEST_ASSERT(failEach(rank, [&] { writeTable(file.path(), clusters, NodeNames(), comm); }) > 3);
  }
}

}  // namespace
