#compdef aburn
# zsh completion for aburn.
_aburn() {
	local -a request lines
	request=("${(@)words[1,CURRENT-1]}")
	[[ "${words[CURRENT]}" == -* ]] && request+=("${words[CURRENT]}")
	lines=("${(@f)$("${request[@]}" --generate-shell-completion 2>/dev/null)}")
	if [[ -n "${lines[1]}" ]]; then
		_describe aburn lines
	else
		_files
	fi
}
# As a file on $fpath it is the function itself; sourced, it registers it.
if [ "$funcstack[1]" = "_aburn" ]; then
	_aburn "$@"
else
	compdef _aburn aburn
fi
