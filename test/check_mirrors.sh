#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Checks what cmake/debian_mirrors.sh makes of apt's sources, and that no script names a mirror itself.
# Returns 77 (skipped) where there is no apt. Usage: check_mirrors.sh <root of the repository>
set -euo pipefail
cd "${1:?the root of the repository}"
# shellcheck source=../cmake/debian_mirrors.sh
source cmake/debian_mirrors.sh

hosts='(deb|ftp|snapshot)[.]debian[.]org|(archive|security)[.]ubuntu[.]com'
if grep -rnIE "$hosts" quickstart .ci cmake example src test >&2; then
  echo "mirrors: named here" >&2
  exit 1
fi
command -v apt-get > /dev/null || { echo "mirrors: skipped, no apt-get"; exit 77; }

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir -p "$scratch/parts" "$scratch/lists/partial"
apt=(-o "Dir::Etc::SourceList=$scratch/sources.list" -o "Dir::Etc::SourceParts=$scratch/parts"
     -o "Dir::State::Lists=$scratch/lists")
unset TRIDENT_DEBIAN_MIRROR

expect() {  # what for, codename, mirror ...
  local what=$1 got
  release=$2
  shift 2
  got=$(debian_mirrors "${apt[@]}" | xargs)
  [ "$got" = "$*" ] || { echo "mirrors: $what: '$got' in the place of '$*'" >&2; exit 1; }
}
debian_codename() { echo "$release"; }

expect "no sources" bookworm

cat > "$scratch/sources.list" << 'END'
# deb http://comment.example/debian bookworm main
deb [ arch=amd64 trusted=yes ] https://line.example/pub/debian/ bookworm main contrib
deb http://security.example/debian-security bookworm-security main
deb http://flat.example/repo ./
deb cdrom:[Debian GNU/Linux 12]/ bookworm main
END
expect "lines" bookworm https://line.example/pub/debian

cat > "$scratch/parts/more.sources" << 'END'
# first the one that counts
types: deb deb-src
URIs: http://stanza.example/debian
  https://second.example:8080/debian-remote/
# in the midst of it
Suites: trixie trixie-updates
Components: main
Signed-By:
 -----BEGIN PGP PUBLIC KEY BLOCK-----
 .
 URIs: http://key.example/debian
 -----END PGP PUBLIC KEY BLOCK-----

Types: deb
URIs: http://disabled.example/debian
Suites: trixie
Components: main
Enabled: no
END
echo 'deb http://ignored.example/debian trixie main' > "$scratch/parts/old.list.disabled"
echo 'deb http://stable.example/debian stable main' > "$scratch/parts/stable.list"
expect "stanzas, and a suite of every release" trixie \
  http://stanza.example/debian https://second.example:8080/debian-remote http://stable.example/debian
expect "not Debian" "" http://stable.example/debian

rm "$scratch"/parts/*
printf '%s\n' '# nearest first' $'http://near.example/debian/\tpriority:1' 'https://far.example/debian' \
  > "$scratch/list"
echo "deb mirror+file:$scratch/list bookworm main" > "$scratch/sources.list"
expect "a list of mirrors" bookworm http://near.example/debian https://far.example/debian

export TRIDENT_DEBIAN_MIRROR=http://mine.example/debian/
expect "the user's own" bookworm http://mine.example/debian
echo "mirrors: all as they should be"
