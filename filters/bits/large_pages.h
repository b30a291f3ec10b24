// SPDX-License-Identifier: MIT
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdlib>
#include <new>

namespace beckon::filters {

/// For arrays that are read and written at random places. From 1 MiB on memory is asked for in
/// pages of 2 MiB: with the usual 4 KiB nearly every access would miss the processor's table of
/// pages, too. Sizes are rounded up to whole large pages; a system that has none gives small ones.
template <typename T>
struct LargePages {
  using value_type = T;
  static constexpr std::size_t page = std::size_t{1} << 21;
  static constexpr std::size_t worth = page / 2;

  LargePages() = default;
  template <typename Other>
  LargePages(const LargePages<Other>&) {}

  T* allocate(std::size_t count) {
    std::size_t bytes = count * sizeof(T);
    if (bytes < worth) {
      return static_cast<T*>(::operator new (bytes, std::align_val_t{alignof(T)}));
    }
    std::size_t whole = (bytes + page - 1) / page * page;
    void* got = whole < bytes ? nullptr : std::aligned_alloc(page, whole);
    if (got == nullptr) throw std::bad_alloc();  // as every allocator must
    (void)madvise(got, whole, MADV_HUGEPAGE);    // advice only
    return static_cast<T*>(got);
  }
  void deallocate(T* at, std::size_t count) {
    if (count * sizeof(T) < worth) return ::operator delete (at, std::align_val_t{alignof(T)});
    std::free(at);
  }
  friend bool operator==(const LargePages&, const LargePages&) { return true; }
};

}  // namespace beckon::filters
