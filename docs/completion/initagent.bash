# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Completion of initagent's commands, their options, and of kernel command line options for lint and
# plan; of the commands and options of initagent-site, initagent-mkimage and initagent-flexboot.

# The options that the help has for a command.
_initagent_options() {
	initagent help 2>/dev/null |
		awk -v "command=$1" '$1 == "initagent" { on = $2 == command } on' |
		grep -oE -e '--[a-z][a-z-]*' | sort -u
	case $1 in
	lint | plan) initagent options --completion 2>/dev/null ;;
	esac
}

_initagent() {
	local word=${COMP_WORDS[COMP_CWORD]} words at=$((COMP_CWORD - 1))

	# bash cuts words at "=", which is then a word of its own
	[[ $word != = ]] || at=$COMP_CWORD word=
	if [[ ${COMP_WORDS[at]} == = && ${COMP_WORDS[at - 1]} == root ]]; then
		words="nfs: nfs4: http:// https:// live: nvmf: nbd: srp: wwinit dhcp dhcp6"
	elif [[ $COMP_CWORD -eq 1 ]]; then
		words="boot status timeline ports doctor lint plan manifest verify options causes"
		words+=" claims wait version help"
	else
		words=$(_initagent_options "${COMP_WORDS[1]}")
	fi
	mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
	# what follows "=" comes next
	[[ ${COMPREPLY[0]-} != *= ]] || compopt -o nospace 2>/dev/null || :
}

# The nodes of a site file, ranges written out: their keys stand deeper than "nodes:", all alike.
_initagent_nodes() {
	local name

	awk '/^nodes:/ { on = 1; next } /^[^ #]/ { on = 0 }
		on && match($0, /^ +[^ :#]+:/) {
			match($0, /^ +/)
			deep = deep ? deep : RLENGTH
			if (RLENGTH == deep)
				print substr($0, deep + 1, index($0, ":") - deep - 1)
		}' "$1" 2>/dev/null | while read -r name; do
		if [[ $name =~ ^(.*)\[([0-9]+)-([0-9]+)\](.*)$ ]]; then
			seq -f "${BASH_REMATCH[1]}%0${#BASH_REMATCH[2]}.0f${BASH_REMATCH[4]}" \
				"${BASH_REMATCH[2]}" "${BASH_REMATCH[3]}"
		else
			echo "$name"
		fi
	done
}

_initagent_site() {
	local word=${COMP_WORDS[COMP_CWORD]} file=site.yaml i

	for ((i = 1; i < COMP_CWORD - 1; i++)); do
		[[ ${COMP_WORDS[i]} != @(-f|--file) ]] || file=${COMP_WORDS[i + 1]}
	done
	case ${COMP_WORDS[COMP_CWORD - 1]} in
	-f | --file) mapfile -t COMPREPLY < <(compgen -f -- "$word") ;;
	render | diff) mapfile -t COMPREPLY < <(compgen -d -- "$word") ;;
	explain) mapfile -t COMPREPLY < <(compgen -W "$(_initagent_nodes "$file")" -- "$word") ;;
	import) mapfile -t COMPREPLY < <(compgen -W "warewulf xcat" -- "$word") ;;
	warewulf | xcat) mapfile -t COMPREPLY < <(compgen -f -- "$word") ;;
	*) mapfile -t COMPREPLY < <(compgen -W \
		"check render diff explain import --file --strict --no-files" -- "$word") ;;
	esac
}

_initagent_mkimage() {
	local word=${COMP_WORDS[COMP_CWORD]}

	case ${COMP_WORDS[COMP_CWORD - 1]} in
	--format) mapfile -t COMPREPLY < <(compgen -W "initrd pair uki iso" -- "$word") ;;
	--root | --into | --*-dir | --modprobe-d) mapfile -t COMPREPLY < <(compgen -d -- "$word") ;;
	--out | --agent | --busybox | --kernel | --stub | --os-release | --sb-* | --extra)
		mapfile -t COMPREPLY < <(compgen -f -- "$word")
		;;
	--kver) mapfile -t COMPREPLY < <(cd /lib/modules 2>/dev/null && compgen -d -- "$word") ;;
	--drivers | --without | --no-firmware | --cmdline | --level) COMPREPLY=() ;;
	*)
		mapfile -t COMPREPLY < <(compgen -W "$(initagent-mkimage --help |
			sed -n 's/^  \(--[a-z-]*\) .*/\1/p')" -- "$word")
		;;
	esac
}

_initagent_flexboot() {
	local word=${COMP_WORDS[COMP_CWORD]} words

	case $COMP_CWORD,${COMP_WORDS[1]},${COMP_WORDS[COMP_CWORD - 1]} in
	1,*) words="rom settings" ;;
	2,rom,*) words="list verify extract" ;;
	2,settings,*) words="want check" ;;
	*,--link) words="ib eth" ;;
	*,--firmware) words="bios uefi both" ;;
	*,--arch) words="x86 arm" ;;
	*,--ip) words="4 6 46 64" ;;
	*,--port) words="1 2 both" ;;
	*,rom,*) words="--json --fits --device --sysroot --into" ;;
	*) words="--link --firmware --arch --ip --port --pkey --vlan --wait --device --json" ;;
	esac
	mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
}

complete -o default -F _initagent initagent
complete -o default -F _initagent_mkimage initagent-mkimage
complete -o default -F _initagent_flexboot initagent-flexboot
complete -o default -F _initagent_site initagent-site
