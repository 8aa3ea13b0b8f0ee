#include "parallel.hpp"

#include <condition_variable>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace averment {

void in_order(size_t n, unsigned n_threads, const Part& make, const Part& take) {
  std::mutex guard;
  std::condition_variable turn;
  size_t next = 0, due = 0;
  std::exception_ptr error;
  const auto work = [&](unsigned worker) {
    std::unique_lock<std::mutex> lock(guard);
    while (!error && next < n) {
      const size_t part = next++;
      lock.unlock();
      try {
        make(part, worker);
        lock.lock();
        if (!take) continue;
        turn.wait(lock, [&] { return error || due == part; });
        if (error) return;
        lock.unlock();
        take(part, worker);
        lock.lock();
        ++due;
      } catch (...) {
        if (!lock.owns_lock()) lock.lock();
        if (!error) error = std::current_exception();
      }
      turn.notify_all();
    }
  };
  std::vector<std::thread> helpers;
  try {
    const size_t useful = std::min<size_t>(n_workers(n_threads), n);
    for (unsigned i = 1; i < useful; ++i) helpers.emplace_back(work, i);
  } catch (const std::system_error&) {  // no more threads to be had: those that run do the work
  }
  work(0);
  for (std::thread& helper : helpers) helper.join();
  if (error) std::rethrow_exception(error);
}

void in_parallel(size_t n, size_t at_once, unsigned n_threads, const Part& make) {
  in_parallel((n + at_once - 1) / at_once, n_threads, [&](size_t some, unsigned worker) {
    const size_t end = std::min(n, (some + 1) * at_once);
    for (size_t part = some * at_once; part < end; ++part) make(part, worker);
  });
}

}  // namespace averment
