#!/usr/bin/env bash
# The first five minutes with wavecast on a clean Debian 12: installs what is missing, builds, compiles a matrix
# multiplication for MI300X and predicts it, then predicts a kernel inside a library that Debian ships. Run it as often
# as you like; it does only what has not been done.
set -euo pipefail
cd "$(dirname "$0")/.."
source examples/setup_debian.sh

step() { printf '\n== %s\n' "$*"; }
show() { printf '$ %s\n' "$*"; "$@"; }

step "Set-up: Debian packages"
setup_debian "${wavecast_test_packages[@]}"  # the build directory is the tests' as well

step "Build into build/ (the first time takes a few minutes)"
configure_preset release build
cmake --build build --target wavecast -- -j"${WAVECAST_JOBS:-2}"
wavecast=build/wavecast

step "Compile a kernel: single-precision matrix multiplication, tiles of 128x128 staged through LDS"
show examples/compile_kernel.sh examples/kernels/sgemm.hip gfx942 build/quickstart/sgemm.gfx942.co

step "What is in the code object"
show "$wavecast" inspect build/quickstart/sgemm.gfx942.co

step "How long does it take on MI300X? C = alpha*A*B + beta*C, 2048x2048x2048"
show "$wavecast" predict build/quickstart/sgemm.gfx942.co -k sgemm -d mi300x --grid 16,16 --block 256 \
  --arg buf:16MiB:random:f32:-1:1 --arg buf:16MiB:random:f32:-1:1:seed=2 --arg buf:16MiB:zero \
  --arg i32:2048 --arg i32:2048 --arg i32:2048 --arg f32:1 --arg f32:0 \
  --trace build/quickstart/sgemm_trace.json
cat <<'TEXT'

How to read it
  - The first line is the answer: the time of one launch, what limits it, and how sure the model is.
  - The limits say what the same launch would take if only that resource counted (the analytic model). The largest one
    is the first suspect; the distance to the next one is what you win at most by removing it.
  - The real argument buffers were executed: trip counts, addresses and cache hits come from the kernel's own
    instructions on the values given with --arg. A few work-groups stand for the grid; the last lines say how many.
  - The trace shows which wave sat on which CU and SIMD, and when: open build/quickstart/sgemm_trace.json in Perfetto or
    chrome://tracing.
TEXT

step "The same for a kernel you have no source of: rocRAND's XORWOW generator, as Debian ships it (gfx90a, so MI210)"
library=$(dpkg -L librocrand1 2>/dev/null | grep -m1 'librocrand\.so\.' || ldconfig -p | sed -n 's/.*librocrand\.so.* => //p' | head -n1)
[ -n "$library" ] || { echo "librocrand is not installed (package librocrand1)" >&2; exit 1; }
# Arguments: states of 512*256 generators (24 bytes each), first generator, output, number of values, an empty struct.
show "$wavecast" predict "$library" -k generate_kernelIf20uniform_distributionIfEEEvPN14rocrand_device13xorwow_engine \
  -d mi210 --grid 512 --block 256 \
  --arg buf:3MiB:random:u32 --arg u32:0 --arg buf:64MiB --arg u64:16777216 --arg hex:00

step "Done. Next: build/wavecast --help, README.md, or your own kernel: examples/compile_kernel.sh FILE.hip gfx942 FILE.co"
