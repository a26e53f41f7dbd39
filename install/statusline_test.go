package install

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"aburn/internal/project"
)

// statusOf is the command of the status line in a settings file, and whether there is a status line.
func statusOf(t *testing.T, data []byte) (line string, any bool) {
	t.Helper()
	m := get(load(t, data), "statusLine")
	line, _ = get(m, "command").(string)
	return line, m != nil
}

// Every way to have a status line can be undone byte for byte, and nothing else in the file changes.
func TestStatusLineComesAndGoes(t *testing.T) {
	for _, mode := range []StatusLine{AddStatus, WrapStatus} {
		everyFile(t, 160, func(b *bench, a Agent, original []byte, seed uint64) {
			if !a.Settings.StatusLine {
				b.Skip("it has no status line")
			}
			if seed%4 == 1 { // the hooks were there before
				b.install()
			}
			b.options.StatusLine = mode
			c := b.install()
			installed := b.read()
			checkInstalled(b.T, a, original, installed)
			was, had := statusOf(b.T, original)
			is, _ := statusOf(b.T, installed)
			own := "aburn-hook claude statusline --home " + b.home
			switch {
			case !had && get(load(b.T, original), "statusLine") == nil:
				if !strings.HasSuffix(is, own) {
					b.Fatalf("no status line: %s", installed)
				}
			case mode == AddStatus, was == "":
				if is != was || !strings.Contains(strings.Join(c.Files[0].Notes, "\n"), "aburn left it alone") {
					b.Fatalf("somebody's line became %q, and the notes are %q", is, c.Files[0].Notes)
				}
			default:
				if wrapped, ok := ownStatus(a, is); !ok || wrapped != was {
					b.Fatalf("%q wraps %q, want %q", is, wrapped, was)
				}
			}
			if c := b.install(); !c.Nothing() {
				b.Fatalf("the second install changes %v", c.Diff())
			}
			b.options.StatusLine = KeepStatus
			if c := b.install(); !c.Nothing() {
				b.Fatalf("an install without the flag changes %v", c.Diff())
			}
			c = b.uninstall()
			b.want("uninstalled", b.read(), original)
			if !c.Files[0].Exact {
				b.Error("not said to be exact")
			}
			b.empty()
		})
	}
}

// The status line goes alone: the file is then what an install without it makes, and uninstall goes back all the way.
func TestOnlyTheStatusLineGoes(t *testing.T) {
	everyFile(t, 120, func(b *bench, a Agent, original []byte, seed uint64) {
		if !a.Settings.StatusLine {
			b.Skip("it has no status line")
		}
		b.install()
		hooks := b.read()
		b.options.StatusLine = WrapStatus
		b.install()
		if seed%3 == 0 {
			b.uninstall()
			b.install() // both at once
		}
		b.options.StatusLine = DropStatus
		b.uninstall()
		if seed%3 != 0 {
			b.want("without the status line", b.read(), hooks)
		}
		checkInstalled(b.T, a, original, b.read())
		b.options.StatusLine = KeepStatus
		b.uninstall()
		b.want("uninstalled", b.read(), original)
		b.empty()
	})
}

// Without a record the line that was wrapped still comes back as the same text.
func TestWrappedWithoutARecord(t *testing.T) {
	everyFile(t, 60, func(b *bench, a Agent, original []byte, seed uint64) {
		if !a.Settings.StatusLine {
			b.Skip("it has no status line")
		}
		b.options.StatusLine = WrapStatus
		b.install()
		if err := os.RemoveAll(filepath.Join(b.home, ".local")); err != nil {
			b.Fatal(err)
		}
		b.uninstall()
		is, _ := statusOf(b.T, b.read())
		if was, _ := statusOf(b.T, original); is != was {
			b.Fatalf("%q came back as %q", was, is)
		}
	})
}

// A command line is aburn's only if aburn wrote it.
func TestOwnStatus(t *testing.T) {
	folders := []string{"--home", "/home/it's me", "--state", "/s"}
	for _, wrapped := range []string{
		"", "~/.claude/status.sh", `echo 'a b' "c" || sh -c 'd'`, "x || sh -c y", "jq -r '.model.display_name' | tr a-z A-Z # end", "a\nb", "it's", "'", "--wrap",
	} {
		c := call{agent: Claude, path: "/opt/a b/aburn-hook", folders: folders}
		if got, ok := ownStatus(Claude, c.statusCommand(wrapped)); !ok || got != wrapped {
			t.Errorf("%q: %q, %v", wrapped, got, ok)
		}
	}
	for _, line := range []string{
		"", "aburn-hook", "aburn-hook claude", "aburn-hook claude --home /h", "aburn-hook codex statusline", "other claude statusline",
		"aburn-hook claude statusline --colour", "aburn-hook claude statusline | cat", "aburn-hook claude statusline --wrap x || sh -c y",
		"aburn-hook claude statusline; echo", "FOO=1 aburn-hook claude statusline", "aburn-hook claude statusline --wrap x || sh -c x y",
	} {
		if _, ok := ownStatus(Claude, line); ok {
			t.Errorf("%q is taken for aburn's", line)
		}
	}
}

// What is installed runs: a shell gives the line that was wrapped its stdin, also where aburn-hook is gone.
func TestStatusLineRuns(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds aburn-hook")
	}
	dir := t.TempDir()
	hook := filepath.Join(dir, "it's here", hookName)
	if out, err := exec.Command("go", "build", "-ldflags=-s -w", "-o", hook, "aburn/cmd/aburn-hook").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	env := func(name string) string { return map[string]string{"HOME": dir}[name] }
	payload := `{"session_id":"s","model":{"display_name":"Opus 5.5"},"context_window":{"used_percentage":42},"cost":{"total_cost_usd":1.5}}`
	run := func(path, wrapped string) string {
		t.Helper()
		c := call{agent: Claude, path: path, folders: project.FolderArgs(env)}
		cmd := exec.Command("/bin/sh", "-c", c.statusCommand(wrapped))
		cmd.Env = []string{"PATH=/usr/bin:/bin", "HOME=" + dir}
		cmd.Stdin = strings.NewReader(payload)
		out, err := cmd.Output()
		if err != nil {
			t.Errorf("%q fails: %v", wrapped, err)
		}
		return string(out)
	}
	const own = "opus-5.5 · $1.50 session · ctx 42%\n"
	for _, c := range []struct{ wrapped, want string }{
		{"", own},
		{"wc -c | tr -d ' '", "120\n" + own},
		{"printf 'it'\\''s\\ntwo'", "it's\ntwo\n" + own},
		{"echo lost; exit 3", own},
		{"no-such-program", own},
		{"cat >/dev/null; echo late", "late\n" + own},
		{"true", own},
	} {
		if got := run(hook, c.wrapped); got != strings.Replace(c.want, "120", strconv.Itoa(len(payload)), 1) {
			t.Errorf("%q prints %q", c.wrapped, got)
		}
	}
	if got := run(filepath.Join(dir, "gone", hookName), "cat"); got != payload {
		t.Errorf("without aburn-hook the wrapped line prints %q", got)
	}
}
