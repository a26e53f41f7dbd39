package instrument

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"aburn/internal/git"
)

// TestLine is the line of the configuration's test command, as a person permits it; ""
// for none.
func TestLine(c Config) string {
	switch command := c.TestCommand.(type) {
	case string:
		return command
	case []any:
		var words []string
		for _, w := range command {
			words = append(words, fmt.Sprint(w))
		}
		return strings.Join(words, " ")
	}
	return ""
}

// TestArgv starts the test command: a list of words as it is, a line by the system's shell.
func TestArgv(c Config) (argv []string) {
	if list, ok := c.TestCommand.([]any); ok {
		for _, w := range list {
			argv = append(argv, fmt.Sprint(w))
		}
		return argv
	}
	line := TestLine(c)
	switch {
	case line == "":
		return nil
	case runtime.GOOS == "windows":
		return []string{"cmd", "/d", "/s", "/c", line}
	}
	return []string{"sh", "-c", line}
}

// CommitHooks is what a person permits so that commits of a run go through the
// repository's own hooks; "" where it has none.
func CommitHooks(ctx context.Context, dir string, environ []string) string {
	// Calls of ours switch hooks off by this very setting, so it is read and not asked for.
	hooks, err := git.In(dir, environ).Hooked().Out(ctx, "rev-parse", "--git-path", "hooks")
	if err != nil {
		return ""
	}
	if !filepath.IsAbs(hooks) {
		hooks = filepath.Join(dir, hooks)
	}
	var names []string
	for _, name := range []string{"pre-commit", "prepare-commit-msg", "commit-msg", "post-commit"} {
		if st, err := os.Stat(filepath.Join(hooks, name)); err == nil && st.Mode().IsRegular() {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return ""
	}
	return "git commit, with the hooks " + strings.Join(names, ", ")
}
