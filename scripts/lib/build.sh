# shellcheck shell=bash
# Configuring and building a preset. Sourced after install.sh, not run.

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
readonly ROOT

# take_lock PRESET: waits for another script that builds the same preset. Held until this script ends or drop_lock.
take_lock() {
  mkdir -p "$ROOT/build/$1"
  exec {BUILD_LOCK}>"$ROOT/build/$1/.lock"
  if ! flock --nonblock "$BUILD_LOCK"; then
    say "waiting for another build of $1"
    flock "$BUILD_LOCK"
  fi
}
drop_lock() { exec {BUILD_LOCK}>&-; }

# configure PRESET ON|OFF: with or without the tests. A build directory that has the tests keeps them, so that the
# scripts can take turns; ninja configures again by itself when a CMake file changes.
configure() {
  local preset=$1 tests=$2 directory=$ROOT/build/$1
  if [[ -f $directory/build.ninja ]] &&
    { [[ $tests == OFF ]] || grep -q '^MFMA_BUILD_TESTS:BOOL=ON$' "$directory/CMakeCache.txt"; }; then
    return 0
  fi
  say "configuring $preset"
  (cd "$ROOT" && quietly cmake --preset "$preset" -DMFMA_BUILD_TESTS="$tests") || fail "cmake --preset $preset failed"
}

# build PRESET [TARGET]: all without a target.
build() {
  local directory=$ROOT/build/$1
  # A build with nothing to do costs a few milliseconds; only one that has work says so.
  if ! ninja -C "$directory" -n "${@:2}" 2>/dev/null | grep -q 'no work to do'; then
    say "building $1 (the first time takes a few minutes)"
    quietly cmake --build "$directory" ${2:+--target "$2"} || fail "the build of $1 failed"
  fi
}
