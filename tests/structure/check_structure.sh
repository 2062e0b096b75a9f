#!/usr/bin/env bash
# Rules of the source tree that no compiler checks: who may include whom, what lies at the top, how long files are, that
# each says in its first lines what it is, and that none names a place of the machine it was written on.
# usage: check_structure.sh includes|layout|size|preamble|paths SOURCE_DIR   Exit 1 and one line per violation.
set -euo pipefail
rule=$1
cd "$2"

violations=0
violation() { echo "$*"; violations=$((violations + 1)); }

# The project's own files: what git tracks or would track; without git, everything outside build folders.
project_files() {
  if git rev-parse --is-inside-work-tree >/dev/null 2>&1; then
    git ls-files --cached --others --exclude-standard | while read -r file; do [ ! -e "$file" ] || echo "$file"; done
  else
    find . -type f -not -path './build*' -not -path './.*' | sed 's|^\./||'
  fi
}
sources() { project_files | grep -E "\.(h|cpp|hip)$" || true; }

# "file<TAB>included" for every include line; angle brackets and quotes stay, to tell them apart.
includes() {
  sources | xargs -r grep -HoE '^[[:space:]]*#[[:space:]]*include[[:space:]]*([<"][^>"]+[>"])' |
    sed -E 's/:[[:space:]]*#[[:space:]]*include[[:space:]]*/\t/'
}

# C++ headers have no extension and no folder; of C and POSIX, what memory mapping and SIMD code need.
standard='[a-z_0-9]+'
system='(sys/(mman|stat|types|resource|wait|syscall|auxv|ucontext)|unistd|fcntl|dlfcn|link|elf|signal|errno|pthread|immintrin|x86intrin|cxxabi|time|string)\.h'

check_includes() {
  # folder: own and other folders it may include, third-party libraries it may include
  check_folder hardware 'hardware' 'yaml-cpp/.*|fmt/.*|tl/.*'
  check_folder isa 'isa' 'llvm/.*|llvm-c/.*|zlib\.h|zstd\.h|fmt/.*|tl/.*'
  # The command line in model/cli joins everything, so it alone may reach calibrate.
  check_folder model 'model|isa|hardware' 'yaml-cpp/.*|nlohmann/.*|fmt/.*|tl/.*|tbb/.*|oneapi/.*|CLI/.*|hip/.*|mpi\.h|boost/.*' calibrate
  check_folder calibrate 'calibrate|model|isa|hardware' '.*'
  local file included
  while IFS=$'\t' read -r file included; do
    case $file in tests/*) ;; *) violation "$file: includes $included: nothing outside tests/ includes tests" ;; esac
  done < <(includes | grep -E $'\t"(\./|\.\./)*tests/' || true)
}
check_folder() {
  local folder=$1 own=$2 libraries=$3 cli_only=${4:-nothing} file included
  while IFS=$'\t' read -r file included; do
    case $file in
      "$folder"/microbenchmarks/*) continue ;;
      "$folder"/cli/*) ! echo "$included" | grep -qE "^\"$cli_only/" || continue ;;
    esac
    violation "$file: includes $included: $folder/ may include $own from the project, and ($libraries)"
  done < <(includes | grep -E "^$folder/" | grep -vE $'\t'"(\"($own)/[^\"]*\"|<($standard|$system|$libraries)>)$" || true)
}

check_layout() {
  local entry
  # CMakePresets.json and LICENSE are at the top because CMake and licence readers look nowhere else.
  local allowed=' CMakeLists.txt CMakePresets.json LICENSE README.md calibrate examples hardware isa model tests '
  while read -r entry; do
    case $entry in .*) continue ;; esac
    case $allowed in *" $entry "*) ;; *) violation "$entry: not an entry of the top level (${allowed# })" ;; esac
  done < <(project_files | cut -d/ -f1 | sort -u)
  for entry in $allowed; do [ -e "$entry" ] || violation "$entry: missing at the top level"; done
}

check_size() {
  local lines file
  while read -r lines file; do
    [ "$file" != total ] && [ "$lines" -gt 700 ] && violation "$file: $lines lines, more than 700: split it by what it answers"
  done < <( { sources; project_files | grep -E '\.(sh|cmake)$'; } | xargs -r wc -l) || true
}

check_preamble() {
  local file first
  while read -r file; do
    first=$(sed -n '/^#!/d;p;q' "$file")
    [ -n "$first" ] || first=$(sed -n 2p "$file")
    case $file in
      *.h|*.cpp|*.hip) [[ $first == //* ]] || violation "$file: does not start with a comment that says what it is" ;;
      *) [[ $first == '#'* ]] || violation "$file: does not start with a comment that says what it is" ;;
    esac
  # Seed inputs of the fuzzers are data.
  done < <(project_files | grep -E '\.(h|cpp|hip|sh|cmake|ya?ml)$|/CMakeLists\.txt$' | grep -v '^tests/fuzz/corpus/')
}

check_paths() {
  local line
  # Written so that this file does not match itself.
  while read -r line; do violation "$line"; done < <(
    project_files | grep -vE '\.(co|hsaco|bin)$' | tr '\n' '\0' |
      xargs -0 -r grep -nHE '(^|[^A-Za-z0-9_.])/(work|root|tmp|home)/[A-Za-z0-9_]' || true)
}

check_"$rule"
[ "$violations" -eq 0 ] || { echo "$violations violations of the rule '$rule'"; exit 1; }
echo "$rule: holds"
