// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_SLICESENDS_HPP
#define TRIDENT_SLICESENDS_HPP

#include <algorithm>
#include <cstddef>

#include "exchange/Trident_SliceExchange.hpp"
#include "transport/Trident_Line.hpp"

namespace Trident::Impl {

/// Starts to send a slice and its mark to a member. Each message waits until its bytes are written.
inline void sendSlice(const LineSlices& slices, const SentSlice& slice, bool failed, int member,
                      Transfers& sends) {
  const char* const data = static_cast<const char*>(slice.data);
  // If `await` is set, this loop cuts the slice into the receiver's messages. Else send() does.
  const std::size_t longest = slices.await ? slices.messageBytes : slice.bytes;
  for (std::size_t at = 0; at < slice.bytes; at += longest) {
    const std::size_t bytes = std::min(longest, slice.bytes - at);
    if (slices.await) slices.await(data + at + bytes);
    sends.send(data + at, bytes, member);
  }
  sends.send(markToSend(failed), 1, member);
}

}  // namespace Trident::Impl

#endif
