# bash completion for aburn. Needs no other package; works from bash 3.2 on.
_aburn() {
	local cur="${COMP_WORDS[COMP_CWORD]}" line word
	local IFS=$'\n'
	COMPREPLY=()
	local request=("${COMP_WORDS[@]:0:COMP_CWORD}")
	case "$cur" in -*) request+=("$cur") ;; esac
	while read -r line; do
		word="${line%%:*}"
		case "$word" in "$cur"*) [ -n "$word" ] && COMPREPLY+=("$word") ;; esac
	done < <("${request[@]}" --generate-shell-completion 2>/dev/null)
}
complete -o bashdefault -o default -F _aburn aburn
