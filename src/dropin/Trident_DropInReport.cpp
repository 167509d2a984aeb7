// SPDX-License-Identifier: BSD-3-Clause
#include "dropin/Trident_DropInReport.hpp"

#include <algorithm>
#include <exception>
#include <memory>
#include <mutex>
#include <set>
#include <utility>

#include "Trident_Error.hpp"
#include "Trident_JsonString.hpp"
#include "base/Trident_Agreement.hpp"
#include "base/Trident_Lasting.hpp"
#include "base/Trident_PlainNumbers.hpp"
#include "dropin/Trident_PlanCache.hpp"
#include "dropin/Trident_ReportFile.hpp"
#include "product/Trident_SummarizeReport.hpp"

namespace Trident::Impl {
namespace {

/// A JSON object on one line.
class JsonLine {
 public:
  JsonLine& text(const char* name, const std::string& value) {
    key(name);
    line_ += jsonString(value);
    return *this;
  }
  JsonLine& number(const char* name, double value) {
    key(name);
    line_ += plainText(value, 9);
    return *this;
  }
  JsonLine& count(const char* name, long long value) {
    key(name);
    line_ += std::to_string(value);
    return *this;
  }
  JsonLine& begin(const char* name) {
    key(name);
    line_ += '{';
    return *this;
  }
  JsonLine& end() {
    line_ += '}';
    return *this;
  }
  /// Returns the finished line.
  std::string all() const { return line_ + "}\n"; }

 private:
  void key(const char* name) {
    if (line_.back() != '{') line_ += ", ";
    line_ += '"' + std::string(name) + "\": ";
  }
  std::string line_ = "{";
};

struct Sums {
  long long products = 0, byTrident = 0, compared = 0;
  double seconds = 0, comparedSeconds = 0, tpetraSeconds = 0, difference = 0;
  std::string firstForwarded;  // reason for the first product that Tpetra formed

  void add(const ProductRecord& line) {
    ++products;
    byTrident += line.forwarded.empty();
    if (firstForwarded.empty()) firstForwarded = line.forwarded;
    seconds += line.seconds;
    if (!line.compared) return;
    ++compared;
    comparedSeconds += line.seconds;
    tpetraSeconds += line.tpetraSeconds;
    difference = std::max(difference, line.difference);
  }
  double ratio() const { return comparedSeconds > 0 ? tpetraSeconds / comparedSeconds : 0; }

