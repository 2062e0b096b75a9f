// SGPRs in the order in which the command processor and the dispatcher write them, VGPRs, EXEC, MODE,
// FLAT_SCRATCH. Registers that hardware leaves undefined are zero, so that runs repeat.
#include "isa/emulator/start_state.h"

#include <cstring>

#include "isa/emulator/launch_limits.h"

namespace wavecast::isa {

namespace {

using operand_code::kFlatScratchLo;

constexpr unsigned kHighHalf = 32;
constexpr uint16_t kScalarRegisters = 102;  // s0 to s101

// Writes one SGPR after the other.
class SgprWriter {
 public:
  explicit SgprWriter(Wavefront& wave) : wave_(wave) {}
  void write32(uint32_t value) {
    if (next_ < kScalarRegisters) wave_.scalar[next_] = value;
    ++next_;
  }
  void write64(uint64_t value) {
    write32(static_cast<uint32_t>(value));
    write32(static_cast<uint32_t>(value >> kHighHalf));
  }
  void continue_at(uint16_t sgpr) { next_ = sgpr; }
  uint16_t position() const { return next_; }

 private:
  Wavefront& wave_;
  uint16_t next_ = 0;
};

// The buffer resource of absolute scratch: dwords of the 64 lanes interleaved by hardware ("swizzled").
// Source: GFX9 buffer resource layout; LLVM's RSRC_TID_ENABLE and index stride for private buffers.
void write_private_buffer(SgprWriter& sgprs, const LoadedKernel& loaded) {
  constexpr uint64_t kAddressMask = (uint64_t{1} << 48) - 1;
  constexpr uint32_t kSwizzle = 1u << 31, kIndexStride64 = 3u << 21, kAddThreadId = 1u << 23;
  const uint64_t base = loaded.scratch_address & kAddressMask;
  sgprs.write32(static_cast<uint32_t>(base));
  sgprs.write32(static_cast<uint32_t>(base >> kHighHalf) | kSwizzle);
  sgprs.write32(UINT32_MAX);  // all of scratch; guest memory itself knows where a wave's part ends
  sgprs.write32(kIndexStride64 | kAddThreadId);
}

void write_preloaded_arguments(SgprWriter& sgprs, const LoadedKernel& loaded, const Memory& memory) {
  const KernelDescriptor& descriptor = loaded.kernel->descriptor;
  uint32_t hint = 0;
  for (uint32_t i = 0; i < descriptor.kernarg_preload_length(); ++i) {
    const uint64_t address =
        loaded.kernarg_address + (descriptor.kernarg_preload_offset() + i) * sizeof(uint32_t);
    uint32_t value = 0;
    if (const std::byte* host = memory.find(address, sizeof value, hint))
      std::memcpy(&value, host, sizeof value);
    sgprs.write32(value);
  }
}

void write_user_sgprs(SgprWriter& sgprs, const LoadedKernel& loaded, const Memory& memory) {
  const KernelDescriptor& descriptor = loaded.kernel->descriptor;
  const bool architected = has_architected_flat_scratch(loaded.program->generation);
  if (descriptor.enable_private_segment_buffer() && !architected) write_private_buffer(sgprs, loaded);
  if (descriptor.enable_dispatch_ptr()) sgprs.write64(loaded.dispatch_packet_address);
  if (descriptor.enable_queue_ptr()) sgprs.write64(loaded.queue_address);
  if (descriptor.enable_kernarg_segment_ptr()) sgprs.write64(loaded.kernarg_address);
  if (descriptor.enable_dispatch_id()) sgprs.write64(0);
  if (descriptor.enable_flat_scratch_init() && !architected) sgprs.write64(loaded.scratch_address);
  if (descriptor.enable_private_segment_size()) sgprs.write32(loaded.scratch_bytes_per_lane);
  write_preloaded_arguments(sgprs, loaded, memory);
}

void write_system_sgprs(SgprWriter& sgprs, const LoadedKernel& loaded, Dim3 work_group, uint32_t wave) {
  const KernelDescriptor& descriptor = loaded.kernel->descriptor;
  const uint32_t ids[3] = {work_group.x, work_group.y, work_group.z};
  for (int dimension = 0; dimension < 3; ++dimension)
    if (descriptor.enable_work_group_id(dimension)) sgprs.write32(ids[dimension]);
  constexpr uint32_t kFirstWave = 1u << 31, kWaveCountMask = 0x3f;
  if (descriptor.enable_work_group_info())
    sgprs.write32((wave == 0 ? kFirstWave : 0) | (loaded.waves_per_work_group & kWaveCountMask));
  if (descriptor.enable_private_segment() && !has_architected_flat_scratch(loaded.program->generation))
    sgprs.write32(static_cast<uint32_t>(loaded.scratch_wave_stride * wave));
}

// Lane l of wave w is work-item 64 w + l of the work-group, x running fastest.
uint64_t write_work_item_ids(Wavefront& wave, const LoadedKernel& loaded, uint32_t index) {
  constexpr unsigned kPackedY = 10, kPackedZ = 20;
  const Dim3& block = loaded.launch.block;
  const uint32_t dimensions = loaded.kernel->descriptor.work_item_id_dimensions();
  const bool packed = has_unified_registers(loaded.program->generation);
  const auto work_items = static_cast<uint32_t>(block.count());
  uint64_t exec = 0;
  for (uint32_t lane = 0; lane < kLanes; ++lane) {
    const uint32_t flat = index * kLanes + lane;
    if (flat >= work_items) break;
    exec |= uint64_t{1} << lane;
    const uint32_t x = flat % block.x;
    const uint32_t y = dimensions >= 1 ? flat / block.x % block.y : 0;
    const uint32_t z = dimensions >= 2 ? flat / (block.x * block.y) : 0;
    wave.vgpr[0].lane[lane] = packed ? x | y << kPackedY | z << kPackedZ : x;
    if (packed) continue;
    if (dimensions >= 1) wave.vgpr[1].lane[lane] = y;
    if (dimensions >= 2) wave.vgpr[2].lane[lane] = z;
  }
  return exec;
}

// FP_ROUND and FP_DENORM in bits 7:0, DX10_CLAMP 8, IEEE 9, FP16_OVFL 23 of MODE.
uint32_t initial_mode(const KernelDescriptor& descriptor) {
  constexpr unsigned kDx10Clamp = 8, kIeee = 9, kFp16Overflow = 23;
  return descriptor.float_mode() | uint32_t{descriptor.dx10_clamp()} << kDx10Clamp |
         uint32_t{descriptor.ieee_mode()} << kIeee | uint32_t{descriptor.fp16_overflow()} << kFp16Overflow;
}

}  // namespace

void start_wave(Wavefront& wave, const LoadedKernel& loaded, Dim3 work_group, uint32_t index,
                const Memory& memory) {
  const KernelDescriptor& descriptor = loaded.kernel->descriptor;
  wave.scalar.fill(0);
  wave.scc = false;
  wave.mode = initial_mode(descriptor);
  std::memset(wave.vgpr, 0, wave.vgpr_count * sizeof(VectorRegister));
  std::memset(wave.agpr, 0, wave.agpr_count * sizeof(VectorRegister));
  wave.pc = wave.next_pc = loaded.entry;
  wave.instructions_executed = 0;
  wave.wave_in_work_group = index;
  wave.scratch_base = loaded.scratch_address + loaded.scratch_wave_stride * index;
  wave.ended = wave.at_barrier = false;

  SgprWriter sgprs(wave);
  write_user_sgprs(sgprs, loaded, memory);
  sgprs.continue_at(static_cast<uint16_t>(descriptor.user_sgpr_count()));
  write_system_sgprs(sgprs, loaded, work_group, index);
  if (has_architected_flat_scratch(loaded.program->generation))
    wave.set_scalar64(kFlatScratchLo, wave.scratch_base);
  wave.set_exec(write_work_item_ids(wave, loaded, index));
}

}  // namespace wavecast::isa
