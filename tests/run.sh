#!/usr/bin/env bash
# Everything that must hold before a change goes in, on a clean Debian 12: set-up, release build and all tests, the
# parser, semantics and emulation tests again under AddressSanitizer and UndefinedBehaviorSanitizer, and short fuzz runs.
# The last line is "N passed, N failed"; the exit status is 0 only if nothing failed. Takes under 25 minutes on 2 cores.
set -uo pipefail
cd "$(dirname "$0")/.." || exit
source examples/setup_debian.sh

jobs=${WAVECAST_JOBS:-2}
fuzz_seconds=${WAVECAST_FUZZ_SECONDS:-20}
passed=0 failed=0 failures=()

step() { printf '\n== %s\n' "$*"; }
finish() {
  if [ ${#failures[@]} -gt 0 ]; then printf 'FAILED: %s\n' "${failures[@]}"; fi
  echo "$passed passed, $failed failed"
  [ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
  exit $?
}
# A step that is no test case itself, such as a build: counts only if it goes wrong, and then the rest is pointless.
must() {
  "$@" && return 0
  failed=$((failed + 1)); failures+=("$*")
  finish
}
# run_ctest DIR [ctest options]: adds the test counts of ctest's report.
run_ctest() {
  local directory=$1 report status attribute tests=0 bad=0 skipped=0
  shift
  report=$(pwd)/$directory/ctest_report.xml
  rm -f "$report"
  ctest --test-dir "$directory" -j"$jobs" --output-on-failure --no-tests=error --output-junit "$report" "$@"
  status=$?
  if [ -e "$report" ]; then
    for attribute in tests failures skipped; do
      printf -v "count_$attribute" %s "$(sed -n "/<testsuite/,/>/s/.*[[:space:]]*$attribute=\"\([0-9]*\)\".*/\1/p" "$report" | head -n1)"
    done
    tests=${count_tests:-0} bad=${count_failures:-0} skipped=${count_skipped:-0}
  fi
  if [ $status -ne 0 ] && [ "$bad" -eq 0 ]; then bad=1 tests=$((tests + 1)); fi
  passed=$((passed + tests - bad - skipped)) failed=$((failed + bad))
  [ $status -eq 0 ] || failures+=("ctest in $directory")
}

step "Set-up"
must setup_debian "${wavecast_test_packages[@]}"

step "Release build and all tests"
must configure_preset release build
must cmake --build build -- -j"$jobs"
run_ctest build

step "Sanitized build: parsers, semantics, emulation and fuzz targets"
must cmake --preset sanitize
must cmake --build build-sanitize --target test_programs fuzzers -- -j"$jobs"
run_ctest build-sanitize

if compgen -G "tests/fuzz/*.cpp" >/dev/null; then
  step "Fuzz targets, $fuzz_seconds s each"
  for fuzzer in build-sanitize/tests/*_fuzzer; do
    name=$(basename "$fuzzer")
    mkdir -p "build-sanitize/corpus/$name"
    seeds=()
    [ ! -d "tests/fuzz/corpus/$name" ] || seeds=("tests/fuzz/corpus/$name")
    if "$fuzzer" "build-sanitize/corpus/$name" ${seeds[@]+"${seeds[@]}"} -max_total_time="$fuzz_seconds" -timeout=10 \
        -rss_limit_mb=2048 -print_final_stats=0 -verbosity=0 -artifact_prefix="build-sanitize/$name-"; then
      passed=$((passed + 1))
    else
      failed=$((failed + 1)); failures+=("$name (its input is in build-sanitize/)")
    fi
  done
fi

step "Result"
finish