  std::string sentence() const {
    std::string text = "products by Trident " + std::to_string(byTrident) + ", by Tpetra " +
                       std::to_string(products - byTrident) + "; " + plainText(seconds, 3) +
                       " s in all";
    if (compared > 0)
      text += "; of " + std::to_string(compared) + " compared Trident took " +
              plainText(comparedSeconds, 3) + " s, Tpetra " + plainText(tpetraSeconds, 3) +
              " s, Tpetra / Trident = " + plainText(ratio(), 2, std::chars_format::fixed) +
              "; largest relative difference of entries " +
              plainText(difference, 1, std::chars_format::scientific);
    if (firstForwarded.empty()) return text;
    return text + "; why Tpetra formed its first: " + firstForwarded;
  }
};

/// The state of this process' report.
struct State {
  std::mutex mutex;  // never held in a collective call, or threads could wait for each other
  std::unique_ptr<ReportFile> file;  // open on the first rank of the program, until the end
  Sums sums;
  std::set<std::string> notes;  // notes that were written
};
State& state() {
  static Lasting<State> only;
  return *only;
}

bool isFirstOfProgram() {
  int rank = 0;
  TRIDENT_MPI_CHECK(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
  return rank == 0;
}

/// Opens the file on the first rank of the program, unless the file is open.
void openHere(const std::string& file) {
  if (!state().file && isFirstOfProgram()) state().file = std::make_unique<ReportFile>(file);
}

/// Writes a note: a line that belongs to no product. Does nothing if the note was written before.
void addNote(const char* kind, const std::string& text) {
  if (!state().file || state().notes.count(text) > 0) return;
  state().file->add(JsonLine().text(kind, text).all());
  state().notes.insert(text);
}

void addChoices(JsonLine& json, const Report& report, const ReportSummary& summary) {
  json.begin("entries");
  for (const EntriesOf& of : summary.operands) json.count(of.name.c_str(), of.entries);
  json.count("C", summary.entriesC).end();
  json.count("multiply-adds", summary.multiplyAdds);
  json.count("rows in blocks", summary.blockRows).begin("phases");
  for (int p = 0; p < phaseCount; ++p)
    json.number(phaseName(static_cast<Phase>(p)), summary.seconds[p].max);
  json.end().text("grid", report.grid.name()).text("partition", report.partition);
  json.text("fetch", report.fetch).text("exchange", report.exchange).text("gather", report.gather);
  json.text("kernel", report.kernel).text("because", report.reasons);
}

void addPlans(JsonLine& json, const PlanCounts& plans) {
  json.begin("plans").count("made", plans.made).count("reused", plans.reused);
  json.count("dropped", plans.dropped).count("ended", plans.ended);
  json.count("most bytes", static_cast<long long>(plans.mostBytes)).end();
}

std::string sentenceOf(const PlanCounts& plans) {
  return "; products that made a plan " + std::to_string(plans.made) + ", that used one " +
         std::to_string(plans.reused);
}

std::string jsonOf(const ProductRecord& line, const ReportSummary& summary) {
  JsonLine json;
  json.text("function", line.function);
  if (!line.label.empty()) json.text("label", line.label);
  json.count("ranks", line.ranks).count("rows", line.rows);
  json.text("by", line.forwarded.empty() ? "Trident" : "Tpetra").number("seconds", line.seconds);
  if (line.forwarded.empty())
    addChoices(json, line.report, summary);
  else
    json.text("because", line.forwarded);
  if (line.compared) {
    json.number("Tpetra's seconds", line.tpetraSeconds);
    json.number("ratio", line.seconds > 0 ? line.tpetraSeconds / line.seconds : 0);
    json.number("relative difference", line.difference);
  }
  return json.all();
}

}  // namespace

void openReport(MPI_Comm comm, const std::string& file, const std::vector<std::string>& warnings) {
  runEverywhere(comm, "libtrident_dropin", [&] {
    const std::lock_guard<std::mutex> lock(state().mutex);
    openHere(file);
    for (const std::string& text : warnings) addNote("warning", text);
  });
}

void reportWaiting(const std::string& file, const std::string& text) noexcept {
  try {
    const std::lock_guard<std::mutex> lock(state().mutex);
    openHere(file);
    addNote("waiting", text);
  } catch (const std::exception&) {  // a later openReport() throws the error
  }
}

void reportProduct(MPI_Comm comm, const ProductRecord& line) {
  ReportSummary summary;
  if (line.forwarded.empty()) summary = Impl::summarize(line.report, comm);
  runEverywhere(comm, "libtrident_dropin", [&] {
    const std::lock_guard<std::mutex> lock(state().mutex);
    if (!state().file) return;
    for (const std::string& text : line.warnings) addNote("warning", text);
    state().sums.add(line);
    state().file->add(jsonOf(line, summary));
  });
}

void endReport(const PlanCounts& plans) noexcept {
  const std::lock_guard<std::mutex> lock(state().mutex);
  if (!state().file) return;
  const Sums& sums = state().sums;
  try {
    JsonLine json;
    json.begin("summary").count("products", sums.products);
    json.count("by Trident", sums.byTrident).number("seconds", sums.seconds);
    json.count("compared", sums.compared);
    json.number("seconds of those", sums.comparedSeconds);
    json.number("Tpetra's seconds", sums.tpetraSeconds).number("ratio", sums.ratio());
    json.number("relative difference", sums.difference);
    const bool planned = plans.made > 0;
    if (planned) addPlans(json, plans);
    json.text("text", sums.sentence() + (planned ? sentenceOf(plans) : "")).end();
    state().file->add(json.all());
  } catch (const std::exception&) {  // without memory or room there is no summary
  }
  state().file.reset();
}

}  // namespace Trident::Impl
