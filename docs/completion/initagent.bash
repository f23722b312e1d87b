# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Completion of initagent's commands, their options, and of kernel command line options for lint and plan; of
# initagent-site's commands.

_initagent_options() {
	case $1 in
	boot) echo --sysroot --notify ;;
	status) echo --json --prometheus --last-failure ;;
	ports) echo --ask ;;
	doctor) echo --json --no-ask ;;
	manifest) echo --chunk-size --name --kernel --output ;;
	verify) echo --key --kernel ;;
	options) echo --markdown --man --completion ;;
	wait) echo --timeout --restarts ;;
	lint | plan) initagent options --completion 2>/dev/null ;;
	esac
}

_initagent() {
	local word=${COMP_WORDS[COMP_CWORD]} words

	if [[ $COMP_CWORD -eq 1 ]]; then
		words="boot status ports doctor lint plan manifest verify options causes claims wait version help"
	else
		words=$(_initagent_options "${COMP_WORDS[1]}")
	fi
	mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
	# what follows "=" comes next
	[[ ${COMPREPLY[0]-} != *= ]] || compopt -o nospace 2>/dev/null || :
}

_initagent_site() {
	local word=${COMP_WORDS[COMP_CWORD]}

	case ${COMP_WORDS[COMP_CWORD - 1]} in
	-f | --file) mapfile -t COMPREPLY < <(compgen -f -- "$word") ;;
	render | diff) mapfile -t COMPREPLY < <(compgen -d -- "$word") ;;
	*) mapfile -t COMPREPLY < <(compgen -W "check render diff explain --file --strict --no-files" -- "$word") ;;
	esac
}

complete -o default -F _initagent initagent
complete -o default -F _initagent_site initagent-site
