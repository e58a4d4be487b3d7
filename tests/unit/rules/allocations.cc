#include "unit/rules/allocations.h"

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>

namespace {

// Constant-initialized, for operator new is called before main.
constinit std::atomic<std::size_t> calls{0};

}  // namespace

void* operator new(std::size_t size) {
  ++calls;
  void* memory = std::malloc(size == 0 ? 1 : size);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

void operator delete(void* memory) noexcept {
  std::free(memory);
}

void operator delete(void* memory, std::size_t /*size*/) noexcept {
  std::free(memory);
}

namespace sluice::rules::testing {

std::size_t allocations() {
  return calls;
}

}  // namespace sluice::rules::testing
