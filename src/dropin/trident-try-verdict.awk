# SPDX-License-Identifier: BSD-3-Clause
# Reads "TURN WAY run SECONDS", "TURN WAY setup SECONDS COUNT" and "TURN WAY iterations N". Prints a
# table and a verdict. A ratio is the median of the ratios of the turns.

# Sorts too.
function median(list, n,   i, j, x) {
  for (i = 2; i <= n; ++i) {
    x = list[i]
    for (j = i - 1; j > 0 && list[j] > x; --j) list[j + 1] = list[j]
    list[j + 1] = x
  }
  return (list[int((n + 1) / 2)] + list[int(n / 2) + 1]) / 2
}
function median_of_turns(values, row, way,   t, list) {
  for (t = 1; t <= turns; ++t) list[t] = values[row, way, t]
  return median(list, turns)
}

# What a ratio of `seconds` rests on may be more: `measured`.
function keep(row, way, turn, seconds, measured) {
  of[row, way, turn] = seconds
  rests[row, way, turn] = measured
  ++filled[row]
}
function keep_setups(way, turn,   n, i, later) {
  if (!count[way, turn]) return
  number = number == "" || number == count[way, turn] ? count[way, turn] : "differs"
  keep("setup", way, turn, sum[way, turn] / count[way, turn], sum[way, turn])
  n = lines[way, turn]
  if (n < 2) return
  keep("first", way, turn, each[way, turn, 1], each[way, turn, 1])
  for (i = 2; i <= n; ++i) later[i - 1] = each[way, turn, i]
  keep("later", way, turn, median(later, n - 1), sum[way, turn] - each[way, turn, 1])
}

# Sets ratio, least and most, or short; `fast` and `slow`: in three quarters of the turns.
function compare(row, way,   t, list, quarters) {
  short = median_of_turns(rests, row, "plain") < 0.01 || median_of_turns(rests, row, way) < 0.01
  for (t = 1; t <= turns; ++t) if (of[row, "plain", t] <= 0) short = 1
  if (short) return
  for (t = 1; t <= turns; ++t) list[t] = of[row, way, t] / of[row, "plain", t]
  ratio = median(list, turns)
  least = list[1]
  most = list[turns]
  quarters = int((3 * turns + 3) / 4)
  fast = list[quarters] < 1
  slow = list[turns + 1 - quarters] > 1
}

function cell(row, way) {
  compare(row, way)
  part = short ? "too short" : sprintf("%.2f", ratio)
  return sprintf("%.4f (%s)", median_of_turns(of, row, way), part)
}
function print_row(row, label) {
  if (filled[row] < 3 * turns) return
  printf "trident-try: %-28s %9.4f %19s %19s\n", label, median_of_turns(of, row, "plain"),
    cell(row, "library"), cell(row, "plans")
}

function say_iterations(   w, t, n, i, words, text) {
  for (w = 1; w <= 3; ++w)
    for (t = 1; t <= turns; ++t) differs[w > 1] += printed[ways[w], t] != printed["plain", 1]
  n = split(printed["plain", 1], words, " ")
  if (n == 0 && !differs[1]) return "no iterations were printed"
  for (i = 1; i <= n && i <= 12; ++i) text = text " " words[i]
  print "trident-try: iterations, as printed:" text (n > 12 ? " ... (" n " numbers)" : "")
  if (differs[0]) return "the iterations differ between plain runs, too"
  return differs[1] ? "the iterations differ" : "the iterations are the same"
}

function judge(row, way) {
  compare(row, way)
  shorts += short
  if (short) return " is too short to tell (less than 10 ms)"
  faster[way] = fast
  slower[way] = slow
  value[way] = ratio
  return sprintf(" takes %.2f of the plain time (%.2f to %.2f)", ratio, least, most)
}
function advice() {
  if (!ENVIRON["products"]) return "Trident formed no product, so times tell nothing"
  if (differs[1] && !differs[0]) return "see first why the iterations differ"
  if (shorts == 2) return "try a larger problem"
  if (faster["plans"] && (!faster["library"] || value["plans"] < value["library"]))
    return "use TRIDENT_PLANS=" ENVIRON["plans"]
  if (faster["library"]) return "use the library without TRIDENT_PLANS"
  if (slower["library"] && slower["plans"]) return "stay without the library"
  return "no gain is shown, as neither is faster in three quarters of the turns"
}

BEGIN {
  turns = ENVIRON["turns"]
  split("plain library plans", ways, " ")
}
$3 == "run" { keep("run", $2, $1, $4, $4) }
$3 == "setup" {
  each[$2, $1, ++lines[$2, $1]] = $4
  sum[$2, $1] += $4 * $5
  count[$2, $1] += $5
}
$3 == "unread" {
  unread = $0
  sub(/^[^ ]+ [^ ]+ unread /, "", unread)
}
$3 == "iterations" { printed[$2, $1] = printed[$2, $1] " " $4 }
END {
  for (w = 1; w <= 3; ++w)
    for (t = 1; t <= turns; ++t) keep_setups(ways[w], t)
  printf "trident-try: %-28s %9s %19s %19s\n", "median seconds (of plain)", "plain", "library",
    "plans"
  print_row("first", "first setup")
  print_row("later", "a later setup (median)")
  print_row("setup", number == 1 ? "the setup" : \
    "a setup (" (number == "differs" ? "numbers differ" : "mean of " number) ")")
  print_row("run", "the whole run")
  row = filled["setup"] == 3 * turns ? "setup" : "run"
  what = row == "run" ? "the whole run" : number == 1 ? "the setup" : "a setup"
  ratios = what judge(row, "library") ", with plans it" judge(row, "plans")
  timer = ENVIRON["timer"]
  if (unread != "")
    print "trident-try: no seconds that are understood (a number, and s, ms, us, ns or min): " unread
  if (timer != "" && row == "run")
    print "trident-try: not every run printed \"" timer "\" and seconds behind it"
  iterations = say_iterations()
  print "trident-try: With the library " ratios ", median of " turns \
    (turns == 1 ? " turn" : " turns") "; " iterations ": " advice() "."
}
