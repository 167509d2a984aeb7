// SPDX-License-Identifier: BSD-3-Clause
// Loads the program beside it as a plug-in, whose libraries nobody else sees, as interpreters do;
// with DROPIN_DEEPBIND set by RTLD_DEEPBIND too, so that the plug-in finds its own libraries first.
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  const int deep = std::getenv("DROPIN_DEEPBIND") ? RTLD_DEEPBIND : 0;
  void* const plugin = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL | deep);
  void* const start = plugin ? dlsym(plugin, "main") : nullptr;
  if (!start) {
    std::printf("%s\n", dlerror());
    return 1;
  }
  return reinterpret_cast<int (*)(int, char**)>(start)(argc - 1, argv + 1);
}
