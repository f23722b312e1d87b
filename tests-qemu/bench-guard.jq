# SPDX-License-Identifier: GPL-2.0-or-later
# The verdicts of bench-guard: of each of our rows of $roots its root, "good", "slower" or
# "incomparable", a line of text, and its name; with tabs between. $was, $is: arrays of one, the
# published run and this one. Least values.
#
# A row is held against a peer and against the floor of as many processors: a program that does the
# same, or does it by other means, in the same run. It is slower if it is against both: one of them
# may have had a bad or a lucky run.
def least($key): .["\($key)_s"].min;
def smp($row): if $row | endswith("_smp2") then "_smp2" else "" end;
# http: those that verify the image as we do
def script($root; $smp; $name):
    ["\($root).\($name)_digest\($smp)", "\($root).\($name)\($smp)"] |
    map(select(. as $key | $was[0] | least($key))) | .[0] // "\($root).\($name)\($smp)";
def against($root; $row):
    smp($row) as $smp | script($root; $smp; "floor") as $floor |
    if $row | startswith("standalone") then [script($root; $smp; "busybox_script"), $floor]
    elif $row | startswith("dracut_systemd") then ["\($root).stock_dracut_systemd\($smp)", $floor]
    else ["\($root).stock_dracut\($smp)", $floor] end;
def percent: . * 100 | round;

def verdict($key; $peers):
    if $was[0] | least($key) | not then
        ["incomparable", "\($key): not in the published run"]
    elif $is[0] | least($key) | not then
        ["incomparable", "\($key): no boot in this run"]
    elif $peers == [] then
        ["incomparable", "\($key): nothing published to hold it against"]
    elif [$peers[] | . as $peer | select($is[0] | least($peer) | not)] != [] then
        ["incomparable", "\($key): no boot in this run of " +
            ([$peers[] | . as $peer | select($is[0] | least($peer) | not)] | join(", "))]
    else
        [$peers[] | . as $peer | {peer: $peer,
            was: ($was[0] | least($key) / least($peer)),
            is: ($is[0] | least($key) / least($peer))}] as $ratios |
        (if $ratios | all(.is > .was * 1.15) then "slower" else "good" end) as $what |
        [$what, "\($key): " + ([$ratios[] | "\(.is | percent) % of \(.peer | split(".")[1]), " +
            "\(.was | percent) % published"] | join("; ")) +
            (if $what == "slower" then ": slower" else "" end)]
    end;

($roots | split(",")[]) as $root |
(["standalone", "dracut", "dracut_systemd"][] | ., "\(.)_smp2") as $row |
"\($root).\($row)" as $key |
[against($root; $row)[] | . as $peer | select($was[0] | least($peer))] as $peers |
verdict($key; $peers) as [$what, $text] |
[$root, $what, $text, $key] | @tsv
