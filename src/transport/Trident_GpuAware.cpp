// SPDX-License-Identifier: BSD-3-Clause
#include "transport/Trident_GpuAware.hpp"

#include <mpi.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <string>

namespace Trident::Impl {

bool takesDeviceMemory(const GpuAwareSigns& signs) {
  if (signs.query) return *signs.query;
  if (signs.mpich && signs.mpichEnabled) return *signs.mpichEnabled;
  return signs.assumed.value_or(false);
}

std::optional<bool> yesOrNo(const char* text) {
  if (text == nullptr) return std::nullopt;
  std::string word(text);
  std::transform(word.begin(), word.end(), word.begin(),
                 [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
  for (const char* yes : {"1", "yes", "true", "on"})
    if (word == yes) return true;
  for (const char* no : {"0", "no", "false", "off"})
    if (word == no) return false;
  return std::nullopt;
}

GpuAwareSigns gpuAwareSigns() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length = 0;
  if (MPI_Get_library_version(text, &length) != MPI_SUCCESS) text[0] = '\0';  // so `mpich` is false
  GpuAwareSigns signs;
  signs.query = mpiSaysItTakesDeviceMemory();
  signs.mpich = std::string(text).find("MPICH") != std::string::npos;
  signs.mpichEnabled = yesOrNo(std::getenv("MPICH_GPU_SUPPORT_ENABLED"));
  signs.assumed = yesOrNo(std::getenv("TPETRA_ASSUME_GPU_AWARE_MPI"));
  return signs;
}

bool mpiTakesDeviceMemory() { return takesDeviceMemory(gpuAwareSigns()); }

}  // namespace Trident::Impl
