// Runs a code object's kernel in the emulator of the installed library and checks what it wrote.
#include <cstdio>
#include <cstring>
#include <memory>

#include "hardware/units.h"
#include "isa/code_object_file.h"
#include "isa/emulator.h"
#include "isa/memory.h"

namespace isa = wavecast::isa;

static int failed(const isa::Error& error) {
  std::fprintf(stderr, "%s: %s\n", error.place.c_str(), error.reason.c_str());
  return 1;
}

int main(int argument_count, char** arguments) {
  if (argument_count != 2) return 2;
  auto file = isa::CodeObjectFile::open(arguments[1]);
  if (!file) return failed(file.error());
  auto selection = isa::select_kernel(*file, "vector_scale", "gfx942");
  if (!selection) return failed(selection.error());
  auto code_object = std::make_shared<const isa::CodeObject>(std::move(selection->code_object));

  isa::Memory memory;
  auto values = memory.allocate("values", 64 * sizeof(float));
  if (!values) return failed(values.error());
  auto* host = reinterpret_cast<float*>(values->host);
  for (int i = 0; i < 64; ++i) host[i] = static_cast<float>(i);

  const isa::Kernel& kernel = code_object->kernels[selection->kernel];
  isa::Launch launch;
  launch.block = {64, 1, 1};
  launch.kernarg.resize(kernel.kernarg_segment_size);
  const float factor = 1.5f;
  std::memcpy(launch.kernarg.data(), &values->address, sizeof values->address);
  std::memcpy(launch.kernarg.data() + sizeof values->address, &factor, sizeof factor);
  auto loaded = isa::load_kernel(code_object, kernel, launch, memory);
  if (!loaded) return failed(loaded.error());
  auto summary = isa::run_grid(*loaded, memory);
  if (!summary) return failed(summary.error());

  int right = 0;
  for (int i = 0; i < 64; ++i) right += host[i] == static_cast<float>(i) * factor;
  std::printf("vector_scale on %s: %d of 64 values right\n", isa::to_string(code_object->target).c_str(),
              right);
}
