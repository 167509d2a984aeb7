# SPDX-License-Identifier: BSD-3-Clause
# Reads what a run printed. Prints "setup SECONDS COUNT" of setups, "unread TEXT" of one whose number
# it does not understand, and "iterations N".

function number(text) {
  if (!match(text, /[0-9][0-9.]*([eE][-+]?[0-9]+)?/)) return 0
  return substr(text, RSTART, RLENGTH) + 0
}

# The seconds of the slowest rank, and how many calls they are for: of a stacked timer, or of
# TimeMonitor, which has one column on one rank, else least, mean, most, and the mean of a call. -1
# calls: it is no timer.
function read_timer(rest,   columns, column, slowest) {
  calls = -1
  if (rest ~ /^: [0-9].*\[[0-9]+\]/) {
    seconds = number(rest ~ /max=/ ? substr(rest, index(rest, "max=")) : rest)
    calls = number(substr(rest, index(rest, "[")))
    return
  }
  while (match(rest, /[0-9][-+0-9.e]* \([0-9.]+\)/)) {
    column[++columns] = substr(rest, RSTART, RLENGTH)
    rest = substr(rest, RSTART + RLENGTH)
  }
  if (!columns) return
  slowest = column[columns < 4 ? columns : columns - 1]
  seconds = number(slowest)
  calls = number(substr(slowest, index(slowest, "(")))
}

# Returns the seconds that a text begins with, -1 if it does not understand them. "1,234 s" may have
# a decimal comma.
function seconds_of(text,   n, unit, bracket) {
  match(text, /[0-9][0-9.,]*([eE][-+]?[0-9]+)?/)
  n = substr(text, RSTART, RLENGTH)
  unit = substr(text, RSTART + RLENGTH)
  if (sub(/[.,]+$/, "", n)) unit = ""
  if (n ~ /^[0-9][0-9]?[0-9]?(,[0-9][0-9][0-9])+\.[0-9]+$/) gsub(/,/, "", n)
  if (n !~ /^[0-9]+(\.[0-9]*)?([eE][-+]?[0-9]+)?$/) return -1
  if (!match(unit, /^ *[^ ,.;:|)}\]]+/)) return n + 0
  unit = substr(unit, RSTART, RLENGTH)
  bracket = gsub(/[([{]/, "", unit)
  gsub(/[ \t\r]/, "", unit)
  if (unit ~ /^(s|secs?|seconds?)?$/) return n + 0
  if (unit ~ /^(ms|msecs?|milliseconds?)$/) return n / 1e3
  if (unit ~ /^(us|\302\265s|\316\274s|usecs?|microseconds?)$/) return n / 1e6
  if (unit ~ /^(ns|nsecs?|nanoseconds?)$/) return n / 1e9
  if (unit ~ /^(min|minutes?)$/) return n * 60
  return bracket ? n + 0 : -1
}

# Of a solve that prints each of its iterations the last number counts.
function add_iterations(kind, n) {
  if (!rises[kind] || n < list[kind, size[kind]]) {
    ++size[kind]
    rises[kind] = kind == 1 || n == 0
  }
  list[kind, size[kind]] = n
}

BEGIN {
  text = ENVIRON["timer"]
  if (text == "") {
    text = "Hierarchy: Setup (total)"  # it counts levels
    setups = "Hierarchy: Setup (total, level=0)"
  }
}

(place = index($0, text)) && (rest = substr($0, place + length(text))) ~ /^[ :=]*[0-9]/ {
  read_timer(rest)
  if (calls > 0) {  # a sum: the last one counts
    sum = seconds
    count = calls
  } else if (calls < 0) {
    seconds = seconds_of(rest)
    if (seconds < 0) print "unread", $0
    else print "setup", seconds, 1
  }
}
setups != "" && (place = index($0, setups)) {
  read_timer(substr($0, place + length(setups)))
  if (calls > 0) count = calls
}

tolower($0) ~ /max|\[default\]|\[unused\]/ { next }
match($0, /Iter +[0-9]+,/) {
  add_iterations(1, number(substr($0, RSTART)))
  next
}
{ line = tolower($0) }
match(line, /number of iterations[^0-9]*[0-9]/) {
  add_iterations(2, number(substr(line, RSTART)))
  next
}
match(line, /[0-9]+ iterations/) || match(line, /iterations[ :=]+[0-9]/) {
  add_iterations(3, number(substr(line, RSTART)))
}

END {
  if (count) printf "setup %.9g %.9g\n", sum / count, count
  kind = size[1] ? 1 : size[2] ? 2 : 3
  for (k = 1; k <= size[kind]; ++k) print "iterations", list[kind, k]
}
