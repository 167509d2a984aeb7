// SPDX-License-Identifier: BSD-3-Clause
#include "Trident_Error.hpp"
#include "base/Trident_Lasting.hpp"
#include "transport/Trident_IpcDevice.hpp"

namespace Trident::Impl {
namespace {

[[noreturn]] void refuseIpc() {
  throw Error("Trident was built without CUDA (Trident_ENABLE_CUDA)");
}

class NoIpc : public IpcDevice {
 public:
  char* allocate(std::size_t) override { refuseIpc(); }
  IpcHandle handleOf(char*) override { refuseIpc(); }
  char* open(const IpcHandle&) override { refuseIpc(); }
  void copy(void*, const void*, std::size_t) override { refuseIpc(); }
  void close(char*) noexcept override {}
  void free(char*) noexcept override {}
};

}  // namespace

IpcDevice& cudaIpc() {
  static Lasting<NoIpc> none;
  return *none;
}

}  // namespace Trident::Impl
