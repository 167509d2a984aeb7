#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
#
#   cmake/ci/release.sh [NAME ...]                runs checks of .ci/release_checks; without names, all that are due
#   cmake/ci/release.sh --list                    says which are due, and how each ended
#   cmake/ci/release.sh --note NAME COMMIT WORDS  notes that one passed on another machine
#
# What ended is noted in that file, which is to be committed. A check is due where it did not pass, or where
# files changed since. Needs a clone without changes. Fails where a check fails; one that returns 77 was
# skipped and stays as it was. Output is in build-release/NAME.log.

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

checks=.ci/release_checks

fail() { echo "release: $*" >&2; exit 1; }
names() { sed -nE 's/^([a-z0-9_]+): .*/\1/p' $checks; }
command_of() { sed -n "s/^$1: //p" $checks; }
last_of() { sed -n "/^$1: /{n;s/^  //p}" $checks; }
unchanged_since() { git diff --quiet "$1" -- . ":!$checks" 2> /dev/null; }

is_due() {
  local result commit
  read -r result commit _ < <(last_of "$1")
  [ "$result" != passed ] || ! unchanged_since "$commit"
}

note() {  # name, result, commit, words
  local commit noted
  commit=$(git rev-parse --verify --short=12 "$3^{commit}" 2> /dev/null) || fail "there is no commit $3"
  noted=$(line="  $2 $commit $(date +%F), $4" awk -v begin="$1: " '
    after { $0 = ENVIRON["line"] }
    { print; after = index($0, begin) == 1 }' $checks)
  printf '%s\n' "$noted" > $checks
}

run() {
  local log=build-release/$1.log start=$SECONDS status=0 words
  printf '\n==> %s: %s\n' "$1" "$(command_of "$1")"
  bash -c "$(command_of "$1")" < /dev/null 2>&1 | tee "$log" || status=${PIPESTATUS[0]}
  if [ "$status" -eq 77 ]; then echo "release: $1 skipped, $(tail -n 1 "$log")"; return; fi
  words="$((SECONDS - start)) s$(sed -nE 's/^(Tests|Compiled for CUDA): /; &/p' "$log" | tail -n 1)"
  if [ "$status" -eq 0 ]; then note "$1" passed HEAD "$words"; else note "$1" FAILED HEAD "$words"; failed+=" $1"; fi
}

known() { names | grep -qxF -- "$1" || fail "no check is called $1"; }

case ${1:-} in
  --list)
    for name in $(names); do
      if is_due "$name"; then due=due; else due=; fi
      printf '%-4s %-11s %s\n' "$due" "$name" "$(last_of "$name")"
    done
    exit ;;
  --note)
    [ $# -ge 4 ] || fail "--note NAME COMMIT WORDS"
    known "$2"
    note "$2" passed "$3" "${*:4}"
    exit ;;
esac
for name in "$@"; do known "$name"; done

unchanged_since HEAD || fail "commit what changed first: a result is of a commit"
if [ "$(id -u)" -eq 0 ]; then export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1; fi
mkdir -p build-release
failed=
if [ $# -eq 0 ]; then
  for name in $(names); do if is_due "$name"; then set -- "$@" "$name"; fi; done
fi
for name in "$@"; do run "$name"; done
printf '\n%s\n' "${failed:+FAILED:$failed. }Commit $checks"
[ -z "$failed" ]
