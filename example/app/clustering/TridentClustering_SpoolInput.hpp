// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENTCLUSTERING_SPOOLINPUT_HPP
#define TRIDENTCLUSTERING_SPOOLINPUT_HPP

#include <cstdint>

namespace Trident {
namespace Clustering {

/// Returns the number of bytes of standard input that are to be read. Where it is no file, they are
/// copied first to one in TMPDIR that nobody else may read and that has no name any more, and
/// standard input becomes that file. Below 0 where no such file can be made, and nothing was read.
/// Local. Throws std::runtime_error where it cannot be copied: some of it is lost then.
std::int64_t spoolStandardInput();

}  // namespace Clustering
}  // namespace Trident

#endif
