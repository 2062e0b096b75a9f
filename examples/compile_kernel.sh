#!/usr/bin/env bash
# Compiles a HIP source for AMD Instinct targets on a machine without ROCm: Debian's HIP 5.2 headers and device
# libraries with clang 22. Closes the gaps between the two once, in a folder of patched bitcode. With --hipcc a real
# ROCm compiler is used instead. Used by people directly and by examples/cmake/HipKernels.cmake.
set -euo pipefail

usage() {
  cat <<'TEXT'
usage: compile_kernel.sh SOURCE TARGET[,TARGET...] OUTPUT [options] [-- COMPILER OPTIONS...]

  SOURCE            HIP source file
  TARGET            gfx942, gfx90a, gfx950, gfx908, gfx90a:xnack-, ...
  OUTPUT            file to write

  --kind KIND       code-object  bare AMDGPU ELF file, one target only (default)
                    fat-binary   clang offload bundle with one entry per target
                    object       host object with the fat binary inside
                    program      host program with the fat binary inside, linked with the HIP runtime
  --hipcc [PATH]    use PATH, or else hipcc of /opt/rocm, instead of clang++-22 with Debian's packages
  --bitcode-dir DIR where the patched device libraries are kept (default: $WAVECAST_BITCODE_DIR, or
                    wavecast/bitcode in the user's cache folder)
  --depfile FILE    also write a make-style list of the headers used
  --print           print the compiler command instead of running it
TEXT
}

die() { echo "compile_kernel.sh: $*" >&2; exit 1; }

clang=${WAVECAST_CLANG:-clang++-22}
llvm_as=${WAVECAST_LLVM_AS:-llvm-as-22}
llvm_dis=${WAVECAST_LLVM_DIS:-llvm-dis-22}
script_dir=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

kind=code-object
hipcc=''
bitcode_dir=${WAVECAST_BITCODE_DIR:-${XDG_CACHE_HOME:-${HOME:-.}/.cache}/wavecast/bitcode}
depfile=''
print=0
positional=()
extra=()
while [ $# -gt 0 ]; do
  case $1 in
    -h|--help) usage; exit 0 ;;
    --kind) [ $# -ge 2 ] || die "--kind needs a value"; kind=$2; shift ;;
    --bitcode-dir) [ $# -ge 2 ] || die "--bitcode-dir needs a value"; bitcode_dir=$2; shift ;;
    --depfile) [ $# -ge 2 ] || die "--depfile needs a value"; depfile=$2; shift ;;
    --hipcc)
      hipcc=${ROCM_PATH:-/opt/rocm}/bin/hipcc
      case ${2:-} in */*hipcc*|*/*clang*) hipcc=$2; shift ;; esac ;;
    --print) print=1 ;;
    --) shift; extra=("$@"); break ;;
    -*) usage >&2; die "unknown option $1" ;;
    *) positional+=("$1") ;;
  esac
  shift
