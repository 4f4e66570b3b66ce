// loads DIRECTORY PLUGIN…: each plug-in opens DIRECTORY/N, is unloaded and deleted before the next one is loaded.
#include <dlfcn.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char** argv) {
  for (int i = 2; i < argc; ++i) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%d", argv[1], i - 2);
    void* plugin = dlopen(argv[i], RTLD_NOW);
    if (!plugin) return 2;
    int (*entry)(const char*) = (int (*)(const char*))dlsym(plugin, "plugin_entry");
    if (!entry || entry(path) != 0 || dlclose(plugin) != 0) return 3;
    if (argc == 3) unlink(argv[i]);
  }
  return 0;
}
