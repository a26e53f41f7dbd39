# fish completion for aburn.
function __aburn_complete
    set -l request (commandline -opc)
    set -l cur (commandline -ct)
    if string match -q -- '-*' $cur
        set -a request $cur
    end
    for line in ($request --generate-shell-completion 2>/dev/null)
        string replace -- ':' \t $line
    end
end
complete -c aburn -f -a '(__aburn_complete)'
