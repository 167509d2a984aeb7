# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash disable=SC2154  # what the script that sources this sets
#
# Builds and installs Tpetra, with what it needs, of Trilinos 13.2: what trilinos-cuda/build and trilinos-openmp/build
# share. Sourced, not run. The script that sources it ends with `build_trilinos "$@"`. Before that it sets
#
#   name              its own, which messages begin with
#   work              the folder of source and build, where no option says another
#   needed_gib        of disk there
#   gib_per_job       of memory, of one compiler
#
# and defines
#
#   usage             prints its head
#   parse_more O      takes an option of its own, or fails
#   check_options     after the last option
#   check_more        looks for what else it needs; fails with a remedy
#   variant           prints one word for the source tree, which differs with the patches
#   patch_tree TREE   changes the source
#   compile_with      exports what the compilers read
#   backend_options   prints options of Trilinos' cmake, one a line
#   describe          prints what the prefix holds, the name first; two builds with the same text are the same
#   say_next          how Trident is built with it

prefix=
source=
jobs=
configure_only=
stamp=share/trident-$name.txt

say() { printf '\n==> %s\n' "$*"; }
fail() { printf '\n%s/build: %s\n' "$name" "$*" >&2; exit 1; }

# shellcheck source=trilinos_source.sh
source "$(dirname "${BASH_SOURCE[0]}")/trilinos_source.sh"

parse() {
  local option
  for option in "$@"; do
    case $option in
      --prefix=?*) prefix=$(realpath -m "${option#*=}") ;;
      --source=?*) source=$(realpath -m "${option#*=}") ;;
      --work=?*) work=${option#*=} ;;
      --jobs=?*) jobs=${option#*=} ;;
      --configure) configure_only=yes ;;
      --help | -h) usage; exit 0 ;;
      *) parse_more "$option" || { usage >&2; fail "unknown option $option"; } ;;
    esac
  done
  [ -n "$prefix" ] || { usage >&2; fail "--prefix is missing"; }
  work=$(realpath -m "$work")
  [[ $jobs =~ ^([1-9][0-9]*)?$ ]] || fail "--jobs=$jobs is no positive number"
  check_options
}

# --- before anything is done ------------------------------------------------------------------------------

check_prefix() {
  if [ -e "$prefix/$stamp" ]; then
    if [ "$(cat "$prefix/$stamp")" = "$(describe)" ]; then
      say "$prefix has this Trilinos already"
      exit 0
    fi
    fail "$prefix holds another one ($(head -n 1 "$prefix/$stamp")): remove it, or choose another --prefix"
  fi
  [ ! -e "$prefix" ] || [ -z "$(ls -A "$prefix")" ] ||
    fail "$prefix is there already, and not made by this script: choose another --prefix"
  local parent=$prefix
  while [ ! -e "$parent" ]; do parent=$(dirname "$parent"); done
  [ -w "$parent" ] || fail "$parent is not writable: choose another --prefix, or run this as root"
}

check_disk() {
  mkdir -p "$work"
  local free
  free=$(df --output=avail -B1G "$work" | tail -n 1)
  [ "$free" -ge "$needed_gib" ] || [ -e "$work/build/CMakeCache.txt" ] ||
    fail "$work has $free GiB free, and the build takes $needed_gib: say --work=DIR on a larger disk"
}

packages() {
  printf '%s\n' cmake ninja-build g++ libopenmpi-dev openmpi-bin liblapack-dev libblas-dev patch
  [ -n "$source" ] || printf '%s\n' dpkg-dev debian-archive-keyring
}

