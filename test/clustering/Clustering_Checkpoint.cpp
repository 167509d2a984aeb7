// SPDX-License-Identifier: BSD-3-Clause
// Checkpoints: what is written is read again on any number of ranks; a file that is damaged, of
// another version or of another network is refused on every rank; one that cannot be written leaves
// the one before.

#include <glob.h>
#include <sys/stat.h>

#include <Teuchos_UnitTestHarness.hpp>
#include <cstring>
#include <functional>
#include <sstream>

#include "TridentClustering_Checkpoint.hpp"
#include "TridentClustering_ReadGraph.hpp"
#include "TridentDriver_TestTools.hpp"
#include "Trident_MarkovCluster.hpp"

namespace {

using namespace TestTools;
using namespace Trident::Clustering;
using Checkpoints =
    Trident::MarkovCheckpoints<local_ordinal_type, global_ordinal_type, map_type::node_type>;

/// Makes a state that no run has, with all its numbers.
state_type someState(const std::string& spec, const CommPtr& comm) {
  state_type state;
  state.matrix = readGraph(spec, false, comm).matrix;
  state.origin.nodes = static_cast<long long>(state.matrix->getRowMap()->getGlobalNumElements());
  state.origin.graph = 0xfedcba9876543210ull;
  state.origin.inflation = 1.9;
  state.origin.prune = 11;
  state.origin.select = 12;
  state.origin.recover = 13;
  state.origin.percent = 14;
  state.iteration = 5;
  state.chaos = 0.125;
  state.mostEntries = 6;
  state.expanded = 7000000000;
  state.dropped = 8;
  return state;
}

bool sameNumbers(const state_type& a, const state_type& b) {
  return a.origin.nodes == b.origin.nodes && a.origin.graph == b.origin.graph &&
         a.origin.inflation == b.origin.inflation && a.origin.prune == b.origin.prune &&
         a.origin.select == b.origin.select && a.origin.recover == b.origin.recover &&
         a.origin.percent == b.origin.percent && a.origin.precision == b.origin.precision &&
         a.iteration == b.iteration && a.chaos == b.chaos && a.mostEntries == b.mostEntries &&
         a.expanded == b.expanded && a.dropped == b.dropped;
}

Teuchos::RCP<const map_type> uniform(std::int64_t size, const CommPtr& comm) {
  return Teuchos::rcp(new map_type(static_cast<Tpetra::global_size_t>(size), 0, comm));
}

std::string bytesOf(const std::string& path) {
  std::ostringstream bytes;
  bytes << std::ifstream(path, std::ios::binary).rdbuf();
  return bytes.str();
}

/// Returns true if no file is left of one that was to take that name. Collective.
bool nothingBeside(const std::string& path) {
  world()->barrier();
  glob_t found;
  const bool none = glob((path + ".new*").c_str(), 0, nullptr, &found) == GLOB_NOMATCH;
  globfree(&found);
  return none;
}

TEUCHOS_UNIT_TEST(Checkpoint, WriteAndRead) {
  // More ranks than nodes, and rows without entries.
  for (const char* spec : {"families:n=300", "er:n=50,d=1", "families:n=2", "er:n=1,d=0"}) {
    state_type state = someState(spec, world());
    if (state.origin.nodes < 3) state.origin.precision = Trident::MarkovPrecision::Single;
    const TempFile file("checkpoint", "");
    writeCheckpoint(file.path(), state);
    const auto together = readCheckpoint(file.path(), uniform(state.origin.nodes, world()));
    const auto alone = readCheckpoint(file.path(), uniform(state.origin.nodes, self()));
    TEST_ASSERT(sameNumbers(*together, state) && sameNumbers(*alone, state));
    TEST_EQUALITY(checksum(*together->matrix), checksum(*state.matrix));
    TEST_EQUALITY(checksum(*alone->matrix), checksum(*state.matrix));
    TEST_ASSERT(nothingBeside(file.path()));
  }
}

TEUCHOS_UNIT_TEST(Checkpoint, SameBytesOnAnyRanks) {
  const TempFile together("together", ""), alone("alone", "");
  writeCheckpoint(together.path(), someState("families:n=100", world()));
  if (world()->getRank() == 0) writeCheckpoint(alone.path(), someState("families:n=100", self()));
  world()->barrier();
  TEST_EQUALITY(bytesOf(together.path()).size(), bytesOf(alone.path()).size());
}

TEUCHOS_UNIT_TEST(Checkpoint, Damaged) {
  const TempFile file("checkpoint", "");
  const state_type state = someState("families:n=60", world());
  writeCheckpoint(file.path(), state);
  const std::string good = bytesOf(file.path());
  const auto map = uniform(state.origin.nodes, world());
  const auto refuses = [&](const std::string& bytes, const std::string& words) {
    const TempFile bad("bad", bytes);
    return throwsEverywhere([&] { readCheckpoint(bad.path(), map); }, words);
  };
  const auto flipped = [&](std::size_t at) {
    std::string bytes = good;
    bytes[at] = static_cast<char>(bytes[at] ^ 4);
    return bytes;
  };
  TEST_ASSERT(refuses("", "too short"));
  TEST_ASSERT(refuses(good.substr(0, 100), "too short"));
  TEST_ASSERT(refuses(std::string(1000, 'x'), "no checkpoint of this program"));
  TEST_ASSERT(refuses(flipped(16), "version 5"));
  for (std::size_t at = 24; at < 144; at += 8) TEST_ASSERT(refuses(flipped(at), "damaged"));
  for (std::size_t at = 144; at < good.size(); at += good.size() / 97)
    TEST_ASSERT(refuses(flipped(at), "damaged"));
  TEST_ASSERT(refuses(good.substr(0, good.size() - 1), "damaged"));
  TEST_ASSERT(refuses(good + "x", "damaged"));
  TEST_ASSERT(throwsEverywhere([&] { readCheckpoint(file.path(), uniform(61, world())); },
                               "of 60 nodes, and this one has 61"));
  TEST_ASSERT(throwsEverywhere([&] { readCheckpoint(file.path() + ".none", map); }, "opening"));
}

// Numbers of which a multiple is none, in a header whose digest is right.
TEUCHOS_UNIT_TEST(Checkpoint, EntriesBeyondNumbers) {
  const TempFile file("checkpoint", "");
  const state_type state = someState("families:n=60", world());
  writeCheckpoint(file.path(), state);
  const std::string good = bytesOf(file.path());
  constexpr std::size_t headerWords = 18, entries = 5;
  for (const std::uint64_t more : {std::uint64_t{1} << 60, std::uint64_t{1} << 63}) {
    std::uint64_t words[headerWords], digest = 0;
    std::memcpy(words, good.data(), sizeof words);
    words[entries] += more;
    for (std::size_t w = 0; w + 1 < headerWords; ++w) digest += hash(words[w], w);
    words[headerWords - 1] = digest;
    std::string bytes = good;
    std::memcpy(&bytes[0], words, sizeof words);
    const TempFile bad("bad", bytes);
    const auto map = uniform(state.origin.nodes, world());
    TEST_ASSERT(
        throwsEverywhere([&] { readCheckpoint(bad.path(), map); }, "entries: it is damaged"));
  }
}

TEUCHOS_UNIT_TEST(Checkpoint, CannotBeWritten) {
  const TempFile file("checkpoint", "");
  state_type state = someState("families:n=200", world());
  writeCheckpoint(file.path(), state);
  const std::string before = bytesOf(file.path());
  ++state.iteration;
  {
    const SmallDisk disk(2000);
    TEST_ASSERT(throwsEverywhere([&] { writeCheckpoint(file.path(), state); }, file.path()));
  }
  TEST_ASSERT(bytesOf(file.path()) == before);
  TEST_ASSERT(nothingBeside(file.path()));
  const EmptyFolder folder;
  const std::string absent = folder.absent("c");
  TEST_ASSERT(throwsEverywhere([&] { writeCheckpoint(absent, state); }, absent));
  TEST_EQUALITY(readCheckpoint(file.path(), state.matrix->getRowMap())->iteration, 5);
  writeCheckpoint(file.path(), state);
  TEST_EQUALITY(readCheckpoint(file.path(), state.matrix->getRowMap())->iteration, 6);
}

TEUCHOS_UNIT_TEST(Checkpoint, CannotBePutThere) {
  const std::string folder = tempName("folder");
  if (world()->getRank() == 0) mkdir(folder.c_str(), 0700);
  world()->barrier();
  const state_type state = someState("families:n=20", world());
  TEST_ASSERT(throwsEverywhere([&] { writeCheckpoint(folder, state); }, "is a directory"));
  TEST_ASSERT(nothingBeside(folder));
  world()->barrier();
  if (world()->getRank() == 0) std::remove(folder.c_str());
}

/// Makes a communicator of the first ranks of the world; null on others. Collective.
CommPtr firstRanks(int ranks) {
  const bool in = world()->getRank() < ranks;
  const CommPtr comm = world()->split(in ? 0 : 1, world()->getRank());
  return in ? comm : Teuchos::null;
}

/// Returns the clusters of all nodes, on every rank.
std::vector<global_ordinal_type> cluster(const std::string& spec, const CommPtr& comm,
                                         const Trident::MarkovOptions& options,
                                         const std::string& save, const std::string& resume) {
  const auto graph = readGraph(spec, false, comm).matrix;
  Checkpoints checkpoints;
  if (!save.empty()) {
    checkpoints.every = 2;
    checkpoints.save = [&](const state_type& state) { writeCheckpoint(save, state); };
  }
  if (!resume.empty()) checkpoints.resume = readCheckpoint(resume, graph->getRowMap());
  const auto result = Trident::markovCluster(*graph, options, checkpoints);
  const auto& map = *graph->getRowMap();
  const auto size = static_cast<int>(map.getGlobalNumElements());
  std::vector<global_ordinal_type> mine(static_cast<std::size_t>(size), 0), all(mine);
  const auto labels = result.labels->getData();
  for (int l = 0; l < labels.size(); ++l)
    mine[static_cast<std::size_t>(map.getGlobalElement(l))] = labels[l];
  Teuchos::reduceAll(*comm, Teuchos::REDUCE_SUM, size, mine.data(), all.data());
  return all;
}

TEUCHOS_UNIT_TEST(Checkpoint, ResumeOnOtherRanks) {
  const std::string spec = "families:n=500,seed=3";
  const TempFile file("checkpoint", "");
  Trident::MarkovOptions options;
  const auto unbroken = cluster(spec, world(), options, "", "");
  for (const int last : {2, 5}) {
    options.mostIterations = last;
    cluster(spec, world(), options, file.path(), "");
    options.mostIterations = 10000;
    for (const int ranks : {1, 2, 3, 4, 6}) {
      if (ranks > world()->getSize()) continue;
      const CommPtr some = firstRanks(ranks);
      if (!some.is_null()) TEST_ASSERT(cluster(spec, some, options, "", file.path()) == unbroken);
    }
  }
}

}  // namespace
