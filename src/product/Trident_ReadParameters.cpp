// SPDX-License-Identifier: BSD-3-Clause
#include "product/Trident_ReadParameters.hpp"

#include <Teuchos_StandardParameterEntryValidators.hpp>
#include <algorithm>
#include <array>
#include <cctype>
#include <climits>
#include <cmath>
#include <functional>
#include <map>
#include <string>
#include <type_traits>

#include "base/Trident_Lasting.hpp"
#include "base/Trident_Names.hpp"
#include "base/Trident_PlainNumbers.hpp"

namespace Trident {
namespace Impl {
namespace {

namespace Bad = Teuchos::Exceptions;
using Teuchos::ParameterEntry;
using Teuchos::ParameterList;
using Teuchos::RCP;
using Teuchos::rcp;

const char* const globalConstants = "compute global constants";
/// Names of the parameters that a product may have of its own, instead of its grid's.
constexpr std::array<const char*, 5> productNames{"semiring", "drop tolerance", "drop relative to",
                                                  "keep largest", "product memory bytes"};

/// Throws an exception of Teuchos' with a sentence of Trident's. Teuchos' own sentences say less.
template <class Exception>
[[noreturn]] void fail(const std::string& sentence) {
  throw Exception("Trident: " + sentence);
}

std::string quoted(const std::string& text) { return '"' + text + '"'; }

/// Returns a number as text, with the fewest digits (6, 15 or 17) that read back as the number.
std::string numberText(double value) {
  for (const int digits : {6, 15, 17}) {
    const std::string text = plainText(value, digits);
    std::size_t used = 0;
    if (digits == 17 || numberAtFront(text, used) == value) return text;
  }
  return "";  // not reached
}

/// Returns the value of an entry, without marking the entry as used.
template <class T>
T valueIn(const ParameterEntry& entry) {
  return Teuchos::any_cast<T>(entry.getAny(false));
}

template <class T>
T valueIn(const ParameterEntry& entry, const std::string& name, const char* type) {
  if (!entry.isType<T>()) fail<Bad::InvalidParameterType>(quoted(name) + " must be " + type);
  return valueIn<T>(entry);
}

double numberIn(const ParameterEntry& entry, const std::string& name) {
  if (entry.isType<int>()) return valueIn<int>(entry);
  if (entry.isType<long long>()) return static_cast<double>(valueIn<long long>(entry));
  return valueIn<double>(entry, name, "a number: int, long long or double");
}

std::string valueText(const ParameterEntry& entry) {
  if (entry.isType<bool>()) return valueIn<bool>(entry) ? "true" : "false";
  if (entry.isType<std::string>()) return quoted(valueIn<std::string>(entry));
  return numberText(numberIn(entry, ""));
}

/// Reads the parameter "grid": "auto", "square", or node rows and columns such as "4x2".
void readGrid(const ParameterEntry& entry, Options& options) {
  const auto text = valueIn<std::string>(entry, "grid", "a std::string");
  GridOptions& grid = options.grid;
  if (text == "auto") return;
  if (text == "square") {
    grid.choice = GridChoice::Square;
    return;
  }
  const std::size_t x = text.find('x');
  const auto isNumber = [](const std::string& s) {  // a number that an int holds
    return !s.empty() && s.size() <= 9 && s.find_first_not_of("0123456789") == std::string::npos;
  };
  if (x != std::string::npos && isNumber(text.substr(0, x)) && isNumber(text.substr(x + 1))) {
    grid.choice = GridChoice::Explicit;
    grid.nodeRows = std::stoi(text.substr(0, x));
    grid.nodeCols = std::stoi(text.substr(x + 1));
  }
  if (grid.nodeRows < 1 || grid.nodeCols < 1)
    fail<Bad::InvalidParameterValue>("\"grid\" = " + quoted(text) +
                                     " is none of auto, square, PRxPC (such as 4x2)");
}

/// The positive numbers that a parameter takes. It also takes 0, which means "no bound" or "Trident
/// chooses". So a positive number below `least` is refused, and not taken for 0.
struct Allowed {
  double least, most;
};

/// Returns a parameter's value. Throws if it has another type than T, or is not allowed.
template <class T>
T readValue(const ParameterEntry& entry, const std::string& name, const Allowed& allowed) {
  const auto refuse = [&](const std::string& value, const std::string& why) {
    fail<Bad::InvalidParameterValue>(quoted(name) + " = " + value + " is " + why);
  };
  if constexpr (std::is_same_v<T, bool>) {
    return valueIn<bool>(entry, name, "a bool");
  } else if constexpr (std::is_enum_v<T>) {
    const auto word = valueIn<std::string>(entry, name, "a std::string");
    std::string words;
    for (const Named<T>& named : NamesOf<T>::all) {
      if (word == named.name) return named.value;
      words.append(words.empty() ? "" : ", ").append(named.name);
    }
    refuse(quoted(word), "none of " + words);
    return {};  // not reached
  } else {
    const double value = std::is_same_v<T, int> ? valueIn<int>(entry, name, "a number, an int")
                                                : numberIn(entry, name);
    const double least = value > 0 && value < allowed.least ? allowed.least : 0;
    if (!(value >= least && value <= allowed.most))
      refuse(numberText(value),
             "not in [" + numberText(least) + ", " + numberText(allowed.most) + "]");
    if (std::is_same_v<T, long long> && value != std::floor(value))
      refuse(numberText(value), "not a whole number");
    return static_cast<T>(value);
  }
}

/// Returns the option that a parameter sets.
template <class T, class Owner>
T& optionOf(Options& options, T Owner::*field) {
  if constexpr (std::is_same_v<Owner, Options>)
    return options.*field;
  else if constexpr (std::is_same_v<Owner, GridOptions>)
    return options.grid.*field;
  else
    return options.rounds.*field;
}

/// The data of a parameter that are kept outside of the list `users`.
struct Parameter {
  std::function<void(const ParameterEntry&, Options&)> read;
  bool isExperts;
  std::string defaultText;  ///< default value; stored because making it would slow small products
};

/// All parameters: the list that programs see, and a reader for each parameter.
struct Parameters {
  RCP<ParameterList> users = rcp(new ParameterList("Trident"));
  std::map<std::string, Parameter> all;

