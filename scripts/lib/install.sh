# shellcheck shell=bash disable=SC2034
# Debian packages: which ones the scripts need, and how they come onto the machine. Sourced, not run.
#
# All are in Debian 12. clang-22, lld-22, llvm-22 and libclang-rt-22-dev come from its security suite
# (bookworm-security), which Debian's own images and installer have enabled; the rest from bookworm main.

# To build mfma-conform and run it; clang-22 and lld-22 are the compiler under test.
readonly RUN_PACKAGES=(
  g++ cmake ninja-build pkg-config
  clang-22 lld-22
  libcli11-dev libelf-dev libexpected-dev libfmt-dev libgmp-dev libpugixml-dev librapidcheck-dev libtbb-dev
  libxxhash-dev nlohmann-json3-dev
)

# To build and run the tests, besides those. clang-19 is the compiler that must be refused, llvm-22 has the tools that
# check ours (llvm-objdump, llvm-mc) and symbolize sanitizer reports, libclang-rt-22-dev the sanitizers themselves.
# xmllint and jsonschema check reports against their schemas.
# libamdhip64-dev has the header our declarations of HIP are held against, libamdhip64-5 a runtime that must be refused.
readonly TEST_PACKAGES=(
  git ca-certificates groff-base
  clang-19 llvm-22 libclang-rt-22-dev
  libgmock-dev libgtest-dev libyaml-cpp-dev
  libxml2-utils python3-jsonschema
  libamdhip64-5 libamdhip64-dev
)

say() { printf 'mfma-conform: %s\n' "$*" >&2; }

# fail MESSAGE...: one line and exit 2, the code for "no verdict".
fail() {
  say "$@"
  exit 2
}

# missing_packages NAME...: those that are not installed, one a line. Costs one dpkg-query.
missing_packages() {
  local -A installed=()
  local name status
  while read -r name status; do
    [[ $status == installed ]] && installed[$name]=1
  done < <(dpkg-query --show --showformat '${Package} ${db:Status-Status}\n' "$@" 2>/dev/null)
  for name in "$@"; do
    [[ -n ${installed[$name]:-} ]] || printf '%s\n' "$name"
  done
}

# quietly COMMAND...: its output is shown only where it fails, and then all of it, on stderr.
quietly() {
  local log status=0
  log=$(mktemp) || fail "cannot make a temporary file; set TMPDIR to a directory with room"
  "$@" >"$log" 2>&1 </dev/null || status=$?
  if ((status != 0)); then cat "$log" >&2; fi
  rm -f "$log"
  return "$status"
}

# install_packages NAME...: installs what is missing; says nothing and changes nothing where nothing is.
install_packages() {
  if ! command -v dpkg-query >/dev/null; then
    fail "this is not Debian; install what these Debian 12 packages hold: $*"
  fi
  local missing
  mapfile -t missing < <(missing_packages "$@")
  if ((${#missing[@]} == 0)); then return 0; fi

  local as_root=()
  if ((EUID != 0)); then
    if ! command -v sudo >/dev/null; then
      fail "not root and no sudo; as root, run: apt-get install --no-install-recommends ${missing[*]}"
    fi
    # Asks for a password where it must, before the output is hidden.
    sudo -v || fail "sudo refused; as root, run: apt-get install --no-install-recommends ${missing[*]}"
    as_root=(sudo)
  fi

  say "installing ${missing[*]}"
  quietly "${as_root[@]}" apt-get update || fail "apt-get update failed: is there a network?"
  local name unknown=()
  for name in "${missing[@]}"; do
    [[ -n $(apt-cache show --no-all-versions "$name" 2>/dev/null) ]] || unknown+=("$name")
  done
  if ((${#unknown[@]} != 0)); then
    fail "apt knows no package ${unknown[*]}: enable the suites bookworm and bookworm-security (main) of Debian 12"
  fi
  quietly "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install --yes --no-install-recommends -o DPkg::Lock::Timeout=300 "${missing[@]}" ||
    fail "apt-get could not install: ${missing[*]}"
}
