#===- setup.sh - what quickstart.sh and check.sh do first ------------------===#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#===------------------------------------------------------------------------===#
#
# Sourced by bash from a script that has called `set -euo pipefail`. Every step
# looks first and does only what is missing, so that a second run takes seconds.
#
#   setUpPackages   Debian packages, and the PyPI packages in build/venv
#   configureBuild  build/, Release, clang and lld of LLVM 22
#   fetchModel [M]  an example model in the cache folder; its path on stdout

# shellcheck shell=bash

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=$root/build
venv=$build/venv
cache=${QUENCH_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/quench}
export QUENCH_CACHE=$cache

# Compiler, build tools, libraries, then what only tests need. LLVM 22 is in
# Debian 12's security suite.
debianPackages=(
  clang-22 lld-22 libclang-rt-22-dev
  llvm-22-dev llvm-22-tools libmlir-22-dev mlir-22-tools liblld-22-dev
  cmake ninja-build ccache
  zlib1g-dev libzstd-dev libabsl-dev libpcre2-dev libxxhash-dev nettle-dev nlohmann-json3-dev
  libcli11-dev
  python3-venv python3-dev ca-certificates
  libgtest-dev libgmock-dev clang-format-22 clang-tidy-22 fish zsh
  qemu-user libc6-dev-arm64-cross libstdc++-12-dev-arm64-cross
)

say() { printf '%s\n' "$*" >&2; }

die() {
  say "error: $*"
  exit 1
}

# Prints those of the given packages that are not installed.
missingPackages() {
  local name
  for name in "$@"; do
    if [[ $(dpkg-query -W -f '${db:Status-Abbrev}' "$name" 2>/dev/null) != ii* ]]; then
      printf '%s\n' "$name"
    fi
  done
}

# Runs a command as root: as it is, or through sudo.
asRoot() {
  if [[ $(id -u) -eq 0 ]]; then
    "$@"
  elif command -v sudo >/dev/null; then
    sudo "$@"
  else
    die "needs root, and there is no sudo; run as root: $*"
  fi
}

# True if apt knows a version of the package.
hasCandidate() {
  local policy
  policy=$(LC_ALL=C apt-cache "${aptOptions[@]}" policy "$1" 2>/dev/null)
  [[ $policy == *Candidate:* && $policy != *'Candidate: (none)'* ]]
}

# A bare Debian 12 may list its main suite only, and LLVM 22 came later, through
# the security suite. That suite is then read from the same mirror, for this
# installation alone: the system's own list of sources stays as it is.
addSecuritySuite() {
  local main
  # shellcheck disable=SC2016  # apt expands $(REPO_URI)
  main=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Codename: bookworm' |
    grep -m 1 '/debian/*$' || true)
  [[ -n $main ]] ||
    die "no apt source has $1; it is in Debian 12's suite bookworm-security (component main): enable that suite and run again"
  say "No apt source has $1: reading Debian's suite bookworm-security as well, for this installation only."
  sources=$(mktemp -d)
  chmod 755 "$sources"
  cp -L /etc/apt/sources.list.d/*.list /etc/apt/sources.list.d/*.sources "$sources/" 2>/dev/null || true
  cat > "$sources/quench-security.sources" <<END
Types: deb
URIs: ${main%%/}-security
Suites: bookworm-security
Components: main
Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg
END
  aptOptions+=(-o "Dir::Etc::sourceparts=$sources")
  asRoot apt-get "${aptOptions[@]}" update -q
  hasCandidate "$1" ||
    die "no apt source has $1; it is in Debian 12's suite bookworm-security (component main): enable that suite and run again"
}

installDebianPackages() {
  local missing sources='' aptOptions=(-o Dpkg::Use-Pty=0)
  mapfile -t missing < <(missingPackages "${debianPackages[@]}")
  [[ ${#missing[@]} -gt 0 ]] || return 0
  command -v apt-get >/dev/null ||
    die "these Debian packages (or what corresponds to them) have to be installed: ${missing[*]}"
  say "Installing Debian packages: ${missing[*]}"
  # A source that does not answer need not be the one that is wanted.
  asRoot apt-get "${aptOptions[@]}" update -q || say "note: apt-get update reported errors"
  local name
  for name in "${missing[@]}"; do
    hasCandidate "$name" || addSecuritySuite "$name" # sets sources and aptOptions
  done
  asRoot env DEBIAN_FRONTEND=noninteractive \
    apt-get "${aptOptions[@]}" install -y -q --no-install-recommends "${missing[@]}"
  [[ -z $sources ]] || rm -rf "$sources"
}

# The virtual environment carries a copy of the list it was made from.
installPythonPackages() {
  local list=$root/cmake/requirements.txt
  cmp -s "$list" "$venv/requirements.txt" && return 0
  say "Installing PyPI packages in build/venv: $(grep -v '^#' "$list" | tr '\n' ' ')"
  # Debian's interpreter, not whichever comes first: it is the one that set-up installs.
  [[ -x $venv/bin/python ]] || /usr/bin/python3 -m venv "$venv"
  "$venv/bin/python" -m pip install -q --disable-pip-version-check --no-deps -r "$list"
  cp "$list" "$venv/requirements.txt"
}

setUpPackages() {
  installDebianPackages
  installPythonPackages
  # Objects are shared between checkouts; precompiled headers need the sloppiness.
  export CCACHE_BASEDIR=$root CCACHE_NOHASHDIR=1
  export CCACHE_SLOPPINESS=pch_defines,time_macros
}

# configureTree SOURCE BUILD [OPTION...]: CMake once, and again when the options
# have changed; Ninja sees to changed list files. Warnings are errors everywhere,
# since the compiler is always the same one: so both scripts share their objects.
configureTree() {
  local source=$1 tree=$2
  shift 2
  local options=(
    -DCMAKE_BUILD_TYPE=Release
    -DCMAKE_C_COMPILER=clang-22 -DCMAKE_CXX_COMPILER=clang++-22
    -DCMAKE_C_COMPILER_LAUNCHER=ccache -DCMAKE_CXX_COMPILER_LAUNCHER=ccache
    -DCMAKE_EXE_LINKER_FLAGS=-fuse-ld=lld
    -DCMAKE_SHARED_LINKER_FLAGS=-fuse-ld=lld
    -DCMAKE_MODULE_LINKER_FLAGS=-fuse-ld=lld
    -DCMAKE_EXPORT_COMPILE_COMMANDS=ON
    -DQUENCH_WERROR=ON "$@"
  )
  if [[ -f $tree/build.ninja && $(cat "$tree/options.txt" 2>/dev/null) == "${options[*]}" ]]; then
    return 0
  fi
  cmake -G Ninja -S "$source" -B "$tree" "${options[@]}" || return
  printf '%s\n' "${options[*]}" > "$tree/options.txt"
}

configureBuild() {
  configureTree "$root" "$build" \
    -DMLIR_DIR=/usr/lib/llvm-22/lib/cmake/mlir -DLLVM_DIR=/usr/lib/llvm-22/lib/cmake/llvm \
    -DPython3_EXECUTABLE="$venv/bin/python"
}

fetchModel() { "$venv/bin/python" "$root/cmake/fetch_model.py" "$cache/models" "$@"; }
