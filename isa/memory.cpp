// Regions of guest memory on anonymous host mappings; pages cost nothing until touched.
#include "isa/memory.h"

#include <fmt/core.h>
#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace wavecast::isa {

namespace {

// Guest addresses start high enough that small integers and truncated pointers never hit a region, and stay
// inside the 47 bits that user space has on AMD GPUs. Large regions get the alignment that the ROCm driver
// gives them.
constexpr uint64_t kFirstAddress = uint64_t{1} << 40;
constexpr uint64_t kLastAddress = uint64_t{1} << 47;
constexpr uint64_t kSmallAlignment = uint64_t{64} << 10, kLargeAlignment = uint64_t{2} << 20;
constexpr uint64_t kGap = uint64_t{64} << 10;  // unmapped, so that running over an end is seen

uint64_t align_up(uint64_t value, uint64_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

// mmap refuses zero bytes; an empty region still has an address.
uint64_t mapped_size(uint64_t size) { return std::max<uint64_t>(size, 1); }

}  // namespace

Memory::Memory() : next_address_(kFirstAddress) {}

Memory::~Memory() {
  for (size_t i = 0; i < regions_.size(); ++i)
    if (owned_[i]) munmap(regions_[i].host, mapped_size(regions_[i].size));
}

Expected<MemoryRegion> Memory::allocate(std::string name, uint64_t size, bool writable) {
  const uint64_t alignment = size >= kLargeAlignment ? kLargeAlignment : kSmallAlignment;
  const uint64_t address = align_up(next_address_, alignment);
  if (size > kLastAddress || address > kLastAddress - size)
    return fail(name, fmt::format("{} bytes do not fit into the guest's address space", size));
  void* host = mmap(nullptr, mapped_size(size), PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (host == MAP_FAILED)
    return fail(name, fmt::format("the host cannot reserve {} bytes: {}", size, std::strerror(errno)),
                "use smaller buffers");
  auto region = map(name, address, {static_cast<std::byte*>(host), size}, writable);
  if (!region) {
    munmap(host, mapped_size(size));
    return region;
  }
  // map() kept the order; mark the new region as ours.
  for (size_t i = 0; i < regions_.size(); ++i)
    if (regions_[i].host == host) owned_[i] = true;
  next_address_ = address + size + kGap;
  return region;
}

Expected<MemoryRegion> Memory::map(std::string name, uint64_t address, std::span<std::byte> host,
                                   bool writable) {
  const uint64_t size = host.size();
  if (address > UINT64_MAX - size)
    return fail(name, fmt::format("0x{:x} + {} bytes wraps around", address, size));
  const auto next =
      std::upper_bound(regions_.begin(), regions_.end(), address,
                       [](uint64_t value, const MemoryRegion& region) { return value < region.address; });
  const MemoryRegion* clash = nullptr;
  if (next != regions_.end() && next->address < address + size) clash = &*next;
  if (next != regions_.begin()) {
    const MemoryRegion& previous = *std::prev(next);
    if (previous.address == address || previous.address + previous.size > address) clash = &previous;
  }
  if (clash != nullptr)
    return fail(name, fmt::format("0x{:x} ({} bytes) overlaps '{}' (0x{:x}, {} bytes)", address, size,
                                  clash->name, clash->address, clash->size));
  const auto index = next - regions_.begin();
  MemoryRegion region{std::move(name), address, size, host.data(), writable};
  regions_.insert(next, region);
  owned_.insert(owned_.begin() + index, false);
  return region;
}

void Memory::release(uint64_t address) {
  const auto found =
      std::lower_bound(regions_.begin(), regions_.end(), address,
                       [](const MemoryRegion& region, uint64_t value) { return region.address < value; });
  if (found == regions_.end() || found->address != address) return;
  const auto index = found - regions_.begin();
  if (owned_[index]) munmap(found->host, mapped_size(found->size));
  regions_.erase(found);
  owned_.erase(owned_.begin() + index);
}

std::byte* Memory::find_slow(uint64_t address, uint64_t size, uint32_t& hint) const {
  const auto next =
      std::upper_bound(regions_.begin(), regions_.end(), address,
                       [](uint64_t value, const MemoryRegion& region) { return value < region.address; });
  if (next == regions_.begin()) return nullptr;
  const MemoryRegion& region = *std::prev(next);
  const uint64_t offset = address - region.address;
  if (offset >= region.size || size > region.size - offset) return nullptr;
  hint = static_cast<uint32_t>(next - regions_.begin() - 1);
  return region.host + offset;
}

std::string Memory::describe(uint64_t address) const {
  if (regions_.empty()) return fmt::format("0x{:x} (no memory is mapped)", address);
  const auto next =
      std::upper_bound(regions_.begin(), regions_.end(), address,
                       [](uint64_t value, const MemoryRegion& region) { return value < region.address; });
  const MemoryRegion* before = next == regions_.begin() ? nullptr : &*std::prev(next);
  const MemoryRegion* after = next == regions_.end() ? nullptr : &*next;
  const auto text = [address](const char* relation, uint64_t bytes, const MemoryRegion& region) {
    return fmt::format("0x{:x} is {} bytes {} '{}' (0x{:x}, {} bytes)", address, bytes, relation, region.name,
                       region.address, region.size);
  };
  if (before != nullptr && address - before->address < before->size)
    return text("into", address - before->address, *before);
  const uint64_t past = before == nullptr ? UINT64_MAX : address - (before->address + before->size);
  const uint64_t ahead = after == nullptr ? UINT64_MAX : after->address - address;
  return past <= ahead ? text("past the end of", past, *before) : text("before the start of", ahead, *after);
}

}  // namespace wavecast::isa
