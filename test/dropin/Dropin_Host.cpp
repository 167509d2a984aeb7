// SPDX-License-Identifier: BSD-3-Clause
// Loads the program beside it as a plug-in, whose libraries nobody else sees, as interpreters do.
#include <dlfcn.h>

#include <cstdio>

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  void* const plugin = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  void* const start = plugin ? dlsym(plugin, "main") : nullptr;
  if (!start) {
    std::printf("%s\n", dlerror());
    return 1;
  }
  return reinterpret_cast<int (*)(int, char**)>(start)(argc - 1, argv + 1);
}
