// SPDX-License-Identifier: BSD-3-Clause
#include <Teuchos_StandardParameterEntryValidators.hpp>
#include <climits>
#include <string>

#include "base/Trident_Lasting.hpp"
#include "base/Trident_Names.hpp"
#include "product/Trident_ReadParameters.hpp"

namespace Trident {
namespace Impl {
namespace {

using Teuchos::ParameterList;
using Teuchos::RCP;
using Teuchos::rcp;

/// Sets a parameter whose values are words, each standing for an enumerator. They stay words in a
/// list that is validated: an enumerator of Trident's in its place, as Teuchos' own validator puts
/// there, would mean nothing to its owner.
template <class Enum>
void setChoice(ParameterList& list, const std::string& name, Enum value, const std::string& doc) {
  Teuchos::Array<std::string> words;
  for (const Named<Enum>& named : NamesOf<Enum>::all) words.push_back(named.name);
  list.set(name, std::string(nameOf(value)), doc, rcp(new Teuchos::StringValidator(words)));
}

void setInt(ParameterList& list, const std::string& name, int value, int min,
            const std::string& doc) {
  list.set(name, value, doc, rcp(new Teuchos::EnhancedNumberValidator<int>(min, INT_MAX)));
}

/// Numbers that may be larger than an int are doubles; an int is taken too.
void setNumber(ParameterList& list, const std::string& name, double value, const std::string& doc) {
  using Validator = Teuchos::AnyNumberParameterEntryValidator;
  Validator::AcceptedTypes types(false);
  types.allowInt(true).allowLongLong(true).allowDouble(true);
  list.set(name, value, doc, rcp(new Validator(Validator::PREFER_DOUBLE, types)));
}

/// Adds the parameters of programs that want a result, have little memory, or choose the grid.
void addUsersParameters(ParameterList& list, const Options& options) {
  list.set("grid", std::string("auto"),
           "Shape of the grid of nodes: \"auto\" takes the shape for which the volume model "
           "predicts the fewest bytes between nodes, \"square\" the shape closest to a square, "
           "\"PRxPC\" (e.g. \"4x2\") that many node rows and node columns. With \"algorithm\" = "
           "\"summa\" it is a grid of ranks, and \"auto\" is \"square\".");
  setInt(
      list, "ranks per node", 0, 0,
      "Ranks that form a node (lambda). 0: those that share memory. Where it does not divide the "
      "number of ranks, the greatest common divisor is taken.");
  setChoice(list, "partition", options.grid.partition,
            "How index spaces are cut: \"aligned\" with the ranks of the row Map, "
            "\"uniform\" in blocks of "
            "equally many indices, \"balanced\" by entries, \"work\": the rows of left factors by "
            "their multiply-adds, which are counted, and all else by entries. The Maps of a Grid, "
            "which are cut before a product is known, are balanced.");
  list.set("reproducible", options.rounds.reproducible,
           "Add the terms of an entry of C in ascending number of the inner index, so that the "
           "kernels \"host\" and \"device\" give the same bits in every run and on every grid, "
           "where one batch has all rounds (doc/algorithm.md, \"The same "
           "bits\"). It costs a look at the order of A's entries, and a sort of them where they do "
           "not ascend.");
  setNumber(list, "memory bytes", 0,
            "Bound for a rank's fused operands, in bytes. 0: the larger of 256 MiB and eight times "
            "its own slices of A and B.");
  setChoice(
      list, "semiring", options.rounds.semiring,
      "What a product adds and multiplies by, for real and whole numbers: \"plus-times\"; "
      "\"min-plus\", shortest ways; \"max-min\", widest ways; \"or-and\", 1 where a pair of "
      "entries meets that are both not zero, else 0; \"plus-second\", which takes B's entry for "
      "the product. A stored entry stays where it is zero, or an infinity. If a function forms "
      "several products, all are over it. Plans, Jacobi steps and a C that has a pattern know "
      "\"plus-times\" alone.");
  setNumber(
      list, "drop tolerance", 0,
      "Entries of the product whose magnitude is less are dropped before it is stored. It is "
      "formed in pieces of rows, and each piece is filtered at once. 0: none are dropped. If a "
      "function forms several products, the last one is filtered. A plan cannot filter.");
  setNumber(list, "keep largest", 0,
            "Entries of a row of the product that stay at most: those of the largest magnitudes, "
            "of equal ones the first. A whole number. 0: all.");
  setNumber(
      list, "timeout", 0,
      "Seconds that a rank waits for others at one place before it gives up with an exception that "
      "says for whom it waited. 0: as long as it takes. It is a help for finding what hangs: after "
      "it every call of Trident in the process fails.");
}

/// Adds the parameters of experiments, of comparisons with the paper, of those who develop Trident,
/// and of the few programs that know better than the defaults.
void addExpertsParameters(ParameterList& list, const Options& options) {
  setChoice(
      list, "algorithm", options.grid.algorithm,
      "\"trident\", or \"summa\", the baseline: Sparse SUMMA on a grid of single ranks, blind to "
      "nodes, slices broadcast along grid rows and columns.");
  setNumber(list, "partition imbalance", options.grid.partitionImbalance,
            "An aligned partition is replaced by a balanced one if its largest block has more than "
            "this many times the mean entries. 0: 3 times, more where a product has few "
            "multiply-adds, and much more where rows of the product would move between nodes.");
  setChoice(
      list, "exchange", options.rounds.exchange,
      "How slices travel between nodes: \"request-queue\": on request, by threads that serve "
      "while the rank computes (needs MPI_THREAD_MULTIPLE, as by Trident::ScopeGuard); requests "
      "go by shared memory if all ranks share it, else by an MPI window, else by messages. "
      "\"prefetch\": by nonblocking messages posted ahead. \"ring\": by broadcasts, each rank "
      "passing slices on to the next, for \"algorithm\" = \"summa\". \"nccl\": from device to "
      "device, if every rank has a GPU of its own. On one node nothing travels, whatever is "
      "asked for. \"auto\" is \"ring\" for \"summa\"; else \"request-queue\" if it is possible, "
      "every rank has a core to spare and the rounds are several batches; else \"prefetch\".");
  setChoice(
      list, "fetch", options.rounds.fetch,
      "What of B travels between nodes in the rounds. \"tiles\": all of it, whatever A holds. "
      "\"needed-rows\": the rows that the columns of A's tiles meet; they need a grid of "
      "several node rows and \"algorithm\" = \"trident\". \"auto\" is \"needed-rows\" on such a "
      "grid if they are fewer bytes and their copies fit \"memory bytes\". Else it is "
      "\"tiles\", also if right factors are too small to ask, or if the choice of a grid has "
      "found that most rows are needed.");
  setChoice(
      list, "gather", options.rounds.gather,
      "How the ranks of a node assemble a tile of B: \"mpi\" gives each a copy by messages. "
      "\"shared\" writes one copy in memory that they share. \"peer\" copies from device to "
      "device, if the ranks of every node can open each other's device memory. \"nccl\" sends "
      "from device to device, if they have distinct GPUs. \"auto\" is the first that every node "
      "can do: \"peer\", \"nccl\" or \"mpi\" on devices, \"shared\" or \"mpi\" on hosts.");
  setChoice(
      list, "device messages", options.rounds.deviceMessages,
      "How device memory passes through MPI: \"direct\" as it lies, which needs a GPU-aware MPI, "
      "\"staged\" through pinned host memory; \"auto\" asks MPI, or goes by what the environment "
      "says of it (doc/building.md, \"GPU-aware MPI\").");
  setChoice(
      list, "kernel", options.rounds.kernel,
      "Local product: \"host\", a dense row of sums that is read in order, on hosts only; "
      "\"device\", rows by their multiply-adds, sorted as they are formed, on devices only (on "
      "CUDA "
      "by kernels of its own for float, double, their complex numbers, int, long long; else by "
      "Kokkos' teams); \"kokkos-kernels\", on devices for scalars of at most 8 bytes. "
      "\"auto\" is \"host\" on hosts and \"device\" on devices.");
  setChoice(list, "drop relative to", options.rounds.relative,
            "What \"drop tolerance\" is multiplied by: by \"nothing\", or by the \"largest\" "
            "magnitude or the \"sum\" of magnitudes of the product's row.");
  setNumber(
      list, "product memory bytes", 0,
      "Bound for a piece of rows of a product that is filtered, or handed over in pieces, with "
      "what forms and filters it, on a rank, in bytes. A piece has one row at least. The bound "
      "does not include the kept entries, nor the fused tile of B, which holds all rounds. 0: "
      "the larger of 256 MiB and eight times the rank's own slices of A and B. On one thread of "
      "a host, where rows are not shared, pieces are bounded by 16 MiB too, as smaller ones "
      "cost nothing there.");
  setInt(list, "fuse rounds", 0, 0,
         "Rounds fused into one local product. 0: all that fit \"memory bytes\".");
  setInt(list, "prefetch depth", 1, 0,
         "Batches of rounds that travel while one is multiplied; each holds a buffer.");
  setNumber(
      list, "workspace bytes", 0,
      "Bound for what the kernel \"device\" keeps and takes on CUDA beside its operands and C, "
      "in bytes. Where a product needs more, it is formed in pieces of rows. 0: 256 MB and a "
      "tenth of A and B.");
  list.set("synchronize", false,
           "Barriers before and after the product on the grid and before its rounds, so that a "
           "rank's times do not include waiting for others. For measurements.");
  list.set("predict volume", false,
           "Evaluate the volume model also where \"grid\" gives the shape, for the report.");
}

RCP<ParameterList> makeValidParameters() {
  RCP<ParameterList> list = rcp(new ParameterList("Trident"));
  const Options defaults;
  addUsersParameters(*list, defaults);
  addExpertsParameters(
      list->sublist(expertName, false,
                    "For experiments, comparisons with the paper, those who develop Trident, and "
                    "the rare program that knows better; products as a rule need none of them. "
                    "They are taken from this sublist alone, and the others from the sublist "
                    "\"Trident\" itself alone."),
      defaults);
  return list;
}

}  // namespace
}  // namespace Impl

Teuchos::RCP<const Teuchos::ParameterList> getValidParameters() {
  static const Impl::Lasting<Teuchos::RCP<const Teuchos::ParameterList>> list(
      Impl::makeValidParameters());
  return *list;
}

}  // namespace Trident
