// A library that a program loads, with teams of OpenMP while it is loaded and later.
static int sum;

static void add(void) {
#pragma omp parallel num_threads(3)
  {
#pragma omp critical
    ++sum;
#pragma omp barrier
  }
}

__attribute__((constructor)) static void while_loading(void) { add(); }

int total(void);
int total(void) {
  add();
  return sum;
}
