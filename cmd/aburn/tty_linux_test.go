package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	synth "aburn/internal/lab/synth/archived"
	"aburn/internal/lab/world"
	"aburn/internal/plain"
)

// onTerminal runs aburn on a terminal of 80 columns and returns what that shows.
func onTerminal(t *testing.T, dir string, env []string, args ...string) string {
	t.Helper()
	return typing(t, "", dir, env, args...)
}

// typing is onTerminal with somebody at the keyboard.
func typing(t *testing.T, typed, dir string, env []string, args ...string) string {
	t.Helper()
	return onColumns(t, 80, typed, dir, env, args...)
}

// onColumns is typing on a terminal that is so wide.
func onColumns(t *testing.T, columns uint16, typed, dir string, env []string, args ...string) string {
	t.Helper()
	master, slave := openTerminal(t, columns)
	defer master.Close()
	cmd := aburnIn(dir, args...)
	cmd.Env = append(append(cmd.Env, "PAGER=cat"), env...)
	cmd.Stdin, cmd.Stdout = slave, slave
	if _, err := master.WriteString(typed); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	slave.Close()
	shown, _ := io.ReadAll(master) // EIO when the last one at the other end is gone
	cmd.Wait()
	return strings.ReplaceAll(string(shown), "\r\n", "\n")
}

// openTerminal is a terminal that is so wide, and its other end.
func openTerminal(t *testing.T, columns uint16) (master, slave *os.File) {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skipf("this machine has no /dev/ptmx: %v", err)
	}
	if err := unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	n, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	slave, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.IoctlSetWinsize(int(slave.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 40, Col: columns}); err != nil {
		t.Fatal(err)
	}
	return master, slave
}

// A folder that holds the home directory becomes a project only if a person says so.
func TestInitAsksOnATerminal(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, step := range []struct {
		typed string
		made  bool
	}{{"\n", false}, {"n\n", false}, {"y\n", true}} {
		shown := typing(t, step.typed, dir, nil, "init")
		_, err := os.Stat(filepath.Join(dir, ".oss"))
		if made := err == nil; made != step.made || !strings.Contains(shown, "make it a project? [y/N] ") {
			t.Fatalf("answered %q: made %t\n%s", step.typed, made, shown)
		}
	}
	if shown := typing(t, "", dir, nil, "init"); !strings.Contains(shown, "nothing to do") {
		t.Errorf("once more: %s", shown)
	}
}

func TestColoursOnATerminal(t *testing.T) {
	t.Parallel()
	world.Unshared(t)
	dir := newProject(t)
	if out, err := aburnIn(dir, "log", "plan", "COMPLETE", "--summary", "done").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, c := range []struct {
		name   string
		env    []string
		args   []string
		colour bool
	}{
		{"by default", nil, []string{"tail"}, true},
		{"--no-color", nil, []string{"--no-color", "tail"}, false},
		{"--no-color behind the command", nil, []string{"tail", "--no-color"}, false},
		{"NO_COLOR", []string{"NO_COLOR=1"}, []string{"tail"}, false},
		{"TERM=dumb", []string{"TERM=dumb"}, []string{"tail"}, false},
	} {
		shown := onTerminal(t, dir, c.env, c.args...)
		if !strings.Contains(shown, "COMPLETE") || strings.Contains(shown, "\x1b[") != c.colour {
			t.Errorf("%s: %q", c.name, shown)
		}
	}
}

