#!/usr/bin/env bash
# Proves that check_structure.sh finds what it is for: plants one violation of each rule in a throw-away tree and expects
# it to be named, and nothing else.
# usage: check_self_test.sh SOURCE_DIR
set -euo pipefail
check=$(cd "$1" && pwd)/tests/structure/check_structure.sh
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
cd "$tree"
failed=0

fresh_tree() {
  rm -rf ./*
  mkdir calibrate examples hardware isa model model/cli tests
  touch CMakePresets.json LICENSE README.md
  echo '# Build.' > CMakeLists.txt
  printf '// A device.\n#include <vector>\n#include <yaml-cpp/yaml.h>\n#include "hardware/units.h"\n' > hardware/device.h
  printf '// A program.\n#include <llvm/MC/MCInst.h>\n#include <sys/mman.h>\n#include "isa/error.h"\n' > isa/program.cpp
  printf '// A prediction.\n#include "hardware/device.h"\n#include "isa/program.h"\n' > model/predict.cpp
  printf '// The command line.\n#include "calibrate/fit.h"\n' > model/cli/main.cpp
}
# expect_violation RULE PATTERN: the rule must fail with exactly one violation, whose line matches.
expect_violation() {
  local output
  if output=$("$check" "$1" .); then echo "$1: did not find '$2'"; failed=1; return; fi
  if ! grep -qE "$2" <<< "$output" || ! grep -qx "1 violations of the rule '$1'" <<< "$output"; then
    echo "$1: expected '$2', got: $output"
    failed=1
  fi
}
plant() { fresh_tree; printf '%b' "$2" >> "$1"; }

fresh_tree
for rule in includes layout size preamble paths; do
  "$check" "$rule" . >/dev/null || { echo "$rule: complains about a clean tree"; "$check" "$rule" . || true; failed=1; }
done
plant hardware/device.h '#include "isa/program.h"\n';         expect_violation includes '^hardware/device.h: includes "isa/program.h"'
plant hardware/device.h '#include <llvm/Support/YAML.h>\n';   expect_violation includes '^hardware/device.h: includes <llvm'
plant isa/program.cpp '  #  include "hardware/device.h"\n';   expect_violation includes '^isa/program.cpp: includes "hardware/device.h"'
plant isa/program.cpp '#include <yaml-cpp/yaml.h>\n';         expect_violation includes '^isa/program.cpp: includes <yaml-cpp'
plant model/predict.cpp '#include "calibrate/fit.h"\n';       expect_violation includes '^model/predict.cpp: includes "calibrate/fit.h"'
plant model/predict.cpp '#include "predict.h"\n';             expect_violation includes '^model/predict.cpp: includes "predict.h"'
plant model/predict.cpp '#include <llvm/MC/MCInst.h>\n';      expect_violation includes '^model/predict.cpp: includes <llvm'
plant examples/use.cpp '// A use.\n#include "tests/support/kernel_runner.h"\n'; expect_violation includes '^examples/use.cpp: .*nothing outside tests'
fresh_tree; mkdir src; echo x > src/a; expect_violation layout '^src: not an entry'
fresh_tree; rm README.md; expect_violation layout '^README.md: missing'
fresh_tree; { echo '// Long.'; seq 700; } > isa/long.cpp; expect_violation size '^isa/long.cpp: 701 lines'
fresh_tree; echo 'int x;' > isa/silent.cpp; expect_violation preamble '^isa/silent.cpp: does not start'
fresh_tree; printf '#!/bin/sh\necho\n' > tests/silent.sh; expect_violation preamble '^tests/silent.sh: does not start'
plant README.md 'see /ro''ot/notes\n'; expect_violation paths '^README.md:1:'
[ "$failed" -eq 0 ] && echo "all violations found"
exit "$failed"
