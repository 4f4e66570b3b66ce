// Opens files in the ways that make stacks hard to walk: places KIND DIRECTORY. Each kind opens DIRECTORY/KIND in a
// function whose name says so, and then DIRECTORY/after in the ordinary way.
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

static char path[4096], after[4096];

static void __attribute__((noinline)) open_file(const char* name) {
  int fd = open(name, O_CREAT | O_WRONLY, 0600);
  if (fd < 0 || write(fd, "x", 1) != 1 || close(fd) != 0) _exit(3);
}
static void __attribute__((noinline)) open_plainly(void) {
  open_file(path);
  __asm__ volatile("");
}

// ---- a frame pointer that points nowhere, and a return address that was overwritten
static void __attribute__((noinline)) open_with_garbage(void) {
#if defined(__x86_64__)
  // The call frame information of this function says that its caller's frame pointer is on the stack: not so here.
  __asm__ volatile(
      "pushq %%rbp\n\t"
      ".cfi_adjust_cfa_offset 8\n\t"
      "movq $0x41414141, %%rbp\n\t"
      "movq %%rsp, %%r12\n\t"
      "subq $136, %%rsp\n\t"
      "andq $-16, %%rsp\n\t"
      "call *%0\n\t"
      "movq %%r12, %%rsp\n\t"
      "popq %%rbp\n\t"
      ".cfi_adjust_cfa_offset -8"
      :
      : "b"(open_plainly)
      : "r12", "rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "memory");
#else
  open_plainly();
#endif
}

static uintptr_t saved[64];
static void __attribute__((noinline)) open_smashed(void) {
  // Everything above this frame is overwritten during the open, and put back.
  uintptr_t* above = (uintptr_t*)__builtin_frame_address(0);
  memcpy(saved, above, sizeof saved);
  for (int i = 0; i < 64; ++i) above[i] = 0x4141414141414141u;
  int fd = open(path, O_CREAT | O_WRONLY, 0600);
  memcpy(above, saved, sizeof saved);
  if (fd < 0 || close(fd) != 0) _exit(3);
}

// ---- code made at run time
static void open_jit(int with_frame) {
#if defined(__x86_64__)
  static const unsigned char kFramed[] = {0x55, 0x48, 0x89, 0xe5,
                                          0xff, 0xd7, 0x5d, 0xc3};  // push, mov, call *rdi, pop, ret
  static const unsigned char kBare[] = {0x48, 0x83, 0xec, 0x08, 0xff, 0xd7, 0x48, 0x83, 0xc4, 0x08, 0xc3};
  unsigned char* code = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (code == MAP_FAILED || munmap(code, 4096) != 0) _exit(4);
  code += 4096;  // before which nothing lies
  if (with_frame)
    memcpy(code, kFramed, sizeof kFramed);
  else
    memcpy(code, kBare, sizeof kBare);
  if (mprotect(code, 4096, PROT_READ | PROT_EXEC) != 0) _exit(4);
  ((void (*)(void (*)(void)))(void*)code)(open_plainly);
  munmap(code, 4096);
#else
  (void)with_frame;
  open_plainly();
#endif
}

// ---- signal handlers
static void open_in_handler(int number) {
  (void)number;
  open_plainly();
}
static void in_handler(int other_stack) {
  static char memory[64 << 10];
  stack_t stack = {.ss_sp = memory, .ss_size = sizeof memory};
  if (other_stack) sigaltstack(&stack, NULL);
  struct sigaction action = {.sa_handler = open_in_handler, .sa_flags = other_stack ? SA_ONSTACK : 0};
  sigaction(SIGUSR1, &action, NULL);
  raise(SIGUSR1);
}

// ---- deep recursion
static int __attribute__((noinline)) recurse(int depth) {
  if (depth == 0) return open_plainly(), 1;
  volatile char local[32];
  local[0] = 1;
  return recurse(depth - 1) + local[0];
}

// ---- other stacks
static void* thread(void* nothing) {
  (void)nothing;
  open_plainly();
  return NULL;
}
static void in_small_thread(void) {
  pthread_attr_t attributes;
  pthread_t id;
  pthread_attr_init(&attributes);
  if (pthread_attr_setstacksize(&attributes, 16384) != 0) _exit(5);
  if (pthread_create(&id, &attributes, thread, NULL) != 0) _exit(5);
  pthread_join(id, NULL);
}

static ucontext_t outside, inside;
static void coroutine(void) { open_plainly(); }
static void in_coroutine(void) {
  size_t size = 32 << 10;
  char* stack = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  getcontext(&inside);
  inside.uc_stack.ss_sp = stack;
  inside.uc_stack.ss_size = size;
  inside.uc_link = &outside;
  makecontext(&inside, coroutine, 0);
  swapcontext(&outside, &inside);
  munmap(stack, size);
}

// ---- other processes
static void in_fork(void) {
  pid_t child = fork();
  if (child == 0) {
    open_plainly();
    _exit(0);
  }
  waitpid(child, NULL, 0);
}
static void in_vfork(void) {
  pid_t child = vfork();
  if (child == 0) {
    int fd = open(path, O_CREAT | O_WRONLY, 0600);
    close(fd);
    _exit(0);
  }
  waitpid(child, NULL, 0);
}

// ---- what a function does slowly, and what it does in large pieces
static void __attribute__((noinline)) write_small(int fd) {
  if (write(fd, "x", 1) != 1) _exit(3);
}
static void __attribute__((noinline)) write_large(int fd) {
  static char block[1 << 20];
  if (write(fd, block, sizeof block) != (ssize_t)sizeof block) _exit(3);
}
static void __attribute__((noinline)) read_back(int fd) {
  static char block[1 << 20];
  if (pread(fd, block, sizeof block, 0) < 1) _exit(3);
}
static void operations(void) {
  int fd = open(path, O_CREAT | O_RDWR, 0600);
  for (int i = 0; i < 1000; ++i) write_small(fd);
  write_large(fd);
  for (int i = 0; i < 1000; ++i) write_small(fd);
  read_back(fd);
  close(fd);
}

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const char* kind = argv[1];
  snprintf(path, sizeof path, "%s/%s", argv[2], kind);
  snprintf(after, sizeof after, "%s/after", argv[2]);
  if (strcmp(kind, "plain") == 0) open_plainly();
  if (strcmp(kind, "garbage") == 0) open_with_garbage();
  if (strcmp(kind, "smashed") == 0) open_smashed();
  if (strcmp(kind, "jit") == 0) open_jit(1);
  if (strcmp(kind, "bare-jit") == 0) open_jit(0);
  if (strcmp(kind, "handler") == 0) in_handler(0);
  if (strcmp(kind, "other-stack-handler") == 0) in_handler(1);
  if (strcmp(kind, "recursion") == 0) recurse(100000);
  if (strcmp(kind, "small-thread") == 0) in_small_thread();
  if (strcmp(kind, "coroutine") == 0) in_coroutine();
  if (strcmp(kind, "fork") == 0) in_fork();
  if (strcmp(kind, "vfork") == 0) in_vfork();
  if (strcmp(kind, "operations") == 0) operations();
  open_file(after);
  return 0;
}
