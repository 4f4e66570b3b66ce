// A team of OpenMP: what its threads wait in. Says "ok" if sums are right.
#include <omp.h>
#include <stdio.h>

int main(void) {
  long sum = 0, by_lock = 0, by_tasks = 0, ordered = 0, loops = 0;
  int shared = 0;
  omp_lock_t lock;
  omp_nest_lock_t nest;
  omp_init_lock(&lock);
  omp_init_nest_lock(&nest);
  omp_set_num_threads(4);
#pragma omp parallel
  {
    int copied = 0;
    for (int i = 0; i < 200; ++i) {
#pragma omp critical
      ++sum;
#pragma omp critical(named)
      ++loops;
      omp_set_lock(&lock);
      ++by_lock;
      omp_unset_lock(&lock);
      omp_set_nest_lock(&nest);
      omp_set_nest_lock(&nest);
      omp_unset_nest_lock(&nest);
      omp_unset_nest_lock(&nest);
    }
#pragma omp barrier
#pragma omp single copyprivate(copied)
    copied = 7;
#pragma omp atomic
    shared += copied;
#pragma omp for schedule(dynamic)
    for (int i = 0; i < 100; ++i) {
#pragma omp atomic
      ++loops;
    }
#pragma omp for ordered schedule(static, 1)
    for (int i = 0; i < 20; ++i) {
#pragma omp ordered
      ordered = ordered * 2 % 1000003 + i;
    }
#pragma omp single
    {
      for (int i = 0; i < 50; ++i) {
#pragma omp task
        {
#pragma omp atomic
          ++by_tasks;
        }
      }
#pragma omp taskwait
    }
  }
#pragma omp parallel for schedule(dynamic, 1) reduction(+ : loops)
  for (int i = 0; i < 100; ++i) ++loops;
#pragma omp parallel sections
  {
#pragma omp section
    {
#pragma omp atomic
      ++loops;
    }
#pragma omp section
    {
#pragma omp atomic
      ++loops;
    }
  }
#pragma omp parallel num_threads(2)
  {
#pragma omp parallel num_threads(2)
    {
#pragma omp atomic
      ++loops;
    }
  }
  long expected = 0;
  for (int i = 0; i < 20; ++i) expected = expected * 2 % 1000003 + i;
  const int right = sum == 800 && by_lock == 800 && by_tasks == 50 && shared == 28 && ordered == expected &&
                    loops >= 800 + 100 + 100 + 2 + 2;
  puts(right ? "ok" : "wrong");
  return !right;
}
