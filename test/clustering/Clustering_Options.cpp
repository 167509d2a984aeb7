// SPDX-License-Identifier: BSD-3-Clause
// The options that the program makes of its arguments, and its answers.

#include <Teuchos_UnitTestHarness.hpp>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <thread>

#include "TridentClustering_MclName.hpp"
#include "TridentClustering_Options.hpp"
#include "TridentClustering_Progress.hpp"
#include "TridentClustering_Summary.hpp"
#include "TridentClustering_UsableCores.hpp"
#include "TridentProblems_LoneStart.hpp"

namespace {

using namespace Trident::Clustering;

bool fails(const std::vector<std::string>& arguments, const std::string& part) {
  std::string message;
  try {
    parseOptions(arguments);
  } catch (const std::runtime_error& e) {
    message = e.what();
  }
  const bool good = message.find(part) != std::string::npos;
  if (!good) std::printf("expected \"%s\" in: \"%s\"\n", part.c_str(), message.c_str());
  return good;
}

TEUCHOS_UNIT_TEST(Options, AsMcl) {
  const Options o = parseOptions({"dir/g.abc", "--abc", "-I", "1.4", "-P", "100", "-S", "50", "-R",
                                  "60", "-pct", "80", "-scheme", "3", "-te", "4", "-o", "OUT"});
  TEST_EQUALITY(o.file, "dir/g.abc");
  TEST_EQUALITY(o.out, "OUT");
  TEST_ASSERT(o.labelledPairs && !o.table && !o.silent);
  TEST_EQUALITY(o.markov.inflation, 1.4);
  TEST_EQUALITY(o.markov.prune, 100);
  TEST_EQUALITY(o.markov.select, 50);
  TEST_EQUALITY(o.markov.recover, 60);
  TEST_EQUALITY(o.markov.percent, 80);
  TEST_EQUALITY(o.markov.scheme, 3);
  TEST_EQUALITY(parseOptions({"dir/g.abc"}).out, "out.g.abc.I20");
  TEST_EQUALITY(parseOptions({"-I", "0.5", "g"}).out, "out.g.I05");
  TEST_EQUALITY(parseOptions({"-I", "12", "g"}).out, "out.g.I120");
}

TEUCHOS_UNIT_TEST(Options, OfPipelines) {
  const Options o = parseOptions({"g.abc",
                                  "--abc",
                                  "--abc-neg-log10",
                                  "-abc-tf",
                                  "gt(0),ceil(200)",
                                  "--tf=#knn(20)",
                                  "-pi",
                                  "1.5",
                                  "-c",
                                  "2",
                                  "-sort",
                                  "lex",
                                  "-te",
                                  "4",
                                  "--force-connected=yes",
                                  "-q",
                                  "x",
                                  "-resource",
                                  "50",
                                  "--scheme=4"});
  TEST_ASSERT(o.weights.logarithm == WeightRule::Logarithm::negativeDecimal);
  TEST_EQUALITY(o.weights.weightOf(1e-50), 50.0f);
  TEST_EQUALITY(o.weights.weightOf(0), 200);
  TEST_EQUALITY(o.weights.weightOf(10), 0);
  TEST_EQUALITY(o.transformation.size(), 1u);
  TEST_ASSERT(o.weights.negativeToo && o.silent && o.order == ClusterOrder::byFirstNode);
  TEST_ASSERT(o.markov.forceConnected);
  TEST_ASSERT(!parseOptions({"g", "-force-connected", "n"}).markov.forceConnected);
  TEST_ASSERT(fails({"g", "--force-connected=maybe"}, "should be y or n"));
  TEST_EQUALITY(o.markov.firstInflation, 1.5);
  TEST_EQUALITY(o.markov.loopFactor, 2);
  TEST_EQUALITY(o.mclThreads, 4);
  TEST_EQUALITY(o.markov.select + o.markov.recover + o.markov.prune, 50 + 50 + 500);
  TEST_EQUALITY(o.markov.scheme, 4);
  TEST_EQUALITY(parseOptions({"g", "-P", "7", "-resource", "50"}).markov.prune, 7);
  TEST_ASSERT(fails({"g", "--abc-neg-log"}, "are for pairs, --abc"));
  TEST_ASSERT(fails({"g", "-tf", "gq(1),gg(2)"}, "-tf gq(1),gg(2): there is no transformation gg"));
  TEST_ASSERT(fails({"g", "-sort", "none"}, "say lex"));
}

TEUCHOS_UNIT_TEST(Options, FormsOfMcl) {
  const Options o = parseOptions({"g.mci", "-use-tab", "g.tab", "--native", "-write-graph", "m"});
  TEST_ASSERT(o.native);
  TEST_EQUALITY(o.tab, "g.tab");
  TEST_EQUALITY(o.graphTab, "m.tab");
  TEST_EQUALITY(parseOptions({"g", "--abc", "-write-graph", "m"}).graphTab, "m.tab");
  TEST_EQUALITY(parseOptions({"g", "--abc", "-write-graph", "-"}).graphTab, "");
  TEST_EQUALITY(parseOptions({"g", "-write-graph", "m"}).graphTab, "");
  TEST_ASSERT(fails({"g", "--native", "--table"}, "say one"));
  TEST_ASSERT(fails({"g", "--lines", "--table"}, "say one"));
  TEST_ASSERT(fails({"g", "--abc", "-use-tab", "t"}, "with --abc the network has labels"));
}

// Each option of mcl is here, or says what to do instead.
TEUCHOS_UNIT_TEST(Options, OnlyOfMcl) {
  TEST_ASSERT(
      fails({"g", "-icl", "x"}, "-icl is mcl's option, not here; instead: take mcl itself"));
  TEST_ASSERT(fails({"g", "-overlap", "some"}, "should be cut, keep or split"));
  TEST_ASSERT(fails({"g", "--discard-loops=n"}, "-discard-loops n is mcl's option, not here"));
  TEST_ASSERT(fails({"g", "-dmp", "x"}, "there is no option -dmp; --help"));  // -dump is hidden
  TEST_ASSERT(helpText().find("-icl") == std::string::npos);
}

TEUCHOS_UNIT_TEST(Options, TakenOfMcl) {
  const Options o = parseOptions({"g", "-v", "all", "-V", "pruning", "-t", "4", "--show-log=y",
                                  "--discard-loops=yes", "-digits", "3", "--write-binary",
                                  "-overlap", "cut", "--analyze=y", "-I", "3"});
  TEST_EQUALITY(o.markov.inflation, 3);
  TEST_ASSERT(o.analyze && !o.appendLog && !o.silent);
  TEST_ASSERT(parseOptions({"g", "--append-log=1", "-analyze", "n"}).appendLog);
  TEST_ASSERT(fails({"g", "-analyze", "x"}, "-analyze x: should be y or n"));
  const auto pruneOf = [](const std::string& threshold) {
    return parseOptions({"g", "-p", threshold}).markov.prune;
  };
  TEST_EQUALITY(pruneOf("0.01"), 100);
  TEST_EQUALITY(pruneOf("0.001"), 999);  // 1/0.001 in floats, as mcl has it
  TEST_EQUALITY(pruneOf("0.03"), 33);
  TEST_EQUALITY(pruneOf("0"), 0);
  TEST_ASSERT(fails({"g", "-p", "0.2"}, "-p 0.2: should lie in 0..0.1"));
  TEST_EQUALITY(parseOptions({"g", "-pct", "0.9"}).markov.percent, 0);
  TEST_EQUALITY(parseOptions({"g", "-S", "5.5"}).markov.select, 5);
  const Options initial = parseOptions({"g", "-l", "2", "-i", "5", "-L", "7"});
  TEST_EQUALITY(initial.out, "out.g.I20l2i50");
  TEST_EQUALITY(initial.markov.initialInflation, 5);
  TEST_EQUALITY(initial.markov.mostIterations, 9);
  const Options sif = parseOptions({"g", "--sif", "--expect-values"});
  TEST_ASSERT(sif.labelledPairs && sif.pairLines.weighted);
  TEST_ASSERT(sif.pairLines.form == PairLines::Form::sif);
  TEST_ASSERT(fails({"g", "--sif", "--abc"}, "forms of one file: say one"));
}

TEUCHOS_UNIT_TEST(Options, ByTheNameOfMcl) {
  const auto argumentsOf = [](const char* program) {
    const char* const arguments[] = {program, "g"};
    return argumentsByName(2, arguments);
  };
  TEST_EQUALITY(argumentsOf("/usr/bin/mcl").size(), 2u);
  TEST_EQUALITY(argumentsOf("mcl").front(), "--as-mcl");
  TEST_EQUALITY(argumentsOf("trident-mcl").size(), 1u);
  const auto answerOf = [](const std::vector<std::string>& arguments) {
    return parseOptions(arguments).answer;
  };
  TEST_EQUALITY(answerOf({"--as-mcl"}).find("[mcl] usage"), 0u);
  TEST_ASSERT(parseOptions({"--as-mcl"}).answerIsError);
  TEST_EQUALITY(answerOf({"--as-mcl", "--version"}).find("mcl 22-282\n"), 0u);
  TEST_ASSERT(answerOf({"--as-mcl", "--version"}).find("Stijn van Dongen") != std::string::npos);
  TEST_ASSERT(answerOf({"-z", "-p", "0.01"}).find(" 100        [-P n]\n") != std::string::npos);
  TEST_ASSERT(answerOf({"--show-schemes"}).find("\nScheme 7 ") != std::string::npos);
  // What mcl does not know ends well, and without clusters; what only mcl has does not.
  TEST_ASSERT(answerOf({"--as-mcl", "g", "--table-of"}).find("no option --table-of") !=
              std::string::npos);
  TEST_ASSERT(answerOf({"--as-mcl", "g", "-I=2"}).find("no option -I=2") != std::string::npos);
  TEST_EQUALITY(answerOf({"--as-mcl", "g", "--I=2", "-o", "-x"}), "");
  TEST_ASSERT(fails({"--as-mcl", "g", "-icl", "x"}, "take mcl itself"));
  const Options o = parseOptions({"--as-mcl", "g", "--abc", "-I", "1.41", "-write-graph", "m"});
  TEST_ASSERT(!o.outIsAmbiguous && o.graphTab.empty());
  TEST_EQUALITY(mclComment(o), "# cline: mcl g \"--abc\" \"-I\" \"1.41\" \"-write-graph\" \"m\"\n");
}

/// The value of a variable of the environment, which its end restores.
class Variable {
 public:
  explicit Variable(std::string name) : name_(std::move(name)) {
    const char* const value = std::getenv(name_.c_str());
    if (value != nullptr) before_ = std::make_unique<std::string>(value);
    unsetenv(name_.c_str());
  }
  ~Variable() { before_ ? setenv(name_.c_str(), before_->c_str(), 1) : unsetenv(name_.c_str()); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

  std::string value() const {
    const char* const now = std::getenv(name_.c_str());
    return now == nullptr ? "unset" : now;
  }

 private:
  std::string name_;
  std::unique_ptr<std::string> before_;
};

// CTest starts this by mpiexec, whose ranks keep their settings. A process alone gets some, but for
// those that the user has set.
TEUCHOS_UNIT_TEST(Options, LoneStart) {
  const Variable folders("OMPI_MCA_orte_create_session_dirs"), components("HWLOC_COMPONENTS"),
      plugins("HWLOC_PLUGINS_PATH"), isolated("OMPI_MCA_ess_singleton_isolated"),
      pml("OMPI_MCA_pml"), btl("OMPI_MCA_btl"), coll("OMPI_MCA_coll");
  TEST_ASSERT(Trident::Problems::isLaunched());
  Trident::Problems::startApart();
  Trident::Problems::hastenLoneStart();
  TEST_EQUALITY(folders.value() + isolated.value() + components.value(), "unsetunsetunset");

  const Variable size("OMPI_COMM_WORLD_SIZE"), rank("PMIX_RANK"), space("PMIX_NAMESPACE"),
      pmiRank("PMI_RANK"), pmiSize("PMI_SIZE"), pmi("PMI_FD");
  TEST_ASSERT(!Trident::Problems::isLaunched());
  setenv("OMPI_MCA_btl", "tcp,self", 1);
  setenv("HWLOC_COMPONENTS", "-x86", 1);
  Trident::Problems::startApart();
  TEST_EQUALITY(folders.value() + isolated.value(), "0unset");
  Trident::Problems::hastenLoneStart();
  TEST_EQUALITY(isolated.value() + pml.value() + btl.value(), "1ob1tcp,self");
  TEST_EQUALITY(components.value() + plugins.value(), "-x86unset");
}

TEUCHOS_UNIT_TEST(Options, Names) {
  const auto nameOf = [](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "dir/g.abc");
    return parseOptions(arguments).out;
  };
  TEST_EQUALITY(nameOf({"-I", "1.45"}), "out.g.abc.I15");  // rounded as mcl does
  TEST_EQUALITY(nameOf({"--i3", "-I", "1.41"}), "out.g.abc.I141");
  TEST_EQUALITY(nameOf({"-pi", "0.5", "-c", "3"}), "out.g.abc.I20pi05c30");
  TEST_EQUALITY(nameOf({"--d", "-aa", ".x"}), "dir/out.g.abc.I20.x");
  TEST_EQUALITY(nameOf({"-odir", "to"}), "to/out.g.abc.I20");
  TEST_EQUALITY(nameOf({"--d", "-odir", "to/"}), "to/out.g.abc.I20");
  TEST_EQUALITY(nameOf({"--d", "-odir", "."}), "out.g.abc.I20");
  TEST_EQUALITY(nameOf({"-ap", "a/p"}), "a/p.I20");
  TEST_EQUALITY(nameOf({"-ap", "a=b"}), "adir/g.abcb.I20");
  TEST_EQUALITY(parseOptions({"g", "-pi", "2", "-az"}).answer, "out.g.I20pi20");
  TEST_EQUALITY(parseOptions({"g", "--i3", "-ax"}).answer, "I200");
  TEST_EQUALITY(parseOptions({"g"}).answer, "");
  const auto isAmbiguous = [](const std::vector<std::string>& arguments) {
    return parseOptions(arguments).outIsAmbiguous;
  };
  TEST_ASSERT(!isAmbiguous({"g"}) && !isAmbiguous({"g", "-I", "1.4"}));
  TEST_ASSERT(isAmbiguous({"g", "-I", "1.41"}) && !isAmbiguous({"g", "-I", "1.41", "--i3"}));
  TEST_ASSERT(isAmbiguous({"g", "-c", "1.25"}) && !isAmbiguous({"g", "-I", "1.41", "-o", "x"}));
}

TEUCHOS_UNIT_TEST(Options, Others) {
  const Options o = parseOptions({"--memory=1e9", "--table", "--summary=s.json", "-V", "all", "g",
                                  "--precision=single", "--ranks-per-node=2", "--grid", "2x1", "-L",
                                  "7", "-write-graph", "m", "--planted=p"});
  TEST_EQUALITY(o.graph + o.planted, "mp");
  TEST_EQUALITY(o.markov.productMemoryBytes, 1e9);
  TEST_ASSERT(o.markov.precision == Trident::MarkovPrecision::Single);
  TEST_ASSERT(parseOptions({"g"}).markov.precision == Trident::MarkovPrecision::Double);
  TEST_ASSERT(o.table && o.silent);
  TEST_EQUALITY(o.summary, "s.json");
  TEST_EQUALITY(o.ranksPerNode, 2);
  TEST_EQUALITY(o.grid, "2x1");
  TEST_EQUALITY(o.markov.mostIterations, 7);
  TEST_EQUALITY(parseOptions({"g"}).markov.prune, -1);
  TEST_ASSERT(parseOptions({"--help"}).help && parseOptions({"-h"}).help);
  TEST_ASSERT(parseOptions({"--version"}).version);
  TEST_ASSERT(helpText().find("--abc") != std::string::npos);
}

TEUCHOS_UNIT_TEST(Options, Checkpoints) {
  const Options none = parseOptions({"g"});
  TEST_ASSERT(none.checkpoint.empty() && !none.resume);
  const Options o =
      parseOptions({"g", "--checkpoint=state", "--checkpoint-every", "5", "--resume"});
  TEST_EQUALITY(o.checkpoint, "state");
  TEST_EQUALITY(o.checkpointEvery, 5);
  TEST_ASSERT(o.resume);
  TEST_ASSERT(fails({"g", "--resume"}, "needs the file to resume from"));
  TEST_ASSERT(fails({"g", "--checkpoint-every=0"}, "should be at least 1"));
  TEST_ASSERT(fails({"g", "--checkpoint="}, "needs a value"));
}

TEUCHOS_UNIT_TEST(Options, Errors) {
  TEST_ASSERT(fails({}, "no FILE was given"));
  TEST_ASSERT(fails({"a", "b"}, "two files, a and b"));
  TEST_ASSERT(fails({"g", "--sumary=x"}, "there is no option --sumary; the nearest is --summary"));
  TEST_ASSERT(fails({"g", "-scheem", "3"}, "the nearest is -scheme"));
  TEST_ASSERT(!fails({"g", "-y", "3"}, "the nearest"));
  TEST_ASSERT(!fails({"g", "--inflate-it"}, "the nearest"));
  TEST_ASSERT(fails({"g", "-I"}, "-I needs a value, as in -I NUMBER; --help lists"));
  TEST_ASSERT(fails({"g", "-o", "--table"}, "-o needs a value"));
  TEST_ASSERT(fails({"g", "--abc=1"}, "--abc takes no value"));
  for (const std::string bad : {"0", "-1", "30.1", "nan"})
    TEST_ASSERT(fails({"g", "-I", bad}, "should lie above 0 and not above 30"));
  TEST_ASSERT(fails({"g", "-I", "2x"}, "\"2x\" is not a number"));
  TEST_ASSERT(fails({"g", "--checkpoint-every", "1.5"}, "\"1.5\" is not a whole number"));
  TEST_ASSERT(fails({"g", "-S", "-1"}, "-S -1: should be at least 0"));
  TEST_ASSERT(fails({"g", "-scheme", "8"}, "should lie in 1..7"));
  TEST_ASSERT(fails({"g", "-pct", "100"}, "should lie in 0..99"));
  TEST_ASSERT(fails({"g", "--memory=-1"}, "--memory -1: "));
  for (const char* bad : {"GB", "2XB", "2GBs", "", "2 G i"})
    TEST_ASSERT(fails({"g", std::string("--memory=") + bad}, "--memory"));
  TEST_ASSERT(fails({"g", "-o", ""}, "needs a value"));
}

TEUCHOS_UNIT_TEST(Options, BytesHaveUnits) {
  const auto bytes = [](const std::string& text) {
    return parseOptions({"g", "--memory=" + text}).markov.productMemoryBytes;
  };
  TEST_EQUALITY(bytes("2GB"), 2e9);
  TEST_EQUALITY(bytes("2e9"), 2e9);
  TEST_EQUALITY(bytes("500 mb"), 5e8);
  TEST_EQUALITY(bytes("1.5KiB"), 1536);
  TEST_EQUALITY(bytes("3k"), 3000);
  TEST_EQUALITY(bytes("1T"), 1e12);
  TEST_EQUALITY(bytes("7b"), 7);
}

TEUCHOS_UNIT_TEST(Options, SeveralInflations) {
  Options o = parseOptions({"dir/g", "-I", "1.4,2,4.25"});
  TEST_ASSERT(o.inflations == std::vector<double>({1.4, 2, 4.25}));
  TEST_EQUALITY(o.runs.size(), 3u);
  TEST_EQUALITY(o.runs[1].out, "out.g.I20");
  TEST_EQUALITY(o.runs[2].inflation, 4.25);
  TEST_ASSERT(o.runs[2].outIsAmbiguous && !o.runs[1].outIsAmbiguous);
  o = parseOptions({"g", "-I", "1.4,2", "-o", "OUT.gz", "--i3"});
  TEST_EQUALITY(o.runs[0].out, "OUT.I140.gz");
  o = parseOptions({"g", "-I", "2", "-o", "OUT"});
  TEST_EQUALITY(o.runs.size(), 1u);
  TEST_EQUALITY(o.runs[0].out, "OUT");
  TEST_ASSERT(fails({"g", "-I", "1.4,31"}, "should lie above 0"));
  TEST_ASSERT(fails({"g", "-I", "1.4,,2"}, "is not a number"));
  TEST_ASSERT(fails({"g", "-I", "2,2"}, "two inflations"));
  TEST_ASSERT(fails({"g", "-I", "1.4,2", "--as-mcl"}, "one number under mcl's name"));
}

/// Counts the lines that are written to it, for other threads.
struct CountedLines : std::stringbuf {
  std::atomic<int> lines{0};
  int sync() override {
    ++lines;
    return std::stringbuf::sync();
  }
};

TEUCHOS_UNIT_TEST(Options, ProgressBreaksSilence) {
  CountedLines heard;
  std::ostream to(&heard);
  {
    Progress progress(to, 1000, 0.01);
    progress.begin("iteration 3");
    progress.done(0.25);
    for (const int before = heard.lines; heard.lines < before + 3;)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  TEST_ASSERT(heard.str().find("iteration 3: ") != std::string::npos);
  TEST_ASSERT(heard.str().find(" s so far, 25% done\n") != std::string::npos);
}

// Lines of what is under way take no place of those of what has ended.
TEUCHOS_UNIT_TEST(Options, ProgressSaysWhatHasEnded) {
  CountedLines heard;
  std::ostream to(&heard);
  {
    Progress progress(to, 0.2, 0.001);
    progress.begin("a forecast");
    std::this_thread::sleep_for(std::chrono::milliseconds(250));
    progress.step("has ended");
    progress.memory(2e9, 3e9);
  }
  TEST_ASSERT(heard.str().find("has ended") != std::string::npos);
  TEST_ASSERT(heard.str().find("will need 2 GB on a rank of 3 GB") != std::string::npos);
}

TEUCHOS_UNIT_TEST(Options, ProgressKeepsWhatMemoryIsNeeded) {
  std::ostringstream early, never;
  {
    Progress progress(early, 0.2, 1000);
    progress.memory(2e9, 3e9);
    TEST_EQUALITY(early.str(), "");
    std::this_thread::sleep_for(std::chrono::milliseconds(250));
    progress.step("has ended");
    progress.step("soon");
  }
  const auto needs = early.str().find("will need 2 GB"), ended = early.str().find("has ended");
  TEST_ASSERT(needs < ended && ended != std::string::npos);
  TEST_EQUALITY(early.str().find("will need", needs + 1), std::string::npos);
  Progress(never, 1000).memory(2e9, 3e9);
  TEST_EQUALITY(never.str(), "");
}

TEUCHOS_UNIT_TEST(Options, Progress) {
  TEST_EQUALITY(secondsLeft(4, 2), 2.0);  // 1 + 1/2 + 1/4 + ...
  TEST_ASSERT(secondsLeft(2, 2) < 0 && secondsLeft(0, 1) < 0);
  std::ostringstream text;
  Progress progress(text, 0);
  Trident::MarkovProgress now;
  now.iteration = 1;
  now.seconds = 4;
  progress.iteration(now);
  TEST_ASSERT(text.str().find("left") == std::string::npos);
  now.seconds = 2;
  progress.iteration(now);
  TEST_ASSERT(text.str().find("perhaps 2 s left") != std::string::npos);
  std::ostringstream none;
  Progress(none, 1000).step("soon");
  TEST_EQUALITY(none.str(), "");
}

TEUCHOS_UNIT_TEST(Options, Summary) {
  Summary summary;
  summary.sizes.clusters = 3;
  summary.file = "a \"b\"";
  summary.converged = true;
  TEST_ASSERT(json(summary).find("\"file\": \"a \\\"b\\\"\"") != std::string::npos);
  TEST_ASSERT(Trident::Clustering::describe(summary).find("3 clusters") == 0);
  TEST_ASSERT(Trident::Clustering::describe(summary).find("NOT CONVERGED") == std::string::npos);
  summary.converged = false;
  TEST_ASSERT(Trident::Clustering::describe(summary).find("NOT CONVERGED") != std::string::npos);
}

/// Returns the cores of control groups that these files have, name and text in turn.
int coresOf(const std::vector<std::string>& files) {
  const auto root = std::filesystem::path("usable_cores");
  std::filesystem::remove_all(root);
  for (std::size_t i = 0; i + 1 < files.size(); i += 2) {
    const auto path = root / files[i];
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << files[i + 1];
  }
  const int cores = coresOfControlGroups(root.string());
  std::filesystem::remove_all(root);
  return cores;
}

TEUCHOS_UNIT_TEST(Options, CoresOfControlGroups) {
  const std::string own = "proc/self/cgroup", v2 = "sys/fs/cgroup/", v1 = "sys/fs/cgroup/cpu/";
  TEST_EQUALITY(coresOf({}), 0);
  TEST_EQUALITY(coresOf({own, "0::/\n", v2 + "cpu.max", "max 100000\n"}), 0);
  TEST_EQUALITY(coresOf({own, "0::/\n", v2 + "cpu.max", "250000 100000\n"}), 2);
  TEST_EQUALITY(coresOf({own, "0::/\n", v2 + "cpu.max", "50000 100000\n"}), 1);
  TEST_EQUALITY(coresOf({own, "0::/a/b\n", v2 + "a/cpu.max", "300000 100000\n", v2 + "a/b/cpu.max",
                         "max 100000\n"}),
                3);
  TEST_EQUALITY(coresOf({own, "0::/not/here\n", v2 + "cpu.max", "400000 100000\n"}), 4);
  TEST_EQUALITY(coresOf({own, "9:memory:/\n3:cpu,cpuacct:/job\n", v1 + "job/cpu.cfs_quota_us",
                         "800000\n", v1 + "job/cpu.cfs_period_us", "100000\n",
                         v1 + "cpu.cfs_quota_us", "-1\n", v1 + "cpu.cfs_period_us", "100000\n"}),
                8);
  TEST_EQUALITY(coresOf({own, "3:cpu\n:::\n0:\n"}), 0);
  TEST_ASSERT(usableCores() >= 1);
}

}  // namespace
