#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
#
#   cmake/ci/style.sh [layout] [spelling] [faults]
#
# Checks the layout of sources (clang-format), the spelling of all text (codespell), and a short list
# of faults in the library (clang-tidy, .clang-tidy); without arguments all three. It changes nothing;
# "clang-format -i FILE" and "codespell -w FILE" do. Each check is skipped where its program is
# missing, or is another version than layouts are made with. Returns 77 where all are skipped.

set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit

git ls-files > /dev/null 2>&1 || { echo "style: skipped, this is no checkout of git"; exit 77; }

layout_version=14  # of clang-format, as in Debian 12: others lay out some lines differently
checked=() skipped=() failed=()

sources() { git ls-files -- 'src/*.[ch]pp' 'test/*.[ch]pp' 'example/*.[ch]pp' 'doc/*.cpp'; }

# <name> <program>: says whether a check can run.
has() {
  command -v "$2" > /dev/null || { skipped+=("$1 (no $2)"); return 1; }
}

# <name> <status>
note() {
  if [ "$2" -eq 0 ]; then checked+=("$1"); else failed+=("$1"); fi
}

layout() {
  has layout clang-format || return
  [[ $(clang-format --version) =~ version\ $layout_version\. ]] ||
    { skipped+=("layout (clang-format is not $layout_version)"); return; }
  sources | xargs clang-format --dry-run -Werror --ferror-limit=1
  note layout $?
}

# Not what programs wrote, and not what tests feed to readers.
spelling() {
  has spelling codespell || return
  git ls-files -- ':!*.csv' ':!*.svg' ':!*.png' ':!*.gz' ':!test/fuzz/corpus' ':!test/fuzz/dictionaries' |
    xargs codespell
  note spelling $?
}

# Of the library's sources, each compiled alone. Backends that are not built here are not looked at.
faults() {
  has faults clang-tidy || return
  local build=build-style log=build-style/configure.log status
  mkdir -p "$build"
  if ! cmake --preset default -B "$build" -DCMAKE_EXPORT_COMPILE_COMMANDS=ON -DTrident_UNITY_BUILD=OFF \
      -DTrident_ENABLE_TESTS=OFF -DTrident_ENABLE_EXAMPLES=OFF > "$log" 2>&1; then
    tail -n 5 "$log"
    skipped+=("faults (nothing to configure with, see $log)")
    return
  fi
  grep -o '"file": "[^"]*/src/[^"]*"' "$build/compile_commands.json" | cut -d '"' -f 4 | sort -u |
    xargs -n 4 -P "$(nproc)" clang-tidy --quiet -p "$build" 2>&1 | grep -v ' warnings\? generated\.$'
  status=${PIPESTATUS[3]}  # of xargs
  note faults "$status"
}

[ $# -gt 0 ] || set -- layout spelling faults
for check in "$@"; do
  case $check in
    layout | spelling | faults) "$check" ;;
    *) echo "style: no check is called $check" >&2; exit 2 ;;
  esac
done

words=
for check in "${checked[@]}"; do words+=", $check passed"; done
for check in "${failed[@]}"; do words+=", $check FAILED"; done
for check in "${skipped[@]}"; do words+=", $check skipped"; done
echo "Style: ${words:2}"
[ ${#failed[@]} -eq 0 ] || exit 1
[ ${#checked[@]} -gt 0 ] || exit 77
