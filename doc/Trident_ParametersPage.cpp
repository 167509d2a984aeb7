// SPDX-License-Identifier: BSD-3-Clause
// Writes doc/parameters.md from the list of valid parameters, or checks that it is up to date.
//
//   Trident_ParametersPage.exe <page>           write the page
//   Trident_ParametersPage.exe --check <page>   return 1 where the page differs

#include <Teuchos_ParameterList.hpp>
#include <Trident_Parameters.hpp>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>

using Teuchos::ParameterEntry;
using Teuchos::ParameterList;

// Text for a cell of a Markdown table: one line, no column separators.
static std::string cell(const std::string& text) {
  std::istringstream words(text);
  std::string result;
  for (std::string word; words >> word;) result += (result.empty() ? "" : " ") + word;
  for (size_t at = 0; (at = result.find('|', at)) != std::string::npos; at += 2) {
    result.insert(at, 1, '\\');
  }
  return result;
}

static std::string typeOf(const ParameterEntry& entry) {
  if (entry.isType<bool>()) return "bool";
  if (entry.isType<int>()) return "int";
  if (entry.isType<long long>()) return "long long";
  if (entry.isType<double>()) return "double";
  if (entry.isType<std::string>()) return "string";
  return entry.getAny(false).typeName();
}

static std::string valueOf(const ParameterEntry& entry) {
  if (entry.isType<bool>()) return Teuchos::getValue<bool>(entry) ? "true" : "false";
  std::ostringstream value;
  value << entry.getAny(false);
  return entry.isType<std::string>() ? '"' + value.str() + '"' : value.str();
}

// " One of: ..." where the validator knows the accepted strings.
static std::string choicesOf(const ParameterEntry& entry) {
  if (entry.validator().is_null()) return "";
  const auto values = entry.validator()->validStringValues();
  if (values.is_null()) return "";
  std::string choices;
  for (const auto& value : *values)
    choices += (choices.empty() ? " One of: `" : ", `") + value + '`';
  return choices.empty() ? "" : choices + '.';
}

// The parameters of one list as a table, then its sublists, each under its own heading.
static void writeTable(std::ostream& page, const ParameterList& list) {
  page << "| parameter | type | default | meaning |\n| --- | --- | --- | --- |\n";
  for (auto it = list.begin(); it != list.end(); ++it) {
    const ParameterEntry& entry = list.entry(it);
    if (entry.isList()) continue;
    page << "| `" << list.name(it) << "` | " << typeOf(entry) << " | `" << cell(valueOf(entry))
         << "` | " << cell(entry.docString() + choicesOf(entry)) << " |\n";
  }
  for (auto it = list.begin(); it != list.end(); ++it) {
    const ParameterEntry& entry = list.entry(it);
    if (!entry.isList()) continue;
    page << "\n## Sublist `" << list.name(it) << "`\n\n";
    if (!entry.docString().empty()) page << cell(entry.docString()) << "\n\n";
    writeTable(page, Teuchos::getValue<ParameterList>(entry));
  }
}

static std::string thePage() {
  std::ostringstream page;
  page
      << "<!-- SPDX-License-Identifier: BSD-3-Clause -->\n"
      << "<!-- Written by the target parameters_page; do not edit. -->\n"
      << "# Parameters\n\n"
      << "What `Trident::getValidParameters()` accepts in the sublist `\"Trident\"`, with its "
      << "defaults. Other names, types\nand values are refused, by a sentence that says what there "
      << "is.\n[Options](library.md#options) says which other places are looked at.\n\n";
  writeTable(page, *Trident::getValidParameters());
  return page.str();
}

int main(int argc, char* argv[]) {
  const bool check = argc == 3 && std::string(argv[1]) == "--check";
  if (argc != 2 && !check) {
    std::cerr << "usage: " << argv[0] << " [--check] <page>\n";
    return 2;
  }
  const std::string path = argv[argc - 1];
  if (check) {
    std::ostringstream committed;
    committed << std::ifstream(path).rdbuf();
    if (committed.str() == thePage()) return 0;
    std::cerr << path << " is out of date; build the target parameters_page and commit it\n";
    return 1;
  }
  std::ofstream file(path);
  file << thePage() << std::flush;
  return file ? 0 : 1;
}
