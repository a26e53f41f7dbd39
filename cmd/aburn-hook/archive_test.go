//go:build unix

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	lab "aburn/internal/lab/world"

	"aburn/internal/project"
)

// archiver is a hook with another `aburn` beside it, which writes down how it was started.
type archiver struct {
	*world
	hook string
	args []string // of the hook
	out  string
}

func newArchiver(t *testing.T) *archiver {
	a := &archiver{world: newWorld(t), args: []string{"claude"}}
	bin := t.TempDir()
	a.hook, a.out = filepath.Join(bin, "aburn-hook"), filepath.Join(bin, "started")
	data, err := os.ReadFile(exe)
	if err != nil {
		t.Fatal(err)
	}
	// The hook lowers the priority after the start, so the script waits for that before it looks.
	nice := "n=0; while [ $n -lt 2400 ] && [ $(ps -o ni= -p $$) -ne 19 ]; do n=$((n+1)); sleep 0.05; done\n"
	script := "#!/bin/sh\n" + nice + "{ echo \"$*\"; env; ps -o pid=,sid=,ni= -p $$; } > '" + a.out + ".new'\nmv '" + a.out + ".new' '" + a.out + "'\nsleep 2\n"
	for path, data := range map[string][]byte{a.hook: data, filepath.Join(bin, "aburn"): []byte(script)} {
		if err := os.WriteFile(path, data, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return a
}

// send sends an event.
func (a *archiver) send(event string, env ...string) {
	a.t.Helper()
	cmd := exec.Command(a.hook, a.args...)
	cmd.Env = append(slices.Clone(a.env), env...)
	cmd.Stdin = strings.NewReader(claudePayload(event, `"reason":"other"`))
	if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
		a.t.Fatalf("%v: %s", err, out)
	}
}

// started sends an event and returns what the other aburn wrote, however long it takes to begin.
func (a *archiver) started(event string, env ...string) string {
	a.t.Helper()
	a.send(event, env...)
	got, ok := a.wrote(2 * time.Minute)
	if !ok {
		a.t.Fatal("no aburn was started")
	}
	return got
}

// startsNone sends an event at which no aburn may be started. One that begins later than this waits is overlooked.
func (a *archiver) startsNone(event, why string) {
	a.t.Helper()
	a.send(event)
	if got, ok := a.wrote(300 * time.Millisecond); ok {
		a.t.Fatalf("started %s:\n%s", why, got)
	}
}

func (a *archiver) wrote(patience time.Duration) (string, bool) {
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if data, err := os.ReadFile(a.out); err == nil {
			os.Remove(a.out)
			return string(data), true
		}
	}
	return "", false
}

// At the end of a session in a marked project, and only then, an ingest runs by itself: in a session of its own, so that
// it outlives the agent, and without the agent's secrets.
func TestSessionEndStartsIngest(t *testing.T) {
	a := newArchiver(t)
	a.startsNone("SessionEnd", "in a project that nobody marked")
	a.trust()
	a.startsNone("Stop", "at a Stop")
	got := a.started("SessionEnd", "ANTHROPIC_API_KEY=dummy", "CODEX_HOME=/home/user/.codex", "ABURN_HOME=/home/user/archive")
	lines := strings.Split(strings.TrimSpace(got), "\n")
	if lines[0] != "ingest --if-idle --quiet --settle 2s" {
		t.Errorf("started as %q", lines[0])
	}
	for _, want := range []string{"HOME=" + a.Home, "CODEX_HOME=/home/user/.codex", "ABURN_HOME=/home/user/archive"} {
		if !slices.Contains(lines, want) {
			t.Errorf("%s is missing in\n%s", want, got)
		}
	}
	if strings.Contains(got, "ANTHROPIC") || strings.Contains(got, "CLAUDE_PROJECT_DIR") {
		t.Errorf("it got what is not its business:\n%s", got)
	}
	if ids := strings.Fields(lines[len(lines)-1]); len(ids) != 3 || ids[0] != ids[1] || ids[2] != "19" {
		t.Errorf("pid, session and niceness are %v", ids)
	}
}

