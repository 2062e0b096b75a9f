// Merges lane addresses into lines and write segments, with a short cut for the contiguous case.
#include "model/coalescer.h"

#include <algorithm>
#include <bit>

namespace wavecast::model {
namespace {

constexpr int kQuad = 4;  // structural: the address unit takes lanes in quads

template <class T, class Equal>
void append_unique(std::vector<T>& list, const T& value, Equal equal) {
  // Neighbouring lanes touch neighbouring lines, so search backwards.
  for (auto it = list.rbegin(); it != list.rend(); ++it)
    if (equal(*it, value)) return;
  list.push_back(value);
}

bool contiguous(const isa::MemoryAccess& access) {
  return access.affine && access.lanes == ~uint64_t{0} && access.stride == access.bytes &&
         access.bytes % 4 == 0;
}

// All 64 lanes, stride equal to the width: lines and segments are a plain range.
void coalesce_contiguous(const isa::MemoryAccess& access, uint64_t line_bytes, bool writes,
                         CoalescedAccess& out) {
  const uint64_t begin = access.base, end = access.base + out.bytes;
  for (uint64_t line = begin / line_bytes; line <= (end - 1) / line_bytes; ++line) out.lines.push_back(line);
  const uint64_t quad_bytes = uint64_t{access.bytes} * kQuad;
  for (uint64_t quad = begin; quad < end; quad += quad_bytes)
    out.quad_accesses += static_cast<uint32_t>((quad + quad_bytes - 1) / line_bytes - quad / line_bytes + 1);
  if (!writes) return;
  for (uint64_t segment = begin / kWriteSegmentBytes; segment <= (end - 1) / kWriteSegmentBytes; ++segment) {
    const uint64_t address = segment * kWriteSegmentBytes;
    out.segments.push_back({address, address >= begin && address + kWriteSegmentBytes <= end});
  }
}

// Bytes written per segment, to tell full from partial ones.
struct SegmentMask {
  uint64_t address;
  uint64_t mask;
};

void add_bytes(std::vector<SegmentMask>& masks, uint64_t address, uint64_t bytes) {
  while (bytes > 0) {
    const uint64_t segment = address / kWriteSegmentBytes * kWriteSegmentBytes, offset = address - segment;
    const uint64_t count = std::min(bytes, kWriteSegmentBytes - offset);
    const uint64_t mask = (count == 64 ? ~uint64_t{0} : (uint64_t{1} << count) - 1) << offset;
    auto found = std::find_if(masks.rbegin(), masks.rend(),
                              [&](const SegmentMask& m) { return m.address == segment; });
    if (found != masks.rend())
      found->mask |= mask;
    else
      masks.push_back({segment, mask});
    address += count;
    bytes -= count;
  }
}

}  // namespace

void coalesce(const isa::WaveTrace& trace, const isa::MemoryAccess& access, uint64_t line_bytes, bool writes,
              CoalescedAccess& out) {
  out.lines.clear();
  out.segments.clear();
  out.quad_accesses = 0;
  out.active_lanes = static_cast<uint32_t>(std::popcount(access.lanes));
  out.bytes = uint64_t{out.active_lanes} * access.bytes;
  if (out.active_lanes == 0) return;
  if (contiguous(access)) return coalesce_contiguous(access, line_bytes, writes, out);

  thread_local std::vector<SegmentMask> masks;
  masks.clear();
  uint64_t quad_lines[kQuad * 2];
  int quad = -1, quad_count = 0;
  uint32_t rank = 0;
  for (uint64_t rest = access.lanes; rest != 0; rest &= rest - 1, ++rank) {
    const int lane = std::countr_zero(rest);
    const uint64_t address = lane_address(trace, access, lane, rank);
    if (lane / kQuad != quad) {
      out.quad_accesses += static_cast<uint32_t>(quad_count);
      quad = lane / kQuad;
      quad_count = 0;
    }
    for (uint64_t line = address / line_bytes; line <= (address + access.bytes - 1) / line_bytes; ++line) {
      if (std::find(quad_lines, quad_lines + quad_count, line) == quad_lines + quad_count)
        quad_lines[quad_count++] = line;
      append_unique(out.lines, line, std::equal_to<>());
    }
    if (writes) add_bytes(masks, address, access.bytes);
  }
  out.quad_accesses += static_cast<uint32_t>(quad_count);
  for (const SegmentMask& m : masks) out.segments.push_back({m.address, m.mask == ~uint64_t{0}});
}

}  // namespace wavecast::model
