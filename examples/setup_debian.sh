# shellcheck shell=bash disable=SC2034
# Shell functions that install what wavecast needs on Debian 12, only what is missing, through apt. Source this file
# and call setup_debian, with extra package names if more are wanted. Needs root or sudo only when something is missing.
# Leaves out: other distributions, where the same libraries have other package names.

# To build wavecast and to compile HIP kernels.
wavecast_packages=(
  ca-certificates git g++ cmake ninja-build
  llvm-22 llvm-22-dev clang-22 lld-22 clang-tools-22
  libamdhip64-dev rocm-device-libs
  libcli11-dev libyaml-cpp-dev nlohmann-json3-dev libfmt-dev libtbb-dev libexpected-dev libzstd-dev zlib1g-dev
)
# To build and run the tests.
wavecast_test_packages=(libgtest-dev libbenchmark-dev libmpfr-dev libclang-rt-22-dev librocrand1)
# Used if it can be had.
wavecast_optional_packages=(ccache)

wavecast_package_installed() {
  [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

wavecast_package_available() {
  local candidate
  candidate=$(apt-cache policy "$1" 2>/dev/null | sed -n 's/^ *Candidate: *//p')
  [ -n "$candidate" ] && [ "$candidate" != "(none)" ]
}

# setup_debian [PACKAGE...]: the base packages plus those named. Returns 1 with a message if one cannot be had.
setup_debian() {
  local package missing=() unavailable=() wanted=("${wavecast_packages[@]}" "$@")
  if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
    echo "set-up: no apt here; going on with what is installed (the list of Debian packages is in examples/setup_debian.sh)" >&2
    return 0
  fi
  for package in "${wanted[@]}"; do
    wavecast_package_installed "$package" || missing+=("$package")
  done
  [ ${#missing[@]} -gt 0 ] || return 0

  local as_root=()
  if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo >/dev/null; then
      echo "set-up: missing packages: ${missing[*]}; install them as root (there is no sudo here)" >&2
      return 1
    fi
    as_root=(sudo)
  fi
  for package in "${missing[@]}"; do
    wavecast_package_available "$package" || { unavailable=("$package"); break; }
  done
  if [ ${#unavailable[@]} -gt 0 ]; then
    echo "set-up: updating apt's package lists"
    ${as_root[@]+"${as_root[@]}"} apt-get update -q || return 1
  fi
  for package in "${wavecast_optional_packages[@]}"; do
    if ! wavecast_package_installed "$package" && wavecast_package_available "$package"; then missing+=("$package"); fi
  done
  unavailable=()
  for package in "${missing[@]}"; do
    wavecast_package_available "$package" || unavailable+=("$package")
  done
  if [ ${#unavailable[@]} -gt 0 ]; then
    echo "set-up: apt has no package ${unavailable[*]}." >&2
    case "${unavailable[*]}" in
      *-22*) echo "set-up: LLVM 22 reaches Debian 12 with its security updates: apt's sources need the suite bookworm-security, component main." >&2 ;;
      *) echo "set-up: wavecast is set up for Debian 12 (bookworm); check that apt's sources have its component main." >&2 ;;
    esac
    return 1
  fi
  echo "set-up: installing ${missing[*]}"
  ${as_root[@]+"${as_root[@]}"} env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "${missing[@]}" || {
    echo "set-up: apt-get could not install: ${missing[*]} (its message is above)" >&2
    return 1
  }
}

# configure_preset PRESET DIR: cmake --preset, unless DIR is configured already; CMake re-runs by itself when needed.
configure_preset() {
  [ -e "$2/build.ninja" ] || cmake --preset "$1"
}