// On a narrow terminal no line of an answer wraps, and --raw and --get, which
// pass on to files and pipes what the log holds, cannot move it either.
func TestAnswersFitATerminal(t *testing.T) {
	world.Unshared(t)
	t.Parallel()
	dir := newProject(t)
	long := strings.Repeat("long words ", 30)
	for _, args := range [][]string{
		{"log", "plan", "START", "--summary", long, "--session", strings.Repeat("s", 100)},
		{"log", "plan", "COMPLETE", "--summary", long, "--output", "a/" + strings.Repeat("deep/", 20) + "file.md", "--next", "build", "--session",
			strings.Repeat("s", 100)},
	} {
		os.MkdirAll(filepath.Join(dir, "a", strings.Repeat("deep/", 20)), 0o755)
		os.WriteFile(filepath.Join(dir, "a", strings.Repeat("deep/", 20), "file.md"), []byte("x"), 0o644)
		if out, err := aburnIn(dir, args...).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	if out, err := aburnIn(dir, "log", "build", "FAILED", "--error", long, "--session", strings.Repeat("s", 100)).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, command := range []string{"tail", "query", "log stats", "status", "verify", "chain", "templates list", "supervisor",
		"supervisor --explain explicit_failure", "supervisor report"} {
		shown := onTerminal(t, dir, []string{"NO_COLOR=1"}, strings.Fields(command)...)
		for line := range strings.Lines(shown) {
			if w := plain.Width(strings.TrimSuffix(line, "\n")); w > 80 && !strings.HasPrefix(line, dir) {
				t.Errorf("%s: %d cells: %q", command, w, line)
			}
		}
	}
	if err := os.WriteFile(filepath.Join(dir, ".oss", "workflow.log"), []byte(
		`{"ts":"2026-11-21T11:00:00.000Z","cmd":"plan","event":"COMPLETE","data":{"summary":"a\u001b[2J\u009bb`+"\u202e"+`"}}`+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"tail", "--raw"}, {"query", "--raw"}, {"query", "--get", "data.summary"}} {
		if shown := onTerminal(t, dir, []string{"NO_COLOR=1"}, args...); !strings.Contains(shown, "b") || strings.ContainsAny(shown, "\x1b\u009b\u202e") {
			t.Errorf("%v: %q", args, shown)
		}
	}
}

// What the archive's commands print fits a narrow terminal, too. Paths of files stay whole.
func TestArchiveFitsATerminal(t *testing.T) {
	world.Slow(t)
	t.Parallel()
	dir := t.TempDir()
	if err := os.CopyFS(filepath.Join(dir, "home"), os.DirFS("testdata/store/home")); err != nil {
		t.Fatal(err)
	}
	if out, err := aburnIn(dir, "ingest").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, command := range []string{"sessions", "show 5b0c2f91", "show 77d1a0e4", "show 5b0c2f91 --calls",
		"graph", "graph 5b0c --top failures", "graph --top duration", "tools",
		"tools --failed", "report --full"} {
		for _, noColor := range []string{"1", ""} {
			shown := onTerminal(t, dir, []string{"NO_COLOR=" + noColor, "TERM=xterm"}, strings.Fields(command)...)
			if !strings.Contains(shown, "5b0c2f91") || strings.Contains(shown, "\x1b[") != (noColor == "") {
				t.Errorf("%s, NO_COLOR=%s: %q", command, noColor, shown)
			}
			for line := range strings.Lines(shown) {
				if w := plain.Width(strings.TrimSuffix(line, "\n")); noColor == "1" && w > 80 && !strings.HasPrefix(line, "read from") &&
					!strings.HasPrefix(line, "continue") {
					t.Errorf("%s: %d cells: %q", command, w, line)
				}
			}
		}
	}
}

// A report of everything that there can be in one fits a narrow terminal, and names nothing that is not there.
func TestReportFitsATerminal(t *testing.T) {
	world.Unshared(t)
	t.Parallel()
	dir := t.TempDir()
	truth, err := synth.Make(t.Context(), dir, synth.Options{Units: 300, Seed: 1, Now: time.Now()})
	if err != nil {
		t.Fatal(err)
	}
	var keys [2]string // the first of a shape and of an error
	env := []string{"TERM=xterm", "ABURN_HOME=" + filepath.Join(dir, synth.ArchiveDir)}
	for _, noColor := range []string{"1", ""} {
		shown := onTerminal(t, dir, append(env, "NO_COLOR="+noColor), "report", "--limit", "0")
		if strings.Contains(shown, "\x1b[") != (noColor == "") {
			t.Errorf("NO_COLOR=%s: %q", noColor, shown)
		}
		if noColor == "" {
			continue
		}
		for line := range strings.Lines(shown) {
			if w := plain.Width(strings.TrimSuffix(line, "\n")); w > 80 {
				t.Errorf("%d cells: %q", w, line)
			}
			words := strings.Fields(line)
			for i, prefix := range []string{"f1-", "e1-"} {
				if keys[i] == "" && len(words) > 0 && strings.HasPrefix(words[len(words)-1], prefix) {
					keys[i] = words[len(words)-1]
				}
			}
		}
		if next := "\n\n$ aburn replay " + keys[0] + "\n$ aburn remedy " + keys[1] + "\n"; !strings.HasSuffix(shown, next) {
			t.Errorf("it does not end with %q: %q", next, shown[max(len(shown)-200, 0):])
		}
		for _, part := range []string{"inferred outcome: ", "agents", "failing, by shape", "by main error", "errors by class",
			"files changed again and again", "tools", "longest calls", "tokens that failures cost", "phases of the workflow", "by week"} {
			if !strings.Contains(shown, "\n"+part) {
				t.Errorf("no part %q in\n%s", part, shown)
			}
		}
	}
	if truth.Failing == 0 || keys[1] == "" {
		t.Fatalf("%d fail, and the keys are %q", truth.Failing, keys)
	}
	// A narrower one gets fewer columns, and all keys whole.
	for line := range strings.Lines(onColumns(t, 60, "", dir, append(env, "NO_COLOR=1"), "report", "--limit", "0")) {
		if w := plain.Width(strings.TrimSuffix(line, "\n")); w > 60 {
			t.Errorf("%d cells of 60: %q", w, line)
		}
	}
	note := strings.Repeat("tried another registry ", 10)
	onTerminal(t, dir, append(env, "NO_COLOR=1"), "remedy", "--applied", keys[1], "--note", note)
	shown := onTerminal(t, dir, append(env, "NO_COLOR=1"), "report", "--full")
	_, tried, found := strings.Cut(shown, "\nremedies that were tried\n")
	if !found || !strings.Contains(tried, keys[1]) || !strings.Contains(tried, "insufficient data") || !strings.Contains(tried, "observation, not proof") {
		t.Errorf("what was tried is shown as %q", tried)
	}
	for line := range strings.Lines(tried) {
		if w := plain.Width(strings.TrimSuffix(line, "\n")); w > 80 {
			t.Errorf("%d cells: %q", w, line)
		}
	}
}

// A change to settings files is shown, and on a terminal somebody has to want it. Before the question stands what happens
// to which file; d shows it line by line.
func TestInstallAsksOnATerminal(t *testing.T) {
	world.Slow(t)
	t.Parallel()
	dir := newProject(t)
	bin := filepath.Join(dir, "home", "bin")
	settings := filepath.Join(dir, "home", ".claude", "settings.json")
	for _, d := range []string{bin, filepath.Dir(settings)} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(bin, "aburn-hook"), []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	env := []string{"PATH=" + bin + ":" + os.Getenv("PATH")}
	there := func() bool { _, err := os.Stat(settings); return err == nil }
	const diff = `"PreToolUse"`
	for _, step := range []struct {
		typed, command string
		asks           int // how often
		diffs, want    bool
	}{
		{"\n", "install-hooks", 1, false, false},
		{"n\n", "install-hooks", 1, false, false},
		{"d\nn\n", "install-hooks", 2, true, false},
		{"n\n", "install-hooks --diff", 1, true, false},
		{"diff\ny\n\n", "install-hooks", 2, true, true},
		{"n\n", "uninstall-hooks", 1, false, true},
		{"d\nyes\n", "uninstall-hooks", 2, true, false},
		{"y\n", "install-hooks", 1, false, true},
		{"y\n", "uninstall-hooks", 1, false, false},
		{"", "install-hooks --yes", 0, true, true},
		{"", "uninstall-hooks -y", 0, true, false},
	} {
		shown := typing(t, step.typed, dir, append(env, "NO_COLOR=1"), strings.Fields(step.command)...)
		if n := strings.Count(shown, "Write these changes? [y/N, d: diff]"); n != step.asks || strings.Contains(shown, diff) != step.diffs {
			t.Errorf("%s, answered %q: asked %d times: %s", step.command, step.typed, n, shown)
		}
		summary := "+17 hooks for Claude Code in ~/.claude/settings.json (new file)\n" +
			"The hooks call ~/.local/share/aburn/bin/aburn-hook. Nothing else in these files\n" +
			"changes.\n"
		if strings.HasPrefix(step.command, "un") {
			summary = "-17 hooks for Claude Code in ~/.claude/settings.json (removes the file)\nEach file will be byte for byte as before the install.\n"
		}
		if n := strings.Count(shown, summary); n != step.asks {
			t.Errorf("%s: the summary is shown %d times, not before each question: %s", step.command, n, shown)
		}
		if there() != step.want {
			t.Fatalf("%s, answered %q: settings there: %v", step.command, step.typed, there())
		}
	}
}

// Which projects are recorded is asked once, after the change was agreed to, and its answer is saved. What Codex will ask is said before.
func TestInstallAsksWhatToRecord(t *testing.T) {
	t.Parallel()
	for answer, want := range map[string]string{"y\n": "everywhere", "\n": "marked"} {
		dir := newProject(t)
		bin := filepath.Join(dir, "home", "bin")
		for _, d := range []string{bin, filepath.Join(dir, "home", ".codex")} {
			if err := os.MkdirAll(d, 0o755); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.WriteFile(filepath.Join(bin, "aburn-hook"), []byte("#!/bin/sh\n"), 0o755); err != nil {
			t.Fatal(err)
		}
		env := []string{"PATH=" + bin + ":/usr/bin:/bin", "NO_COLOR=1"}
		const question = "Record each git repository that you work in, not only "
		shown := typing(t, "y\n"+answer, dir, env, "install-hooks")
		before, _, asked := strings.Cut(shown, "Write these changes?")
		const trust = "Codex asks you to trust these hooks before it runs them: start codex, /hooks, t"
		if !asked || strings.Count(shown, question) != 1 || !strings.Contains(before, trust) {
			t.Errorf("it shows\n%s", shown)
		}
		text, err := os.ReadFile(filepath.Join(dir, "home", ".config", "aburn", "settings.json"))
		if err != nil || string(text) != "{\n  \"record\": \""+want+"\"\n}\n" {
			t.Errorf("answered %q: %v %s", answer, err, text)
		}
		typing(t, "y\n", dir, env, "uninstall-hooks")
		if shown := typing(t, "y\n", dir, env, "install-hooks"); strings.Contains(shown, question) {
			t.Errorf("it asks again:\n%s", shown)
		}
	}
}

// What the doctor says is folded under its own column; only a path may be wider than the terminal.
func TestDoctorOnATerminal(t *testing.T) {
	t.Parallel()
	shown := onTerminal(t, newProject(t), []string{"NO_COLOR=1"}, "doctor")
	for line := range strings.Lines(shown) {
		if line = strings.TrimSuffix(line, "\n"); plain.Width(line) > 80 && strings.Contains(strings.TrimSpace(line[16:]), " ") {
			t.Errorf("%d cells: %q", plain.Width(line), line)
		}
	}
	if !strings.Contains(shown, "\n                ") {
		t.Errorf("nothing is folded: %s", shown)
	}
}
