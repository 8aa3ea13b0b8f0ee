// Work in numbered parts, shared between threads, with results that do not depend on how many.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>

namespace averment {

// What is asked for, within reason: each thread has buffers of its own.
inline unsigned n_workers(unsigned n_threads) { return std::clamp(n_threads, 1u, 32u); }

using Part = std::function<void(size_t part, unsigned worker)>;

// Calls make(part, worker) for the parts 0 … n - 1 on up to so many threads, and take(part, worker)
// behind it, in the order of the parts and one at a time; without `take` nobody waits. `worker` is
// less than `n_workers` and tells the threads apart. The first error ends the work and is thrown.
void in_order(size_t n, unsigned n_threads, const Part& make, const Part& take);

// The same without an order.
inline void in_parallel(size_t n, unsigned n_threads, const Part& make) {
  in_order(n, n_threads, make, nullptr);
}

// The same for many small parts, of which a thread takes some at a time.
void in_parallel(size_t n, size_t at_once, unsigned n_threads, const Part& make);

}  // namespace averment
