# shellcheck shell=bash disable=SC1091,SC2034,SC2154
# SPDX-License-Identifier: GPL-2.0-or-later
# The collectors of docs/collector in the server VM: rsyslog and nginx of this machine with their
# libraries, laid over its image; the lab's root is made of the same suite.
#
#   collector_cpio FILE      makes it, for SERVER_EXTRA
#   collector_start          rsyslog and nginx, once; both serve when it returns
#   told NODE KIND [CODE]    waits for what a node said by syslog, and prints it (JSON)
#   told_state NODE          the state that a node sent
#   $told                    rd.report= words for both

# shellcheck source=tests-qemu/lib/scenario.bash
source "${BASH_SOURCE[0]%/*}/scenario.bash"

told="rd.report=syslog+tcp://$server_ip rd.report=http://$server_ip/boots/"

# collector_copy DIR PROGRAM...: with the libraries they are linked to.
collector_copy() {
    local dir=$1 program file
    shift
    for program; do
        while read -r file; do
            [ -e "$dir$file" ] || install -D "$file" "$dir$file"
        # unchecked: at least the program
        done < <(echo "$program" && ldd "$program" | grep -o '/[^ ]*')
    done
}

collector_nginx() {
    local path
    echo 'user root; pid /run/collector.pid; error_log /run/collector.err;'
    echo 'events { worker_connections 64; } http { access_log /run/collector.log;'
    for path in proxy fastcgi uwsgi scgi; do echo "${path}_temp_path /run/$path;"; done
    cat "$vm_top/docs/collector/nginx.conf"
    echo '}'
}

collector_cpio() {
    local dir=$BATS_FILE_TMPDIR/collector modules name
    modules=$(dirname "$(readlink -f /usr/lib/*/rsyslog/imtcp.so)")
    mkdir -p "$dir"/srv/boots "$dir"/var/{lib/nginx,log/nginx,log/initagent} "$dir"/{etc,bin}
    collector_copy "$dir" /usr/sbin/nginx /usr/sbin/rsyslogd "$(realpath "$vmctl")"
    for name in imudp imtcp mmpstrucdata lmnet lmnetstrms lmtcpsrv lmnsd_ptcp; do
        collector_copy "$dir" "$modules/$name.so"
    done
    mv "$dir$(realpath "$vmctl")" "$dir/bin/vmctl"
    collector_nginx >"$dir/etc/collector.conf"
    # one file, whatever day it is
    # shellcheck disable=SC2016 # the dollars are rsyslog's
    sed 's/%\$year%-%\$month%-%\$day%/boots/' "$vm_top/docs/collector/rsyslog.conf" \
        >"$dir/etc/rsyslog.conf"
    (cd "$dir" && find . -mindepth 1 | cpio --quiet -o -H newc -R 0:0) >"$1"
}

# Both come back from the foreground when they listen.
collector_start() {
    server shell '[ -e /run/collector.pid ] || {
        /usr/sbin/nginx -e /run/collector.err -c /etc/collector.conf &&
        /usr/sbin/rsyslogd -i /run/rsyslogd.pid; }'
}

told() {
    server shell "/bin/vmctl wait 120 /var/log/initagent/boots.json \
        '\"node\":\"$1\".*\"kind\":\"$2\".*\"code\":\"${3:-}'"
}

told_state() {
    server shell "cat /srv/boots/$1.json; echo"
}
