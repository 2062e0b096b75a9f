// Code as compilers emit it, on every target and with and without optimisation: stack arrays, calls, LDS,
// barriers. The same C source, compiled for the host inside this test, says what the result must be.
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>

#include "isa/emulator.h"
#include "support/assembler.h"

namespace wavecast::isa {
namespace {

#define WAVECAST_TEST_FUNCTIONS                                          \
  NOINLINE int sum(const int* values, int n, int step) {                 \
    int s = 0;                                                           \
    for (int k = 0; k <= n; ++k) s += values[(k * step) & 15];           \
    return s;                                                            \
  }                                                                      \
  NOINLINE int factorial(int n) {                                        \
    volatile int x = n;                                                  \
    int r = 1;                                                           \
    while (x > 1) {                                                      \
      r *= x;                                                            \
      x = x - 1;                                                         \
    }                                                                    \
    return r;                                                            \
  }                                                                      \
  NOINLINE int work(int id, int n) {                                     \
    int a[16];                                                           \
    for (int i = 0; i < 16; ++i) a[i] = i * i + id;                      \
    a[(id * 7 + n) & 15] += 1000;                                        \
    return sum(a, n, id) + a[(id * 7 + n + 3) & 15] + factorial(id % 6); \
  }
#define WAVECAST_STRING(text) #text
#define WAVECAST_EXPANDED_STRING(text) WAVECAST_STRING(text)

#define NOINLINE
WAVECAST_TEST_FUNCTIONS
#undef NOINLINE

// OpenCL C needs no device library as long as only builtins are used.
#define NOINLINE __attribute__((noinline))
constexpr const char* kSource = WAVECAST_EXPANDED_STRING(WAVECAST_TEST_FUNCTIONS) R"(
__kernel void stack(__global int* out, int n) {
  int id = __builtin_amdgcn_workgroup_id_x() * 256 + __builtin_amdgcn_workitem_id_x();
  out[id] = work(id, n);
}
__kernel void rotate_in_lds(__global int* out, int n) {
  __local int values[256];
  int item = __builtin_amdgcn_workitem_id_x();
  values[item] = __builtin_amdgcn_workgroup_id_x() * 256 + item;
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
  out[__builtin_amdgcn_workgroup_id_x() * 256 + item] = values[(item + n) & 255];
}
)";

struct Variant {
  const char* processor;
  const char* optimisation;
};

class CompiledKernel : public ::testing::TestWithParam<Variant> {
 protected:
  static constexpr int kGroups = 3, kItems = 256, kN = 13;

  std::vector<int> run(const std::string& name) {
    test::ScratchDirectory directory;
    std::ofstream(directory.file("kernel.cl")) << kSource;
    test::run_tool(directory,
                   std::string("clang-22 -x cl -cl-std=CL2.0 --target=amdgcn-amd-amdhsa -nogpulib -mcpu=") +
                       GetParam().processor + " " + GetParam().optimisation + " " +
                       directory.file("kernel.cl") + " -o " + directory.file("kernel.co"));
    auto image =
        std::make_shared<const std::vector<std::byte>>(test::read_bytes(directory.file("kernel.co")));
    auto parsed = parse_code_object(std::move(image), "compiled test");
    if (!parsed) throw std::runtime_error(parsed.error().reason);
    auto code_object = std::make_shared<const CodeObject>(std::move(*parsed));
    Memory memory;
    auto out = memory.allocate("out", kGroups * kItems * sizeof(int));
    Launch launch{.grid = {kGroups, 1, 1}, .block = {kItems, 1, 1}};
    launch.kernarg.resize(sizeof(uint64_t) + sizeof(int));
    const int n = kN;
    std::memcpy(launch.kernarg.data(), &out->address, sizeof out->address);
    std::memcpy(launch.kernarg.data() + sizeof out->address, &n, sizeof n);
    auto kernel = load_kernel(code_object, *code_object->find(name), launch, memory);
    if (!kernel) throw std::runtime_error(kernel.error().place + ": " + kernel.error().reason);
    const auto summary = run_grid(*kernel, memory);
    if (!summary) throw std::runtime_error(summary.error().place + ": " + summary.error().reason);
    std::vector<int> result(kGroups * kItems);
    std::memcpy(result.data(), out->host, result.size() * sizeof(int));
    return result;
  }
};

TEST_P(CompiledKernel, StackAndCalls) {
  const std::vector<int> result = run("stack");
  for (int id = 0; id < kGroups * kItems; ++id)
    ASSERT_EQ(result[static_cast<size_t>(id)], work(id, kN)) << id;
}

TEST_P(CompiledKernel, LdsAndBarrier) {
  const std::vector<int> result = run("rotate_in_lds");
  for (int id = 0; id < kGroups * kItems; ++id)
    ASSERT_EQ(result[static_cast<size_t>(id)], id / kItems * kItems + (id % kItems + kN) % kItems) << id;
}

INSTANTIATE_TEST_SUITE_P(Targets, CompiledKernel,
                         ::testing::Values(Variant{"gfx908", "-O0"}, Variant{"gfx908", "-O2"},
                                           Variant{"gfx90a", "-O0"}, Variant{"gfx90a", "-O2"},
                                           Variant{"gfx942", "-O0"}, Variant{"gfx942", "-O2"},
                                           Variant{"gfx950", "-O2"}, Variant{"gfx9-4-generic", "-O2"}),
                         [](const auto& info) {
                           std::string name = std::string(info.param.processor) + info.param.optimisation;
                           std::erase(name, '-');
                           return name;
                         });

}  // namespace
}  // namespace wavecast::isa
