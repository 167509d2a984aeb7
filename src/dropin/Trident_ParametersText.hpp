// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_PARAMETERSTEXT_HPP
#define TRIDENT_PARAMETERSTEXT_HPP

#include <Teuchos_ParameterList.hpp>
#include <string>

namespace Trident::Impl {

/// Reads Trident's parameters from text: "kernel=host ranks per node=4", a value ending at the next
/// blank. Each lies where the sublist "Trident" has it, those that few need in its sublist
/// "expert". Local; throws std::exception if the text or a value is bad.
Teuchos::ParameterList parametersOfWords(const std::string& text);

/// Reads Trident's parameters from XML: a list of Teuchos', or its sublist "Trident". Local; throws
/// std::exception if the text or a value is bad, or a parameter has another place.
Teuchos::ParameterList parametersOfXml(const std::string& text);

}  // namespace Trident::Impl

#endif
