// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_TESTPARAMETERS_HPP
#define TRIDENT_TESTPARAMETERS_HPP

#include <Teuchos_ParameterList.hpp>
#include <Teuchos_StandardParameterEntryValidators.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "Trident_Parameters.hpp"

/// \file Trident_TestParameters.hpp
/// Trident's parameters by name: where each belongs, and another valid value.

namespace TridentTest {

/// Returns the parameters in the sublist "expert".
inline const Teuchos::ParameterList& validExperts() {
  return Trident::getValidParameters()->sublist("expert");
}

/// Returns the names of one list, without sublists.
inline std::vector<std::string> namesOf(const Teuchos::ParameterList& list) {
  std::vector<std::string> names;
  for (auto p = list.begin(); p != list.end(); ++p)
    if (!list.entry(p).isList()) names.push_back(list.name(p));
  return names;
}

/// Returns the list to which a parameter belongs: the sublist "Trident", or its sublist "expert".
inline Teuchos::ParameterList& placeOf(const std::string& name, Teuchos::ParameterList& trident) {
  return validExperts().isParameter(name) ? trident.sublist("expert") : trident;
}

/// Gives a parameter another valid value than the default, by its type and validator.
/// @param valid the list of valid parameters that has it
inline void setAnother(Teuchos::ParameterList& list, const Teuchos::ParameterList& valid,
                       const std::string& name) {
  const auto validator = valid.getEntry(name).validator();
  const auto words = validator.is_null() ? Teuchos::null : validator->validStringValues();
  if (valid.isType<bool>(name))
    list.set(name, !valid.get<bool>(name));
  else if (valid.isType<int>(name))
    list.set(name, valid.get<int>(name) + 1);
  else if (valid.isType<double>(name))
    list.set(name, valid.get<double>(name) + 1);
  else if (!words.is_null())
    list.set(name, (*words)[0] == valid.get<std::string>(name) ? (*words)[1] : (*words)[0]);
  else if (name == "grid")
    list.set(name, std::string("square"));
  else
    throw std::logic_error("no other value is known for " + name);
}

}  // namespace TridentTest

#endif
