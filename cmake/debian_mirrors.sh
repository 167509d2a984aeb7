# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
#
# Where this machine gets Debian's packages from, for the scripts that need more of them than the
# machine's own release has. Sourced, not run.

# The name of this machine's release; nothing where it is not Debian.
debian_codename() {
  # shellcheck source=/dev/null
  (. /etc/os-release 2> /dev/null && [ "${ID:-}" = debian ] && echo "${VERSION_CODENAME:-}") || true
}

# debian_mirrors [OPTION ...]: the mirrors, one a line, best first: TRIDENT_DEBIAN_MIRROR alone where
# it is set, else those of apt's sources that hold a release of Debian. apt itself reads the sources
# (it says what it would fetch, and needs no network for that), so all its formats are understood.
# Other repositories may call a suite `stable` too: whoever uses a mirror must see what is there.
# The options are apt-get's.
debian_mirrors() {
  if [ -n "${TRIDENT_DEBIAN_MIRROR:-}" ]; then
    echo "${TRIDENT_DEBIAN_MIRROR%/}"
    return
  fi
  command -v apt-get > /dev/null || return 0
  local codename sources suite suites uri
  codename=$(debian_codename)
  suites=(sid unstable testing experimental stable oldstable)
  if [ -n "$codename" ]; then suites=("$codename" "${suites[@]}"); fi
  sources=$(apt-get "$@" update --print-uris 2> /dev/null |
    sed -nE "s#^'([^']+)/dists/([^/']+)/InRelease'.*#\2 \1#p") || return 0
  for suite in "${suites[@]}"; do
    while read -r uri; do
      case $uri in
        http://* | https://*) echo "$uri" ;;
        mirror+file:/*)  # a list, whose lines begin with a mirror
          sed -nE 's#^(https?://[^[:space:]]*[^/[:space:]])/?([[:space:]].*)?$#\1#p' \
            "${uri#mirror+file:}" 2> /dev/null || true ;;
      esac
    done < <(sed -n "s#^$suite ##p" <<< "$sources" | LC_ALL=C sort -u)
  done | awk '!seen[$0]++'
}
