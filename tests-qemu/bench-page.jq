# SPDX-License-Identifier: GPL-2.0-or-later
# The tables of docs/performance.md, of bench.json. Least values everywhere; what a run does not
# have is a dash.
. as $all | (.about // {}) as $about |

["nfsrdma", "nfsrdma_ib", "nfs_tcp", "http", "http_cache", "nvme_tcp", "nvme_rdma", "nbd", "disk"]
    as $roots |
["standalone", "dracut", "dracut_systemd", "dracut_lean", "dracut_newest", "floor", "floor_digest",
    "busybox_script", "busybox_script_digest", "stock_dracut", "stock_dracut_systemd",
    "stock_dracut_lean", "stock_dracut_newest", "dracut_nm", "initramfs_tools", "live_boot"]
    as $rows |

def least($key): $all[$key].min;
def seconds($row): least("\($row)_s");
def shown($digits): if . == null then "–" else
    pow(10; $digits) as $p | . * $p | round / $p | tostring end;
def div($a; $b): if $a and $b and $b != 0 then $a / $b else null end;
def line: "| \(join(" | ")) |";
def table($head): ($head | line), ($head | map("---") | line), (.[] | line);
def has_row($row): [$roots[] as $root | seconds("\($root).\($row)")] | any;

# --- which run ---
def run: if $about.commit then
    "Run of \($about.date), commit \($about.commit): \($about.rounds) rounds, all rows of a round in " +
    "turn, of \($about.parts). Machine: \($about.machine.cpus) processors, \($about.machine.cpu); " +
    "QEMU \($about.versions.qemu) with \($about.machine.accel), nodes with the processor " +
    "\"\($about.machine.node_cpu)\". Images are packed with \($about.packed); that of `http` has " +
    "\($about.image_mb) MB."
    else "This run is older than the record of its commit, machine and versions, than the rule " +
    "that all images are packed alike and have the same drivers, and than the floor." end;

def versions:
    "| program | version |", "|---|---|",
    ($about.versions // {} | to_entries[] | select(.value != "") | [.key, .value] | line);

def programs:
    "| figures of | last changed by | what it is |", "|---|---|---|",
    ($about.programs // {} | to_entries[] | ["`\(.key)`", .value.commit, .value.about] | line);

# --- targets: the floor in the same ratio, and how much of our time the floor does not take ---
def share($ours; $floor): if $ours and $floor then
    ([1 - $floor / $ours, 0] | max * 100 | round | tostring) + " %" else "–" end;
def met($value; $most; $asked): if $value == null then "–"
    elif (if $most then $value <= $asked else $value >= $asked end) then "yes" else "no" end;
def target($what; $asked; $unit; $value; $bound; $most; $ours; $floor):
    [$what, (if $most then "at most " else "" end) + "\($asked)\($unit)",
        ($value | shown(2)) + (if $value then $unit else "" end),
        ($bound | shown(2)) + (if $bound then $unit else "" end),
        share($ours; $floor), met($value; $most; $asked)];
# faster: PEER takes so many times as long as OURS.
def faster($what; $ours; $peer; $floor; $asked):
    seconds($ours) as $o | seconds($peer) as $p | seconds($floor) as $f |
    target($what; $asked; " times"; div($p; $o); div($p; $f); false; $o; $f);
# of: OURS takes so much of PEER.
def of($what; $ours; $peer; $floor; $asked):
    seconds($ours) as $o | seconds($peer) as $p | seconds($floor) as $f |
    target($what; $asked; ""; div($o; $p); div($f; $p); true; $o; $f);

def fetch_slowest:
    [least("fetch.wire_s"), ([least("fetch.hash_s"), least("fetch.openssl_s")] | min),
        least("fetch.copy_s")] | if any(. == null) then null else max end;

def targets:
    [
    faster("NFSoRDMA rxe: stock dracut / stand-alone"; "nfsrdma.standalone";
        "nfsrdma.stock_dracut"; "nfsrdma.floor"; 12),
    of("NFSoRDMA rxe: stand-alone / script, 1 processor"; "nfsrdma.standalone";
        "nfsrdma.busybox_script"; "nfsrdma.floor"; 0.9),
    of("NFSoRDMA rxe: stand-alone / floor, 2 processors"; "nfsrdma.standalone_smp2";
        "nfsrdma.floor_smp2"; "nfsrdma.floor_smp2"; 1.1),
    faster("NFSoRDMA rxe: stock / our dracut flavour, shell"; "nfsrdma.dracut";
        "nfsrdma.stock_dracut"; "disk.dracut"; 4),
    faster("NFSoRDMA rxe: stock / our dracut flavour, systemd"; "nfsrdma.dracut_systemd";
        "nfsrdma.stock_dracut_systemd"; "disk.dracut_systemd"; 3),
    faster("NFSoRDMA InfiniBand: stock dracut with helpers / stand-alone"; "nfsrdma_ib.standalone";
        "nfsrdma_ib.stock_dracut"; "nfsrdma_ib.floor"; 10),
    of("NFSoRDMA InfiniBand: stand-alone / script, 1 processor"; "nfsrdma_ib.standalone";
        "nfsrdma_ib.busybox_script"; "nfsrdma_ib.floor"; 0.85),
    of("NFSoRDMA InfiniBand: stand-alone / floor, 2 processors"; "nfsrdma_ib.standalone_smp2";
        "nfsrdma_ib.floor_smp2"; "nfsrdma_ib.floor_smp2"; 1.1),
    faster("HTTP image: dracut livenet / stand-alone"; "http.standalone"; "http.stock_dracut";
        "http.floor_digest"; 10),
    faster("HTTP image: live-boot / stand-alone"; "http.standalone"; "http.live_boot";
        "http.floor_digest"; 5),
    faster("NVMe/TCP: stock dracut / stand-alone"; "nvme_tcp.standalone"; "nvme_tcp.stock_dracut";
        "nvme_tcp.floor"; 8),
    faster("NBD: stock dracut / stand-alone"; "nbd.standalone"; "nbd.stock_dracut"; "nbd.floor"; 8),
    of("chain from power-on / minimal script"; "chain.power_on"; "chain.minimal"; "chain.minimal";
        1.05),
    (least("fetch.initagent_s") as $o | fetch_slowest as $s |
        target("fetch of an image / slowest of {wire, digest, copy}"; 1.05; ""; div($o; $s);
            (if $s then 1 else null end); true; $o; $s)),
    (div(least("nfsrdma.standalone.ram_at_init_kb"); 1024) as $mb |
        target("memory at /init, NFSoRDMA rxe"; 55; " MB"; $mb;
            div(least("nfsrdma.floor.ram_at_init_kb"); 1024); true;
            least("nfsrdma.standalone.ram_at_init_kb"); least("nfsrdma.floor.ram_at_init_kb")))
    ] | table(["target", "asked", "measured", "the floor's", "ours beyond the floor",
        "met"]);

# --- seconds ---
def seconds_table($smp):
    [$rows[] as $row | "\($row)\($smp)" as $name | select(has_row($name)) |
        ["`\($name)`"] + [$roots[] as $root | seconds("\($root).\($name)") | shown(2)]] |
    table(["row"] + $roots);

# --- of the floor ---
# a row that verifies an image is held against the floor that does
def floor($root; $smp):
    seconds("\($root).floor_digest\($smp)") // seconds("\($root).floor\($smp)");
def script($root; $smp):
    seconds("\($root).busybox_script_digest\($smp)") // seconds("\($root).busybox_script\($smp)");
# both(f): of one processor and of two; f takes the suffix.
def both(f): ("" | f | shown(2)) + ", " + ("_smp2" | f | shown(2));
def of_floor:
    [$roots[] as $root | select(floor($root; "")) | [$root,
        both(floor($root; .)),
        both(seconds("\($root).standalone\(.)")),
        both(. as $smp | div(seconds("\($root).standalone\($smp)"); floor($root; $smp))),
        both(. as $smp | div(script($root; $smp); floor($root; $smp)))]] |
    table(["root", "floor", "stand-alone", "of the floor", "script, of the floor"]);

# --- memory and size ---
def mib($key): div(least($key); 1024) | shown(0);
def megabytes($key): div(least($key); 1000000) | shown(1);
def memory:
    [$roots[] as $root | ["standalone", "dracut", "dracut_systemd", "busybox_script", "stock_dracut",
            "stock_dracut_systemd"][] as $row | "\($root).\($row)" as $key | select(seconds($key)) |
        [$root, "`\($row)`", mib("\($key).ram_at_init_kb"), mib("\($key).ram_at_real_init_kb"),
            (least("\($key).forks") | shown(0)), megabytes("\($key).image_bytes"),
            megabytes("\($key).network_bytes"), (least("\($key).network_packets") | shown(0))]] |
    table(["root", "row", "MiB at /init", "MiB at the real init", "processes", "image, MB",
        "network, MB", "packets"]);

# --- the rest ---
def fetch:
    [["ours: transfer, digest and copy at once", "initagent"], ["wire: curl to /dev/null", "wire"],
        ["digest: sha256sum", "hash"], ["digest: openssl", "openssl"], ["copy: cat", "copy"],
        ["curl, tee and sha256sum at once", "curl_tee"],
        ["ours, from a server with 8 MB/s for each connection", "limited"],
        ["curl, from the same", "limited_curl"]] |
    map([.[0], (seconds("fetch.\(.[1])") | shown(3))]) | table(["", "seconds"]);

def images:
    [$about.images // {} | to_entries[] | [.key, (.value.about // "–"), (.value.drivers | tostring),
        (.value.bytes / 1000000 | shown(1))]] | table(["image", "what it is", "drivers", "MB"]);

def critical:
    $about.critical // {} | to_entries[] | "- \(.key): \(.value)";

def absent:
    ($about.absent // {} | to_entries[] | "- no `\(.key)`: \(.value)"),
    ($all | to_entries[] | select(.key | endswith(".failures")) |
        "- `\(.key | rtrimstr(".failures"))`: \(.value.n) boots failed");

run, "",
"## Targets", "",
"Ratios of least values in this run. \"The floor's\": what the ratio would be if our program took no " +
"longer than the floor; for the dracut flavours, than the same image with a root on a disk of the " +
"node's own; for a fetch, than the slowest of its three parts.", "",
targets, "",
"## Seconds", "",
"From the start of process 1 to the real init, one processor:", "",
seconds_table(""), "",
"Two processors:", "",
seconds_table("_smp2"), "",
"## Of the floor", "",
"Seconds and ratios with one processor, with two. On `http` and `http_cache` floor and script verify " +
"the image, as ours does.", "",
of_floor, "",
"## Critical path", "",
"What our fastest boot of each row waited for:", "",
(if [critical] == [] then "- not recorded" else critical end), "",
"## Memory, size, network", "",
memory, "",
"## Fetch of an image", "",
"On the machine itself, over loopback, 400 MB, with the server on the same processors:", "",
fetch, "",
"## What there is not", "",
(if [absent] == [] then "- not recorded" else absent end), "",
"## Programs and versions", "",
programs, "",
versions, "",
images