done
[ ${#positional[@]} -eq 3 ] || { usage >&2; exit 2; }
source_file=${positional[0]} targets=${positional[1]} output=${positional[2]}
[ -r "$source_file" ] || die "cannot read $source_file"

# __oclc_ISA_version of a processor: gfxMmS is major * 1000 + minor * 100 + stepping, the last two hexadecimal digits.
isa_version() {
  local digits=${1#gfx}
  local major=${digits%??} minor_stepping=${digits: -2}
  echo $((major * 1000 + 16#${minor_stepping:0:1} * 100 + 16#${minor_stepping:1:1}))
}

# Device libraries as clang 22 expects them. Debian's 5.2 set lacks newer processors and code object ABI 6, and two
# symbols that HIP's headers need lie in files that clang no longer links; both join the ABI file, which it does link.
prepare_bitcode() {
  local system_dir='' candidate
  for candidate in /usr/lib/*/amdgcn/bitcode /usr/lib/amdgcn/bitcode "${ROCM_PATH:-/opt/rocm}/amdgcn/bitcode"; do
    if [ -e "$candidate/ockl.bc" ]; then system_dir=$candidate; break; fi
  done
  [ -n "$system_dir" ] || die "no AMDGPU device libraries (install the package rocm-device-libs)"

  if [ ! -e "$bitcode_dir/complete" ]; then
    local staging=$bitcode_dir.$$ abi
    mkdir -p "$staging"
    cp "$system_dir"/*.bc "$staging"
    if [ -e "$system_dir/hip.bc" ]; then
      for abi in 400 500 600; do
        { "$llvm_dis" "$system_dir/hip.bc" -o -
          echo '@__oclc_daz_opt = linkonce_odr protected local_unnamed_addr addrspace(4) constant i8 0'
          echo "@__oclc_ABI_version = linkonce_odr protected local_unnamed_addr addrspace(4) constant i32 $abi"
        } | "$llvm_as" -o "$staging/oclc_abi_version_$abi.bc" -
      done
    fi
    touch "$staging/complete"
    # Parallel builds may race for the first use: a rename is atomic, and whoever comes second has the same files.
    mv -T "$staging" "$bitcode_dir" 2>/dev/null || rm -rf "$staging"
  fi

  local target name file layout
  for target in ${targets//,/ }; do
    name=${target%%:*}
    file=$bitcode_dir/oclc_isa_version_${name#gfx}.bc
    case $name in gfx*-generic) continue ;; esac
    if [ ! -e "$file" ]; then
      layout=$("$clang" --target=amdgcn-amd-amdhsa -S -emit-llvm -x c /dev/null -o - | grep '^target')
      { echo "$layout"
        echo "@__oclc_ISA_version = linkonce_odr protected local_unnamed_addr addrspace(4) constant i32 $(isa_version "$name")"
      } | "$llvm_as" -o "$file.$$" -
      mv "$file.$$" "$file"
    fi
  done
}

command=()
if [ -n "$hipcc" ]; then
  [ -x "$hipcc" ] || die "$hipcc is not there (give the compiler's path after --hipcc, or set ROCM_PATH)"
  command+=("$hipcc")
else
  for tool in "$clang" "$llvm_as" "$llvm_dis"; do
    command -v "$tool" >/dev/null || die "$tool is missing (install the packages clang-22 and llvm-22)"
  done
  [ -e /usr/include/hip/hip_runtime.h ] || die "no HIP headers (install the package libamdhip64-dev)"
  mkdir -p "$(dirname "$bitcode_dir")"
  bitcode_dir=$(cd "$(dirname "$bitcode_dir")" && pwd)/$(basename "$bitcode_dir")
  prepare_bitcode
  command+=("$clang" "--rocm-device-lib-path=$bitcode_dir" -D__AMDGCN_WAVEFRONT_SIZE=64 -D__AMDGCN_WAVEFRONT_SIZE__=64
            -include "$script_dir/hip_prelude.h")
fi
for target in ${targets//,/ }; do command+=("--offload-arch=$target"); done
command+=(-O3)
dependencies=("${command[@]}")  # the same command up to here lists the headers
case $kind in
  code-object)
    case $targets in *,*) die "a code object is for one target; use --kind fat-binary for several" ;; esac
    command+=(--cuda-device-only --no-gpu-bundle-output) ;;
  fat-binary) command+=(--cuda-device-only --gpu-bundle-output) ;;
  object) command+=(-c) ;;
  program) ;;
  *) die "unknown kind '$kind' (code-object, fat-binary, object, program)" ;;
esac
command+=(${extra[@]+"${extra[@]}"} -x hip "$source_file" -o "$output")
if [ "$kind" = program ]; then command+=(-lamdhip64); fi

if [ $print = 1 ]; then printf '%q ' "${command[@]}"; echo; exit 0; fi
mkdir -p "$(dirname "$output")"
if [ -n "$depfile" ]; then
  "${dependencies[@]}" ${extra[@]+"${extra[@]}"} --cuda-host-only -M -MF "$depfile" -MT "$output" -x hip "$source_file"
fi
exec "${command[@]}"
