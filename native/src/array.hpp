// A large array of numbers whose new elements are not cleared.
//
// The first touch of a page costs more than what is done with it here, so: no clearing on top, no
// copies when it grows (the system moves pages), and large pages where there are some.
#pragma once

#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <utility>

namespace averment {

template <class T>
class Array {
 public:
  Array() = default;
  explicit Array(size_t size) { extend(size); }
  Array(Array&& other) noexcept { swap(other); }
  Array& operator=(Array&& other) noexcept {
    swap(other);
    return *this;
  }
  ~Array() { std::free(data_); }

  size_t size() const { return size_; }
  T* data() { return data_; }
  const T* data() const { return data_; }

  // Appends `n` elements to be written; returns where.
  T* extend(size_t n) {
    if (size_ + n > room_) make_room(room_ ? std::max(size_ + n, 2 * room_) : n);
    size_ += n;
    return data_ + size_ - n;
  }
  void shrink(size_t size) { size_ = size; }

 private:
  void swap(Array& other) {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(room_, other.room_);
  }

  void make_room(size_t room) {
    void* moved = std::realloc(data_, room * sizeof(T));
    if (!moved) throw std::bad_alloc();
    data_ = static_cast<T*>(moved);
    room_ = room;
#ifdef MADV_HUGEPAGE
    constexpr uintptr_t kPage = 4096;
    const uintptr_t start = (reinterpret_cast<uintptr_t>(data_) + kPage - 1) / kPage * kPage;
    const uintptr_t end = reinterpret_cast<uintptr_t>(data_ + room_) / kPage * kPage;
    if (end > start) ::madvise(reinterpret_cast<void*>(start), end - start, MADV_HUGEPAGE);
#endif
  }

  T* data_ = nullptr;
  size_t size_ = 0, room_ = 0;
};

}  // namespace averment
