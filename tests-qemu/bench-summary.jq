# SPDX-License-Identifier: GPL-2.0-or-later
# bench.json of what a run has recorded: one object a name with least, middle and greatest value,
# unit and number; and "about", with the critical path of our rows' fastest boots.
# $about: an array of one; $critical: an object or null.
def median: sort | if length % 2 == 1 then .[length / 2 | floor]
    else (.[length / 2 - 1] + .[length / 2]) / 2 end;

{about: ($about[0] + {critical: ($critical // {})})} +
(group_by(.name) | map({key: .[0].name, value: {min: (map(.value) | min),
    median: (map(.value) | median), max: (map(.value) | max), unit: .[0].unit, n: length}})
| from_entries)
