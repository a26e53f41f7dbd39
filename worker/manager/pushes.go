package manager

import (
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Programs that push or open pull requests. Of an agent without hooks nobody would know that it called them.
var pushers = []string{"git", "gh", "glab"}

const (
	pushersDir = "bin"    // beside the ledger: what stands before these programs on the agent's PATH
	pushedFile = "pushed" // its time is that of the last call that may have pushed
)

// noticer is a program that notes such a call, and becomes the real program: with the same arguments, streams, process and end. What
// it cannot note it does not mention.
const noticer = `#!/bin/sh
# aburn: notes that something may be pushed, then is the real NAME.
case " $* " in
*' push '*|*' pr create '*|*' mr create '*)
	{ : > DIR/PUSHED.$$ && mv -f DIR/PUSHED.$$ DIR/PUSHED; } 2>/dev/null ;;
esac
set -f
aburn_ifs=${IFS-' '} IFS=:
for aburn_dir in $PATH; do
	aburn_dir=${aburn_dir:-.}
	[ "$aburn_dir" = DIR/BIN ] && continue
	if [ -f "$aburn_dir/NAME" ] && [ -x "$aburn_dir/NAME" ]; then
		IFS=$aburn_ifs
		unset aburn_ifs
		exec "$aburn_dir/NAME" "$@"
	fi
done
echo "NAME: not found" >&2
exit 127
`

// noticePushes makes the programs, and gives env with a PATH on which they come first. Where that fails env stays as it is.
func noticePushes(dir string, env []string) []string {
	bin := filepath.Join(dir, pushersDir)
	if os.MkdirAll(bin, 0o700) != nil || strings.ContainsRune(bin, os.PathListSeparator) {
		return env
	}
	quoted := "'" + strings.ReplaceAll(dir, "'", `'\''`) + "'"
	for _, name := range pushers {
		text := strings.NewReplacer("DIR", quoted, "BIN", pushersDir, "PUSHED", pushedFile, "NAME", name).Replace(noticer)
		if os.WriteFile(filepath.Join(bin, name), []byte(text), 0o700) != nil {
			return env
		}
	}
	with := append([]string{}, env...)
	for i, kv := range with {
		if path, ok := strings.CutPrefix(kv, "PATH="); ok {
			with[i] = "PATH=" + bin + string(os.PathListSeparator) + path
		}
	}
	return with
}

// noticed is when an agent without hooks last called something that may have pushed.
func noticed(dir string) (at time.Time) {
	if st, err := os.Stat(filepath.Join(dir, pushedFile)); err == nil {
		at = st.ModTime()
	}
	return at
}
