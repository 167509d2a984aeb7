#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Finds static objects in compiled code that the end of the process destroys. Programs end Kokkos and
# MPI behind main(), in any order, and use what is Trident's there; so all that lasts is a Lasting
# (base/Trident_Lasting.hpp). What registers a destructor calls __cxa_atexit() or its twin for
# threads; that is seen in the code of any compiler. Usage: check_lasting.sh <archive or object> ...
set -u
[ $# -gt 0 ] || { echo "usage: check_lasting.sh <archive or object> ..." >&2; exit 2; }
objdump=${OBJDUMP:-objdump}
command -v "$objdump" > /dev/null && command -v c++filt > /dev/null || {
  echo "skipped: there is no objdump, or no c++filt"
  exit 77
}

# Of each call: the function, and the destructor that it registers, the last one named before. None of
# Trident's is an object of Trilinos that a function of Trilinos keeps. What keeps those outside of
# functions has no name of its own; there only what headers are known to have is none of Trident's.
ofHeaders='^(std::ios_base::Init|Teuchos::ActiveRCPNodesSetup|std::map<.*Kokkos::Tools::.*>)::~'
outside='_GLOBAL__|^__static_initialization|^__cxx_global_var_init'
foreign='^(std::ios_base::Init|Teuchos::[A-Za-z]+(<MueLu::[A-Za-z]+>)?|Kokkos::.*|KokkosKernels::.*|Tpetra::.*|std::map<.*Kokkos::Tools::.*>)::~'
found=$("$objdump" -dr --no-show-raw-insn "$@" | awk '
  /^[0-9a-f]+ <.*>:$/ { function_ = substr($2, 2, length($2) - 3); destructor = "" }
  /R_[A-Za-z0-9_]+[ \t]/ {
    symbol = $NF
    sub(/[-+]0x[0-9a-f]+$/, "", symbol)
    if (symbol ~ /^__cxa_(thread_)?atexit(_impl)?$/) {
      print function_ "\t" (destructor == "" ? "-" : destructor)
      destructor = ""
    } else if (symbol ~ /D[0-9]Ev$|tcf_|^\.text/) {
      destructor = symbol
    }
  }' | sort -u | while IFS=$'\t' read -r function destructor; do
    name=$(c++filt "$destructor") by=$(c++filt "$function")
    if [[ $function =~ $outside ]]; then
      [[ $name =~ $ofHeaders && $name != *Trident::* ]]
    else
      [[ $name =~ $foreign && $name != *Trident::* && $by != *Trident::* ]]
    fi || echo "  $name, in $by"
  done)
if [ -n "$found" ]; then
  printf 'lasting: the end of the process destroys these, which should be Lasting:\n%s\n' "$found" >&2
  exit 1
fi
echo "lasting: no static object has a destructor"
