/* Runs Python in a library that is loaded as a plug-in: LIBRARY DIRECTORY. */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int count, char** values) {
  if (count < 3) return 1;
  void* library = dlopen(values[1], RTLD_NOW | RTLD_GLOBAL);
  if (!library) return puts(dlerror()), 2;
  void (*begin)(int) = (void (*)(int))dlsym(library, "Py_InitializeEx");
  int (*run)(const char*) = (int (*)(const char*))dlsym(library, "PyRun_SimpleString");
  int (*end)(void) = (int (*)(void))dlsym(library, "Py_FinalizeEx");
  int* no_site = dlsym(library, "Py_NoSiteFlag"); /* few imports: a thread's looks at new stacks are bounded */
  if (no_site) *no_site = 1;
  char program[4096], name[4096];
  snprintf(program, sizeof program, "def inner():\n    open('%s/embedded', 'w').close()\ninner()\n", values[2]);
  begin(0);
  if (run(program) != 0 || end() != 0) return 3;
  dlclose(library);
  snprintf(name, sizeof name, "%s/later", values[2]);
  const int file = open(name, O_CREAT | O_WRONLY, 0600);
  return file < 0 ? 4 : close(file);
}
