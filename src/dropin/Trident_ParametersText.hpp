// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_PARAMETERSTEXT_HPP
#define TRIDENT_PARAMETERSTEXT_HPP

#include <Teuchos_ParameterList.hpp>
#include <string>

namespace Trident::Impl {

/// Reads Trident's parameters from text such as "kernel=host ranks per node=4", where a value ends
/// at the next blank. Returns a list like a sublist "Trident", which may have a sublist "expert".
/// Local; throws std::exception if the text or a value is bad.
Teuchos::ParameterList parametersOfWords(const std::string& text);

/// Reads Trident's parameters from the XML of a Teuchos list, or of its sublist "Trident".
/// Local; throws std::exception if the text or a value is bad, or a parameter is in a wrong place.
Teuchos::ParameterList parametersOfXml(const std::string& text);

}  // namespace Trident::Impl

#endif