// A repository's settings must not bring everybody's sessions into the repository.
func TestArchiveStaysOutOfTheProject(t *testing.T) {
	a := newArchiver(t)
	a.trust()
	if err := os.Symlink(a.Project, filepath.Join(a.Home, "link")); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{a.Project, filepath.Join(a.Project, "new", "folder"), filepath.Join(a.Home, "link", "x"), "relative"} {
		got := a.started("SessionEnd", "ABURN_HOME="+dir, "XDG_DATA_HOME="+dir)
		if strings.Contains(got, "ABURN_HOME") || strings.Contains(got, "XDG_DATA_HOME") {
			t.Errorf("with %s:\n%s", dir, got)
		}
	}
}

// A hook that is registered with the person's folders uses those, wherever the variables of a repository's settings lead.
func TestRegisteredFolders(t *testing.T) {
	lab.Slow(t)
	a := newArchiver(t)
	evil := filepath.Join(t.TempDir(), "evil")
	var vars []string
	for _, name := range []string{"HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "ABURN_HOME"} {
		vars = append(vars, name+"="+evil)
	}
	a.trust()
	a.args = append(a.args, project.FolderArgs(func(name string) string {
		return map[string]string{"HOME": a.Home, "ABURN_HOME": a.Home + "/my archive"}[name]
	})...)
	lines := strings.Split(a.started("SessionEnd", vars...), "\n")
	if !slices.Contains(lines, "HOME="+a.Home) || !slices.Contains(lines, "ABURN_HOME="+a.Home+"/my archive") ||
		strings.Contains(strings.Join(lines, "\n"), evil) {
		t.Errorf("the ingest got\n%s", strings.Join(lines, "\n"))
	}
	// A mark in the state folder that the variables name is nobody's.
	if err := project.Unmark(a.Project); err != nil {
		t.Fatal(err)
	}
	t.Setenv("XDG_STATE_HOME", evil)
	if err := project.Mark(a.Project); err != nil {
		t.Fatal(err)
	}
	a.env = append(a.env, vars...)
	a.startsNone("SessionEnd", "by a mark that the variables name")
}

// Neither must they say how long the archive is kept, by settings of a user that are not the user's, or where home is.
func TestSettingsStayOutOfTheProject(t *testing.T) {
	proj, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	below := filepath.Join(proj, "home")
	for _, c := range []struct{ env, want string }{
		{"HOME=" + below + " CODEX_HOME=" + below, "CODEX_HOME=" + below},
		{"HOME=/home/user XDG_CONFIG_HOME=" + below + " XDG_STATE_HOME=" + below + " TMPDIR=" + below, "HOME=/home/user"},
		{"HOME=/home/user XDG_CONFIG_HOME=/home/user/config", "XDG_CONFIG_HOME=/home/user/config HOME=/home/user"},
		{"HOME=" + proj, "HOME=" + proj}, // the project is the user's home
	} {
		vars := map[string]string{}
		for _, v := range strings.Fields(c.env) {
			name, value, _ := strings.Cut(v, "=")
			vars[name] = value
		}
		if got := strings.Join(archiveEnv(func(name string) string { return vars[name] }, proj, proj), " "); got != c.want {
			t.Errorf("of %s: %s", c.env, got)
		}
	}
}

// Who does not want it is not given it, and neither a missing nor a broken aburn is the agent's business.
func TestNoIngest(t *testing.T) {
	a := newArchiver(t)
	a.trust()
	config := filepath.Join(a.Home, ".config", "aburn")
	if err := os.MkdirAll(config, 0o700); err != nil {
		t.Fatal(err)
	}
	settings := filepath.Join(config, "settings.json")
	if err := os.WriteFile(settings, []byte(`{"archive":{"at_session_end":false}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	a.startsNone("SessionEnd", "against the user's will")
	if err := os.Remove(settings); err != nil {
		t.Fatal(err)
	}
	aburn := filepath.Join(filepath.Dir(a.hook), "aburn")
	if err := os.WriteFile(aburn, []byte("no program"), 0o755); err != nil {
		t.Fatal(err)
	}
	a.send("SessionEnd")
	if err := os.Remove(aburn); err != nil {
		t.Fatal(err)
	}
	a.send("SessionEnd")
	if got := a.events(); strings.Count(got, "SESSION_END") != 3 {
		t.Errorf("recorded:\n%s", got)
	}
}
