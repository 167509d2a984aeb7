#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Checks that every row of the table in doc/contract.md names a test, and every test that the page
# names is in its file, registered for several ranks. Usage: check_contract.sh <root of the repository>
set -u
cd "${1:?the root of the repository}" || exit 2

page=doc/contract.md
folders=(product tpetra)  # of test, where promises to callers are tested
failures=0
named=0
complain() { echo "contract: $*" >&2; failures=$((failures + 1)); }

check_program() {  # `Program: Suite.Name, Suite.Name`
  local program=${1%%:*} folder name suite
  for folder in "${folders[@]/#/test/}"; do
    [ ! -e "$folder/$program.cpp" ] || break
  done
  if [ ! -e "$folder/$program.cpp" ]; then complain "$page: no $program.cpp in test: ${folders[*]}"; return; fi
  grep -qE "NAME $program .*RANKS .*\b4\b" "$folder/CMakeLists.txt" ||
    complain "$folder/CMakeLists.txt: $program does not run on 4 ranks"
  for name in ${1#*:}; do
    name=${name%,}
    suite=${name%%.*}
    grep -qF "TEUCHOS_UNIT_TEST($suite, ${name#*.})" "$folder/$program.cpp" ||
      complain "$page: $folder/$program.cpp has no test $name"
    named=$((named + 1))
  done
}

# shellcheck disable=SC2016  # backquotes of the page
while IFS= read -r program; do
  check_program "$program"
done < <(grep -oE '`[A-Z][A-Za-z]+_[A-Za-z]+: [A-Za-z., ]+`' "$page" | tr -d '`')

while IFS= read -r row; do
  grep -qE '`[A-Z][A-Za-z]+_[A-Za-z]+: ' <<< "$row" || complain "$page: no test in: ${row:0:60}"
done < <(grep '^| ' "$page" | grep -v -e '^| topic' -e '^| ---')

[ "$named" -gt 0 ] || complain "$page names no test"
[ "$failures" -eq 0 ] && echo "contract: $named tests named, all there"
exit $((failures > 0))
