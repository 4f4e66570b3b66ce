// raw_sockets unix|tcp SECONDS: what sockets themselves give on this machine. One process answers under epoll, the
// other asks and waits; lines "NAME VALUE UNIT CALLS" as forward_speed has them.
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { kSmall = 64, kLarge = 1 << 20, kDepth = 32, kReceived = 256 << 10 };

static char buffer[kLarge];

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void fail(const char* what) {
  perror(what);
  _exit(1);  // what was printed is the other process's
}

static void send_all(int fd, size_t bytes) {
  for (size_t sent = 0; sent < bytes;) {
    const ssize_t put = send(fd, buffer, bytes - sent < sizeof buffer ? bytes - sent : sizeof buffer, MSG_NOSIGNAL);
    if (put <= 0 && errno == EPIPE) _exit(0);
    if (put <= 0) fail("send");
    sent += (size_t)put;
  }
}

/// Answers every `message` bytes with 64, until the peer ends.
static void answer(int fd, size_t message) {
  const int epoll = epoll_create1(0);
  struct epoll_event event = {.events = EPOLLIN};
  if (epoll < 0 || epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event) != 0) fail("epoll");
  for (size_t have = 0;;) {
    if (epoll_wait(epoll, &event, 1, -1) < 0) fail("epoll_wait");
    const ssize_t got = recv(fd, buffer, message == kSmall ? 16 << 10 : kReceived, MSG_DONTWAIT);
    if (got == 0) _exit(0);
    if (got < 0) continue;
    have += (size_t)got;
    const size_t whole = have / message;
    have %= message;
    if (whole > 0) send_all(fd, whole * kSmall);
  }
}

static void connect_tcp(int ends[2]) {
  const int listener = socket(AF_INET, SOCK_STREAM, 0);
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t size = sizeof address;
  if (bind(listener, (struct sockaddr*)&address, size) != 0 || listen(listener, 1) != 0) fail("bind");
  getsockname(listener, (struct sockaddr*)&address, &size);
  ends[0] = socket(AF_INET, SOCK_STREAM, 0);
  if (connect(ends[0], (struct sockaddr*)&address, size) != 0) fail("connect");
  ends[1] = accept(listener, NULL, NULL);
  close(listener);
  const int on = 1;
  for (int i = 0; i < 2; ++i) setsockopt(ends[i], IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

/// Messages of `bytes`, `depth` under way; gives how many in how many seconds.
static void measure(int tcp, const char* name, size_t bytes, int depth, double seconds) {
  int ends[2];
  if (tcp)
    connect_tcp(ends);
  else if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0)
    fail("socketpair");
  const pid_t other = fork();
  if (other < 0) fail("fork");
  if (other == 0) {
    close(ends[0]);
    answer(ends[1], bytes);
  }
  close(ends[1]);
  uint64_t calls = 0;
  const double begin = now();
  for (int i = 0; i < depth; ++i) send_all(ends[0], bytes);
  size_t answered = 0;
  while (now() - begin < seconds) {
    const ssize_t got = recv(ends[0], buffer, depth * kSmall, 0);
    if (got <= 0) fail("recv");
    answered += (size_t)got;
    const size_t whole = answered / kSmall;
    answered %= kSmall;
    calls += whole;
    if (whole > 0) send_all(ends[0], whole * bytes);
  }
  const double took = now() - begin;
  close(ends[0]);
  waitpid(other, NULL, 0);
  if (bytes == kLarge)
    printf("%s %.3f GB/s %llu\n", name, (double)calls * (double)bytes / took / 1e9, (unsigned long long)calls);
  else if (depth > 1)
    printf("%s %.3f calls/s %llu\n", name, (double)calls / took, (unsigned long long)calls);
  else
    printf("%s %.3f us %llu\n", name, took / (double)calls / 2 * 1e6, (unsigned long long)calls);
}

int main(int count, char** values) {
  if (count != 3) return 2;
  const int tcp = strcmp(values[1], "tcp") == 0;
  const double seconds = atof(values[2]);
  setvbuf(stdout, NULL, _IOLBF, 0);  // nothing is left in it for the other process
  signal(SIGPIPE, SIG_IGN);
  measure(tcp, "write-64", kSmall, 1, seconds);
  measure(tcp, "write-64-x32", kSmall, kDepth, seconds);
  measure(tcp, "write-1M", kLarge, 1, seconds);
  return 0;
}