  Parameters() {
    addUsers(*users);
    addExperts(users->sublist(
        expertName, false,
        "For experiments, comparisons with the paper, those who develop Trident, and the rare "
        "program that knows better; products as a rule need none of them. They are taken from this "
        "sublist alone, and the others from the sublist \"Trident\" itself alone."));
  }

  template <class Read>
  void addReader(const ParameterList& list, const std::string& name, const Read& read) {
    all[name] = {read, &list != &*users, valueText(list.getEntry(name))};
  }

  /// Adds a parameter to a list, with the type of its option. An enumeration is a text, because
  /// Teuchos' validator for enumerations would write an enumerator into the caller's list. A number
  /// that may exceed an int is a double, but the caller may give an int.
  template <class T, class Owner>
  void add(ParameterList& list, const std::string& name, T Owner::*field, const std::string& doc,
           const Allowed& allowed = {1, std::is_same_v<T, int> ? INT_MAX : 1e18}) {
    Options defaults;
    const T value = optionOf(defaults, field);
    if constexpr (std::is_same_v<T, bool>) {
      list.set(name, value, doc);
    } else if constexpr (std::is_enum_v<T>) {
      Teuchos::Array<std::string> words;
      for (const Named<T>& named : NamesOf<T>::all) words.push_back(named.name);
      list.set(name, std::string(nameOf(value)), doc, rcp(new Teuchos::StringValidator(words)));
    } else if constexpr (std::is_same_v<T, int>) {
      list.set(name, value, doc, rcp(new Teuchos::EnhancedNumberValidator<int>(0, INT_MAX)));
    } else {
      using Validator = Teuchos::AnyNumberParameterEntryValidator;
      Validator::AcceptedTypes types(false);
      types.allowInt(true).allowLongLong(true).allowDouble(true);
      list.set(name, static_cast<double>(value), doc,
               rcp(new Validator(Validator::PREFER_DOUBLE, types)));
    }
    addReader(list, name, [=](const ParameterEntry& entry, Options& options) {
      optionOf(options, field) = readValue<T>(entry, name, allowed);
    });
  }

