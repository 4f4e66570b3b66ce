#include "forward/server/server.h"

#include "forward/server/event_loop.h"
#include "forward/transport/transport.h"

namespace headrace::forward {
namespace {

/// Back ends that never wait gain nothing by it.
WriteBufferOptions write_buffer_options(const Backend& backend, const Server::Options& options) {
  WriteBufferOptions own = options.write_buffer;
  own.on = own.on && backend.sleeps();
  own.threads = options.storage_threads;
  own.stripe = options.stripe;
  // Of another stripe only a part would ever be held here.
  if (options.place == Placing::kStripe) own.only_stripe = options.stripe != 0 ? options.stripe : kUsualStripe;
  return own;
}

Placement placement_of(const Backend& backend, const Server::Options& options) {
  Placement placement;
  placement.place = options.place;
  placement.holds = options.write_buffer.on && backend.sleeps();
  if (options.stripe != 0) placement.stripe = options.stripe;
  placement.node = options.node;
  return placement;
}

/// Whether a change of what is read here is told to this server. By stripe each has its own bytes, and is told of a
/// truncation only where it may hold something.
bool sees_all(const Placement& placement) {
  return placement.place == Placing::kFile || (placement.place == Placing::kStripe && placement.holds);
}

}  // namespace

Server::Server(std::unique_ptr<Backend> backend, const Options& options)
    : backend_(std::move(backend)),
      buffers_(options.limits.memory,
               [this] {
                 for (const auto& loop : loops_) loop->wake();
               }),
      handles_(derive(options.secret, "handles")),
      munge_(options.munge.has_value() ? std::optional<Munge>(*options.munge) : std::nullopt),
      pool_(backend_->sleeps() ? options.storage_threads : 0),
      munge_pool_(options.munge.has_value() ? 1 : 0),
      reads_(sees_all(placement_of(*backend_, options))),
      opens_(*backend_),
      write_buffer_(*backend_, buffers_, write_buffer_options(*backend_, options)),
      shared_{options.limits,
              options.secret,
              *backend_,
              buffers_,
              pool_,
              sessions_,
              counters_,
              handles_,
              appends_,
              write_buffer_,
              locks_,
              reads_,
              opens_,
              {backend_.get(), &handles_, &counters_, &buffers_, &appends_, &write_buffer_, &locks_, &reads_, &opens_,
               nullptr},
              placement_of(*backend_, options),
              munge_.has_value() ? &*munge_ : nullptr,
              munge_pool_,
              options.on_unkept} {
  write_buffer_.set_opens(&opens_);
  // A call has to fit, whatever memory there is.
  shared_.limits.most_data = static_cast<uint32_t>(std::min<uint64_t>(options.limits.most_data, buffers_.largest()));
}

base::Status Server::open(const Options& options) {
  for (unsigned i = 0; i < std::max(1u, options.event_threads); ++i) {
    loops_.push_back(std::make_unique<EventLoop>(shared_));
    HEADRACE_TRY(loops_.back()->open());
  }
  for (const std::string& address : options.addresses) {
    HEADRACE_ASSIGN(std::unique_ptr<Listener> listener, listen(address));
    addresses_.push_back(listener->address());
    loops_[0]->listen(std::move(listener), [this](std::unique_ptr<Link> link) {
      loops_[next_loop_++ % loops_.size()]->add(std::move(link));
    });
  }
  // The addresses are this server's: no other that runs has the same journal.
  if (!options.journal.empty()) {
    HEADRACE_ASSIGN(journal_, Journal::open(options.journal));
    shared_.services.journal = journal_.get();
    sessions_.keep_in(journal_.get());
  }
  for (const auto& loop : loops_) loop->start();
  return {};
}

base::Result<std::unique_ptr<Server>> Server::start(std::unique_ptr<Backend> backend, Options options) {
  std::unique_ptr<Server> server(new Server(std::move(backend), options));
  HEADRACE_TRY(server->open(options));
  return server;
}

Server::~Server() { finish(); }

std::vector<std::string> Server::finish() {
  if (std::exchange(finished_, true)) return {};
  for (const auto& loop : loops_) loop->stop();
  for (const auto& loop : loops_) loop->wait_drained();
  // Flushes give calls to the pool, and calls hold data.
  do {
    write_buffer_.flush_all();
    pool_.wait_idle();
  } while (!write_buffer_.empty());
  // Who has not been told what is lost will be, as if this server had been killed.
  for (const auto& loop : loops_) loop->say_goodbye(write_buffer_.losers());
  for (const auto& loop : loops_) loop->join();
  write_buffer_.finish();
  pool_.finish();
  if (journal_ != nullptr) journal_->remove();
  munge_pool_.finish();
  loops_.clear();
  return write_buffer_.untold();
}

}  // namespace headrace::forward