install_packages() {
  local package missing=()
  if command -v apt-get > /dev/null; then
    for package in $(packages); do
      [ "$(dpkg-query -W -f='${db:Status-Status}' "$package" 2> /dev/null)" = installed ] || missing+=("$package")
    done
  fi
  if [ ${#missing[@]} -gt 0 ]; then
    say "Installing ${missing[*]}"
    [ "$(id -u)" -eq 0 ] ||
      fail "installing needs root; run this as root, or first: sudo apt-get install ${missing[*]}"
    export DEBIAN_FRONTEND=noninteractive
    local apt=(apt-get -o Acquire::Retries=1 -o Acquire::http::Timeout=20 -o DPkg::Lock::Timeout=120)
    timeout 300 "${apt[@]}" update < /dev/null || fail "apt-get update failed: is there a network?"
    "${apt[@]}" install -y --no-install-recommends "${missing[@]}" < /dev/null ||
      fail "apt-get install failed: is there a network?"
  fi
  local tool
  for tool in cmake ninja g++ mpicxx patch; do
    command -v "$tool" > /dev/null || fail "$tool is missing: install it ($(packages | xargs) on Debian)"
  done
}

# --- the source -------------------------------------------------------------------------------------------

# The tree is named `source` only when it is patched. It is marked by its variant.
prepare_source() {
  local mark
  mark=.trident-$(variant)
  if [ -e "$work/source/$mark" ]; then return; fi
  rm -rf "$work/source" "$work/source.partial" "$work/build"
  unpack_trilinos "$work" "$work/source.partial" "$source"
  patch_tree "$work/source.partial"
  touch "$work/source.partial/$mark"
  mv "$work/source.partial" "$work/source"
}

# --- the build --------------------------------------------------------------------------------------------

# Without their type CMake makes the two folders absolute, and they would not be in the prefix.
configure() {
  say "Configuring in $work/build"
  local backend
  mapfile -t backend < <(backend_options)
  local tpetra=(-DTPL_ENABLE_MPI=ON -DTrilinos_ENABLE_Tpetra=ON -DTpetra_INST_SERIAL=OFF -DKokkos_ENABLE_SERIAL=ON
    -DTpetra_ENABLE_DEPRECATED_CODE=OFF -DTrilinos_ENABLE_TpetraTSQR=OFF -DTrilinos_ENABLE_EXPLICIT_INSTANTIATION=ON)
  local nothing_more=(-DTrilinos_ENABLE_ALL_OPTIONAL_PACKAGES=OFF -DTrilinos_ENABLE_TESTS=OFF
    -DTrilinos_ENABLE_EXAMPLES=OFF -DTrilinos_ENABLE_Fortran=OFF -DBUILD_SHARED_LIBS=OFF)
  cmake -S "$work/source" -B "$work/build" -G Ninja -DCMAKE_INSTALL_PREFIX="$prefix" -DCMAKE_BUILD_TYPE=Release \
    -DCMAKE_CXX_COMPILER="$(command -v mpicxx)" -DCMAKE_C_COMPILER="$(command -v mpicc)" -DCMAKE_CXX_STANDARD=17 \
    -DCMAKE_CXX_FLAGS="-Wno-deprecated-declarations -w" \
    -DCMAKE_INSTALL_LIBDIR:STRING=lib -DTrilinos_INSTALL_LIB_DIR:STRING=lib \
    "${tpetra[@]}" "${backend[@]}" "${nothing_more[@]}" < /dev/null
}

default_jobs() {
  local cores by_memory
  cores=$(nproc)
  by_memory=$(awk -v each="$gib_per_job" '/^MemAvailable/ { print int($2 / 1048576 / each) }' /proc/meminfo)
  if [ "$by_memory" -lt 1 ]; then by_memory=1; fi
  echo $((cores < by_memory ? cores : by_memory))
}

# Beside the prefix first, so that it gets its name when nothing can fail any more.
install_prefix() {
  say "Installing in $prefix"
  rm -rf "$work/stage" "$prefix.partial"
  DESTDIR=$work/stage cmake --install "$work/build" > "$work/install.log" ||
    { tail -n 20 "$work/install.log" >&2; fail "the installation failed: $work/install.log"; }
  mkdir -p "$(dirname "$prefix")"
  cp -a "$work/stage$prefix" "$prefix.partial"
  mkdir -p "$prefix.partial/share"
  describe > "$prefix.partial/$stamp"
  [ ! -d "$prefix" ] || rmdir "$prefix"
  mv "$prefix.partial" "$prefix"
  rm -rf "$work/stage"
}

build_trilinos() {
  parse "$@"
  check_prefix
  check_more
  check_disk
  install_packages
  prepare_source
  compile_with
  configure
  if [ -n "$configure_only" ]; then
    say "Configured in $work/build; run this again without --configure to build"
    return
  fi
  say "Building; this takes long on few cores"
  cmake --build "$work/build" --parallel "${jobs:-$(default_jobs)}"
  install_prefix
  say "Done. Trident with it:"
  say_next
  printf '%s\n' "$work may be deleted."
}