  void addUsers(ParameterList& list);
  void addExperts(ParameterList& list);
};

/// Adds parameters for programs that want a result, have little memory, or choose the grid.
void Parameters::addUsers(ParameterList& list) {
  list.set("grid", std::string("auto"),
           "Shape of the grid of nodes: \"auto\" takes the shape for which the volume model "
           "predicts the fewest bytes between nodes, \"square\" the shape closest to a square, "
           "\"PRxPC\" (e.g. \"4x2\") that many node rows and node columns. With \"algorithm\" = "
           "\"summa\" it is a grid of ranks, and \"auto\" is \"square\".");
  addReader(list, "grid", readGrid);
  add(list, "ranks per node", &GridOptions::ranksPerNode,
      "Ranks that form a node (lambda). 0: those that share memory. Where it does not divide the "
      "number of ranks, the greatest common divisor is taken.");
  add(list, "partition", &GridOptions::partition,
      "How index spaces are cut: \"aligned\" with the ranks of the row Map, \"uniform\" in blocks "
      "of equally many indices, \"balanced\" by entries, \"work\": the rows of left factors by "
      "their multiply-adds, which are counted, and all else by entries. The Maps of a Grid, which "
      "are cut before a product is known, are balanced.");
  add(list, "reproducible", &RoundOptions::reproducible,
      "Add the terms of an entry of C in ascending number of the inner index, so that the kernels "
      "\"host\" and \"device\" give the same bits in every run and on every grid, where one batch "
      "has all rounds (doc/algorithm.md, \"The same bits\"). It costs a look at the order of A's "
      "entries, and a sort of them where they do not ascend.");
  add(list, "memory bytes", &RoundOptions::memoryBytes,
      "Bound for a rank's fused operands, in bytes. 0: the larger of 256 MiB and eight times its "
      "own slices of A and B.");
  add(list, "semiring", &RoundOptions::semiring,
      "What a product adds and multiplies by, for real and whole numbers: \"plus-times\"; "
      "\"min-plus\", shortest ways; \"max-min\", widest ways; \"or-and\", 1 where a pair of "
      "entries meets that are both not zero, else 0; \"plus-second\", which takes B's entry for "
      "the product. A stored entry stays where it is zero, or an infinity. If a function forms "
      "several products, all are over it. Plans, Jacobi steps and a C that has a pattern know "
      "\"plus-times\" alone.");
  add(list, "drop tolerance", &RoundOptions::dropTolerance,
      "Entries of the product whose magnitude is less are dropped before it is stored. It is "
      "formed in pieces of rows, and each piece is filtered at once. 0: none are dropped. If a "
      "function forms several products, the last one is filtered. A plan cannot filter.",
      {0, 1e300});
  add(list, "keep largest", &RoundOptions::keepLargest,
      "Entries of a row of the product that stay at most: those of the largest magnitudes, of "
      "equal ones the first. A whole number. 0: all.",
      {0, 1e18});
  add(list, "timeout", &Options::timeoutSeconds,
      "Seconds that a rank waits for others at one place before it gives up with an exception that "
      "says for whom it waited. 0: as long as it takes. It is a help for finding what hangs: after "
      "it every call of Trident in the process fails.",
      {0, 1e9});
}

/// Adds parameters for experiments, for comparisons with the paper, for those who develop Trident,
/// and for the few programs that know better than the defaults.
void Parameters::addExperts(ParameterList& list) {
  add(list, "algorithm", &GridOptions::algorithm,
      "\"trident\", or \"summa\", the baseline: Sparse SUMMA on a grid of single ranks, blind to "
      "nodes, slices broadcast along grid rows and columns.");
  add(list, "partition imbalance", &GridOptions::partitionImbalance,
      "An aligned partition is replaced by a balanced one if its largest block has more than this "
      "many times the mean entries. 0: 3 times, more where a product has few multiply-adds, and "
      "much more where rows of the product would move between nodes.",
      {1, 1e300});
  add(list, "exchange", &RoundOptions::exchange,
      "How slices travel between nodes: \"request-queue\": on request, by threads that serve while "
      "the rank computes (needs MPI_THREAD_MULTIPLE, as by Trident::ScopeGuard); requests go by "
      "shared memory if all ranks share it, else by an MPI window, else by messages. \"prefetch\": "
      "by nonblocking messages posted ahead. \"ring\": by broadcasts, each rank passing slices on "
      "to the next, for \"algorithm\" = \"summa\". \"nccl\": from device to device, if every rank "
      "has a GPU of its own. On one node nothing travels, whatever is asked for. \"auto\" is "
      "\"ring\" for \"summa\"; else \"request-queue\" if it is possible, every rank has a core to "
      "spare and the rounds are several batches; else \"prefetch\".");
  add(list, "fetch", &RoundOptions::fetch,
      "What of B travels between nodes in the rounds. \"tiles\": all of it, whatever A holds. "
      "\"needed-rows\": the rows that the columns of A's tiles meet; they need a grid of several "
      "node rows and \"algorithm\" = \"trident\". \"auto\" is \"needed-rows\" on such a grid if "
      "they are fewer bytes and their copies fit \"memory bytes\". Else it is \"tiles\", also if "
      "right factors are too small to ask, or if the choice of a grid has found that most rows are "
      "needed.");
  add(list, "gather", &RoundOptions::gather,
      "How the ranks of a node assemble a tile of B: \"mpi\" gives each a copy by messages. "
      "\"shared\" writes one copy in memory that they share. \"peer\" copies from device to "
      "device, if the ranks of every node can open each other's device memory. \"nccl\" sends from "
      "device to device, if they have distinct GPUs. \"auto\" is the first that every node can do: "
      "\"peer\", \"nccl\" or \"mpi\" on devices, \"shared\" or \"mpi\" on hosts.");
  add(list, "device messages", &RoundOptions::deviceMessages,
      "How device memory passes through MPI: \"direct\" as it lies, which needs a GPU-aware MPI, "
      "\"staged\" through pinned host memory; \"auto\" asks MPI, or goes by what the environment "
      "says of it (doc/building.md, \"GPU-aware MPI\").");
  add(list, "kernel", &RoundOptions::kernel,
      "Local product: \"host\", a dense row of sums that is read in order, on hosts only; "
      "\"device\", rows by their multiply-adds, sorted as they are formed, on devices only (on "
      "CUDA by kernels of its own for float, double, their complex numbers, int, long long; else "
      "by Kokkos' teams); \"kokkos-kernels\", on devices for scalars of at most 8 bytes. \"auto\" "
      "is \"host\" on hosts and \"device\" on devices.");
  add(list, "drop relative to", &RoundOptions::relative,
      "What \"drop tolerance\" is multiplied by: by \"nothing\", or by the \"largest\" magnitude "
      "or the \"sum\" of magnitudes of the product's row.");
  add(list, "product memory bytes", &RoundOptions::pieceBytes,
      "Bound for a piece of rows of a product that is filtered, or handed over in pieces, with "
      "what forms and filters it, on a rank, in bytes. A piece has one row at least. The bound "
      "does not include the kept entries, nor the fused tile of B, which holds all rounds. 0: the "
      "larger of 256 MiB and eight times the rank's own slices of A and B. On one thread of a "
      "host, where rows are not shared, pieces are bounded by 16 MiB too, as smaller ones cost "
      "nothing there.");
  add(list, "fuse rounds", &RoundOptions::fuseRounds,
      "Rounds fused into one local product. 0: all that fit \"memory bytes\".");
  add(list, "prefetch depth", &RoundOptions::prefetchDepth,
      "Batches of rounds that travel while one is multiplied; each holds a buffer.");
  add(list, "workspace bytes", &RoundOptions::workspaceBytes,
      "Bound for what the kernel \"device\" keeps and takes on CUDA beside its operands and C, in "
      "bytes. Where a product needs more, it is formed in pieces of rows. 0: 256 MiB and a tenth "
      "of A and B.");
  add(list, "synchronize", &RoundOptions::synchronize,
      "Barriers before and after the product on the grid and before its rounds, so that a rank's "
      "times do not include waiting for others. For measurements.");
  add(list, "predict volume", &GridOptions::predictVolume,
      "Evaluate the volume model also where \"grid\" gives the shape, for the report.");
  add(list, "reread structures", &Options::rereadsStructures,
      "Plans read the structures of all matrices in each product, also of those that Tpetra's "
      "functions cannot have changed. For programs that may write into a graph's arrays "
      "themselves (doc/contract.md, \"structures that a program writes\").");
}

const Parameters& parameters() {
  static const Lasting<Parameters> all;
  return *all;
}

std::string joined(const std::string& text, const std::string& word) {
  return text + (text.empty() ? "" : ", ") + word;
}

/// Throws if there is no parameter `name`.
/// @param place words that follow the name in the message: where the parameter was given
void requireKnown(const std::string& name, const std::string& place) {
  if (parameters().all.count(name)) return;
  const auto namesIn = [](const ParameterList& list) {
    std::string names;
    for (auto p = list.begin(); p != list.end(); ++p)
      if (!list.entry(p).isList()) names = joined(names, list.name(p));
    return names;
  };
  fail<Bad::InvalidParameterName>("there is no parameter " + quoted(name) + place + ", only " +
                                  namesIn(*parameters().users) + " in \"Trident\", and " +
                                  namesIn(parameters().users->sublist(expertName)) +
                                  " in its sublist " + quoted(expertName));
}

/// Returns true if a name begins with "Trident", whatever its case and blanks.
bool looksLikeTrident(const std::string& name) {
  std::string letters;
  for (const unsigned char c : name)
    if (!std::isspace(c)) letters += static_cast<char>(std::tolower(c));
  return letters.compare(0, 7, "trident") == 0;
}

/// Returns the end of a message: the code that sets a known parameter where it belongs.
std::string setIn(const std::string& list, const std::string& name) {
  return "; write " + list +
         (parameters().all.at(name).isExperts ? ".sublist(" + quoted(expertName) + ")" : "") +
         ".set(" + quoted(name) + ", value)";
}

/// The entries that were given, by the names of their parameters.
using Given = std::map<std::string, const ParameterEntry*>;

/// Reads the parameters of a list, then those of its sublist "expert". Returns all that were given.
/// Throws if a parameter is unknown, stands in a wrong place, or is not valid.
/// @param experts true if `from` is a sublist "expert" itself
/// @param list code that names the list, for messages
Given readPlace(const ParameterList& from, bool experts, const std::string& list,
                Options& options) {
  const std::string sublist = "sublist " + quoted(expertName);
  Given given;
  for (auto p = from.begin(); p != from.end(); ++p) {
    const std::string& name = from.name(p);
    if (!experts && name == expertName) continue;
    if (from.isSublist(name) && looksLikeTrident(name))
      fail<Bad::InvalidParameterName>("the sublist " + quoted(name) + " has no place here; write " +
                                      list + ".set(name, value)");
    requireKnown(name, experts ? " in the " + sublist : "");
    const Parameter& parameter = parameters().all.at(name);
    if (parameter.isExperts != experts)
      fail<Bad::InvalidParameterName>(
          quoted(name) + " belongs " +
          (experts ? "beside the " + sublist + ", not in it" : "in the " + sublist) +
          setIn(list, name));
    parameter.read(from.entry(p), options);
    given[name] = &from.entry(p);
  }
  if (experts || !from.isParameter(expertName)) return given;
  if (!from.isSublist(expertName))
    fail<Bad::InvalidParameterType>(quoted(expertName) + " must be a sublist");
  given.merge(readPlace(from.sublist(expertName), true, list, options));
  return given;
}

/// Throws if a list has a parameter of Trident's beside the sublist "Trident". Does not look for
/// names of one word, except "semiring", because "grid" or "timeout" may be another package's.
void requireNoneBeside(const ParameterList& list) {
  for (auto p = list.begin(); p != list.end(); ++p) {
    const std::string& name = list.name(p);
    if ((name.find(' ') != std::string::npos || name == "semiring") && parameters().all.count(name))
      failBeside(name);
    if (name == expertName && list.isSublist(name)) requireNoneBeside(list.sublist(name));
  }
}

/// Returns the values that must be the same on all ranks. These are all parameters, given or not,
/// and the parameters beside the sublist that change a product.
CollectiveArguments collectiveArguments(const Given& given, const RCP<ParameterList>& params) {
  CollectiveArguments values{
      {"the parameter list", params.is_null() ? "null" : "one that is not null"}};
  for (const bool experts : {false, true})  // messages name the users' parameters first
    for (const auto& [name, parameter] : parameters().all) {
      if (parameter.isExperts != experts) continue;
      const auto own = given.find(name);
      values.push_back(
          {quoted(name), own == given.end() ? parameter.defaultText : valueText(*own->second)});
    }
  const bool constants = !params.is_null() && params->isParameter(globalConstants);
  values.push_back({quoted(globalConstants),
                    constants ? valueText(params->getEntry(globalConstants)) : "not given"});
  values.push_back({quoted(throwsOutsideName), dropsOutside(params) ? "false" : "true"});
  return values;
}

}  // namespace

void failBeside(const std::string& name) {
  fail<Bad::InvalidParameterName>(quoted(name) +
                                  " is not read here, but in the sublist \"Trident\"" +
                                  setIn("params->sublist(\"Trident\")", name));
}

void requireReadable(const ParameterList& params) {
  const std::string remedy = "; write params->sublist(\"Trident\").set(name, value)";
  for (auto p = params.begin(); p != params.end(); ++p) {
    const std::string& name = params.name(p);
    if (name == "Trident" && !params.isSublist(name))
      fail<Bad::InvalidParameterType>("\"Trident\" is not a sublist, and must be one" + remedy);
    if (name != "Trident" && params.isSublist(name) && looksLikeTrident(name))
      fail<Bad::InvalidParameterName>("the sublist " + quoted(name) +
                                      " would not be read: its name must be \"Trident\"" + remedy);
  }
  requireNoneBeside(params);
  for (const char* name : {globalConstants, throwsOutsideName})
    if (params.isParameter(name) && !params.isType<bool>(name))
      fail<Bad::InvalidParameterType>(quoted(name) + " must be a bool; write params->set(" +
                                      quoted(name) + ", false), or leave it out");
}

bool dropsOutside(const RCP<ParameterList>& params) {
  return !params.is_null() && params->isType<bool>(throwsOutsideName) &&
         !params->get<bool>(throwsOutsideName);
}

Options readParameters(const RCP<ParameterList>& params, CollectiveArguments* values) {
  Options options;
  Given given;
  if (!params.is_null()) {
    requireReadable(*params);
    if (params->isSublist("Trident"))
      given = readPlace(params->sublist("Trident"), false, "params->sublist(\"Trident\")", options);
  }
  options.dropsOutside = dropsOutside(params);
  if (values) *values = collectiveArguments(given, params);
  return options;
}

void readProductOptions(const ParameterList& list, RoundOptions& rounds,
                        CollectiveArguments& values) {
  Options options;
  options.rounds = rounds;
  std::string all;
  for (const char* name : productNames) all = joined(all, name);
  const Given given = readPlace(list, false, "options", options);
  for (const auto& [name, entry] : given)
    if (std::find(productNames.begin(), productNames.end(), name) == productNames.end())
      fail<Bad::InvalidParameterName>(quoted(name) + " is a grid's, not one product's; only " +
                                      all + " may be given here");
  for (const char* name : productNames)
    values.push_back({quoted(name), given.count(name) ? valueText(*given.at(name)) : "not given"});
  rounds = options.rounds;
}

}  // namespace Impl

Teuchos::RCP<const Teuchos::ParameterList> getValidParameters() { return Impl::parameters().users; }

void validateParameters(const Teuchos::RCP<Teuchos::ParameterList>& params) {
  Impl::readParameters(params);
}

}  // namespace Trident
