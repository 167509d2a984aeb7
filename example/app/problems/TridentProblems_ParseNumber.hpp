// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENTPROBLEMS_PARSENUMBER_HPP
#define TRIDENTPROBLEMS_PARSENUMBER_HPP

#include <cstdint>

/// \file TridentProblems_ParseNumber.hpp
/// Numbers from text that no zero byte ends. Both functions set `at` behind the number and return
/// true, or leave `at` and return false where there is none or it does not fit.

namespace Trident {
namespace Problems {

/// Parses a decimal integer with an optional sign.
bool parseInteger(const char*& at, const char* end, std::int64_t& value);

/// Parses a floating point number as strtod takes it, also "inf", "nan" and Fortran's "1.5D+3". Too
/// large a number does not fit, too small a one becomes subnormal or zero.
bool parseReal(const char*& at, const char* end, double& value);

}  // namespace Problems
}  // namespace Trident

#endif
