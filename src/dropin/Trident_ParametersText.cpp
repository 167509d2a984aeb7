// SPDX-License-Identifier: BSD-3-Clause
#include "dropin/Trident_ParametersText.hpp"

#include <Teuchos_RCP.hpp>
#include <Teuchos_StringInputSource.hpp>
#include <Teuchos_XMLObject.hpp>
#include <Teuchos_XMLParameterListHelpers.hpp>
#include <cctype>
#include <cmath>
#include <cstddef>
#include <limits>

#include "Trident_Error.hpp"
#include "base/Trident_PlainNumbers.hpp"
#include "product/Trident_ReadParameters.hpp"

namespace Trident::Impl {
namespace {

using Teuchos::ParameterList;

bool isExperts(const std::string& name) {
  return getValidParameters()->sublist(expertName).isParameter(name);
}

ParameterList& placeOf(const std::string& name, ParameterList& list) {
  return isExperts(name) ? list.sublist(expertName) : list;
}

/// Returns the list if products accept it. Otherwise throws as a product would.
ParameterList checked(const ParameterList& list) {
  const auto params = Teuchos::rcp(new ParameterList);
  params->sublist("Trident") = list;
  readParameters(params);
  return list;
}

double numberOf(const std::string& name, const std::string& text) {
  std::size_t used = 0;
  const double value = numberAtFront(text, used);
  if (used == 0 || used < text.size())
    throw Error("\"" + name + "\" = \"" + text + "\" is no number");
  return value;
}

int wholeNumberOf(const std::string& name, const std::string& text) {
  const double value = numberOf(name, text);
  if (!(std::abs(value) <= std::numeric_limits<int>::max() && value == std::floor(value)))
    throw Error("\"" + name + "\" = \"" + text + "\" is no whole number, or too large");
  return static_cast<int>(value);
}

bool truthOf(const std::string& name, const std::string& text) {
  if (text == "true" || text == "1") return true;
  if (text == "false" || text == "0") return false;
  throw Error("\"" + name + "\" = \"" + text + "\" is neither true nor false");
}

/// Sets a parameter from text, in the parameter's own type. An unknown parameter is set as text,
/// and checked() refuses its name later.
void setFromText(const std::string& name, const std::string& text, ParameterList& list) {
  const ParameterList& users = *getValidParameters();
  const ParameterList& valid = isExperts(name) ? users.sublist(expertName) : users;
  ParameterList& place = placeOf(name, list);
  if (valid.isType<bool>(name))
    place.set(name, truthOf(name, text));
  else if (valid.isType<int>(name))
    place.set(name, wholeNumberOf(name, text));
  else if (valid.isType<double>(name))
    place.set(name, numberOf(name, text));
  else
    place.set(name, text);
}

std::string trimmed(const std::string& text) {
  const char* const blanks = " \t\n";
  const std::size_t first = text.find_first_not_of(blanks);
  return first == std::string::npos ? ""
                                    : text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

/// Reads the numbers of a list again from its XML, because Teuchos reads numbers by the locale.
void readNumbersAgain(const Teuchos::XMLObject& xml, ParameterList& list) {
  for (int c = 0; c < xml.numChildren(); ++c) {
    const Teuchos::XMLObject& child = xml.getChild(c);
    const std::string name = child.hasAttribute("name") ? child.getAttribute("name") : "";
    if (child.getTag() == "ParameterList" && list.isSublist(name))
      readNumbersAgain(child, list.sublist(name));
    else if (child.getTag() == "Parameter" && list.isType<double>(name))
      list.set(name, numberOf(name, trimmed(child.getRequired("value"))));
  }
}

ParameterList listOfXml(const std::string& text) {
  ParameterList list = *Teuchos::getParametersFromXmlString(text);
  readNumbersAgain(Teuchos::StringInputSource(text).getObject(), list);
  return list;
}

}  // namespace

ParameterList parametersOfWords(const std::string& text) {
  ParameterList list("Trident");
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t equals = text.find('=', at);
    const std::string name = trimmed(text.substr(at, equals - at));
    if (equals == std::string::npos) {
      if (!name.empty()) throw Error("\"" + name + "\" has no value; write name=value");
      break;
    }
    std::size_t end = equals + 1;
    while (end < text.size() && !std::isspace(static_cast<unsigned char>(text[end]))) ++end;
    setFromText(name, text.substr(equals + 1, end - equals - 1), list);
    at = end;
  }
  return checked(list);
}

ParameterList parametersOfXml(const std::string& text) {
  const ParameterList all = listOfXml(text);
  ParameterList list("Trident");
  list.setParameters(checked(all.isSublist("Trident") ? all.sublist("Trident") : all));
  return list;
}

}  // namespace Trident::Impl
