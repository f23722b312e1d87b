# SPDX-License-Identifier: GPL-2.0-or-later
# build/bench.html of build/bench.json: for each root a bar a row, least seconds, and what they are
# of the floor of as many processors; of the floor that verifies the image too, if the row does.
# $roots: their order.
def two: . * 100 | round / 100;
def row_of: split(".")[1] | rtrimstr("_s");
def verifies: test("_digest") or (test("^(standalone|dracut|dracut_systemd)(_smp2)?$"));
def floor_of($root; $row):
    (if $row | endswith("_smp2") then "_smp2" else "" end) as $smp |
    (if $row | verifies then .["\($root).floor_digest\($smp)_s"].min else null end) //
        .["\($root).floor\($smp)_s"].min;
# "root.row_s" has one dot; what is measured beside the time has more
def rows_of($root):
    [keys_unsorted[] | select(startswith("\($root).") and endswith("_s") and
        (split(".") | length == 2)) | row_of];

. as $all |
([($roots | split(",")[]) as $root | rows_of($root)[] as $row | .["\($root).\($row)_s"].min] | max)
    as $most |

def bar($root; $row):
    $all["\($root).\($row)_s"].min as $time | ($all | floor_of($root; $row)) as $floor |
    "<tr><td>\($row | @html)",
    "<td><div class=\($row | gsub("[^a-z].*"; "")) style=\"width:\($time / $most * 100)%\"></div>",
    "<td>\($time | two) s",
    "<td>\(if $floor then "\($time / $floor | two) of the floor" else "" end)";

"<!DOCTYPE html>",
"<meta charset=utf-8>",
"<title>initagent: boot times</title>",
"<style>body{font:14px sans-serif;max-width:60em;margin:2em auto}table{width:100%}",
"td{white-space:nowrap}td:nth-child(2){width:60%}div{height:1em;background:#aaa}",
".standalone,.dracut{background:#2a7}.floor{background:#444}</style>",
"<h1>From the start of process 1 to the start of the real init</h1>",
(.about // {} | "<p>\("\(.date) \(.commit), \(.rounds) rounds, \(.machine.cpus) x \(.machine.cpu)"
    | @html)"),
(($roots | split(",")[]) as $root | ($all | rows_of($root)) as $rows | select($rows | length > 0) |
    "<h2>\($root | @html)</h2>",
    "<table>",
    ($rows[] | bar($root; .)),
    "</table>",
    ($all.about.critical // {} | to_entries[] | select(.key | startswith("\($root).")) |
        "<p>\(.key | @html): critical: \(.value | @html)"),
    ($all.about.absent // {} | to_entries[] | select(.key | startswith("\($root).")) |
        "<p>no \(.key | split(".")[1] | @html): \(.value | @html)"))
