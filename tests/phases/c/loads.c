// Loads a plug-in that marks phases, for itself alone.
#include <dlfcn.h>
#include <stdio.h>

int main(int count, char** values) {
  void* plugin = count > 1 ? dlopen(values[1], RTLD_NOW | RTLD_LOCAL) : NULL;
  if (!plugin) return puts(dlerror()), 1;
  void (*more)(void) = (void (*)(void))dlsym(plugin, "more");
  more();
  return 0;
}
