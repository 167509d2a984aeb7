// SPDX-License-Identifier: BSD-3-Clause
#include "transport/Trident_CopyStream.hpp"

namespace Trident::Impl {

struct CopyStream::State {};

CopyStream::CopyStream(int) {}
CopyStream::~CopyStream() = default;

void CopyStream::copy(int, void* to, MemoryKind toKind, const void* from, MemoryKind fromKind,
                      std::size_t bytes) {
  copyBytes(to, toKind, from, fromKind, bytes);
}

bool CopyStream::done(int) { return true; }

}  // namespace Trident::Impl
