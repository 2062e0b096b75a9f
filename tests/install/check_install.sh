#!/usr/bin/env bash
# Installs a build, then configures, builds and runs the project in consumer/ with nothing but the installed files.
# usage: check_install.sh CMAKE BUILD_DIR WORK_DIR CXX_COMPILER GENERATOR
set -euo pipefail
cmake=$1 build=$2 work=$3 compiler=$4 generator=$5
consumer=$(cd "$(dirname "$0")" && pwd)/consumer
rm -rf "$work/prefix" "$work/consumer"

"$cmake" --install "$build" --prefix "$work/prefix" > "$work/install.log"
"$cmake" -S "$consumer" -B "$work/consumer" -G "$generator" -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_COMPILER="$compiler" \
  -DCMAKE_PREFIX_PATH="$work/prefix" > "$work/configure.log" || { cat "$work/configure.log"; exit 1; }
"$cmake" --build "$work/consumer"

# The package must come from the prefix, not from the source tree or the build.
grep -q "^wavecast_DIR:PATH=$work/prefix/" "$work/consumer/CMakeCache.txt" || { echo "wavecast was not found in the prefix"; exit 1; }
output=$("$work/consumer/consumer" "$work/consumer/vector_scale.gfx942.co")
echo "$output"
[ "$output" = "vector_scale on gfx942: 64 of 64 values right" ] || { echo "unexpected output"; exit 1; }
"$work/prefix/bin/wavecast" --help > /dev/null
