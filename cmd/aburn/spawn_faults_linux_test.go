package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"aburn/internal/lab/world"
	"aburn/internal/proc"
	"aburn/worker/overview"
)

// site is a person with a project, a scripted agent and programs of a test's own in front of PATH.
type site struct {
	testing.TB
	home, project, shims string
	more                 []string
}

// scripted is an agent that leaves a process of its own behind and does what DO says.
const scripted = `#!/bin/sh
here=$(pwd)
hook() { printf '{"session_id":"5b0c2f91","cwd":"%s",%s}' "$here" "$1" | aburn-hook claude; }
hook '"hook_event_name":"SessionStart","source":"startup"'
hook '"hook_event_name":"UserPromptSubmit","prompt":"x"'
eval "$DO"
hook '"hook_event_name":"Stop"'
`

func newSite(t testing.TB) *site {
	t.Helper()
	for _, need := range []string{"git", "tmux"} {
		if _, err := exec.LookPath(need); err != nil {
			t.Skip(need + " is not installed")
		}
	}
	dir := placeOf(t)
	s := &site{TB: t, home: filepath.Join(dir, "home"), project: filepath.Join(dir, "home", "project"), shims: filepath.Join(dir, "shims")}
	for _, d := range []string{s.project, s.shims, filepath.Join(dir, "t")} {
		s.must(os.MkdirAll(d, 0o700))
	}
	s.more = []string{"TMUX_TMPDIR=" + filepath.Join(dir, "t")}
	t.Cleanup(func() { s.command("tmux", "-L", "aburn", "kill-server").Run() })
	s.shim("claude", scripted)
	for _, args := range [][]string{
		{"init", "-q", "-b", "main"}, {"config", "user.name", "T"}, {"config", "user.email", "t@example.com"}, {"commit", "-q", "--allow-empty", "-m", "first"},
	} {
		s.ok("git", args...)
	}
	s.ok("aburn", "init")
	return s
}

func (s *site) must(err error) {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
}

// shim puts a program in front of PATH.
func (s *site) shim(name, script string) {
	s.Helper()
	s.must(os.WriteFile(filepath.Join(s.shims, name), []byte(script), 0o700))
}

func (s *site) command(name string, args ...string) *exec.Cmd {
	path := s.shims + ":" + os.Getenv("PATH")
	cmd := exec.Command(name, args...)
	if shim := filepath.Join(s.shims, name); fileExists(shim) {
		cmd = exec.Command(shim, args...)
	}
	cmd.Dir = s.project
	cmd.Env = append([]string{"HOME=" + s.home, "PATH=" + path, "TESTSCRIPT_COVER_DIR=", "GORACE=" + noRaceSleep}, s.more...)
	return cmd
}

// written is the whole lines of a file that others write, "" before it is there: the last line may be on its way.
func written(path string) string {
	data, _ := os.ReadFile(path)
	return string(data[:bytes.LastIndexByte(data, '\n')+1])
}

func fileExists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func (s *site) ok(name string, args ...string) string {
	s.Helper()
	var errs strings.Builder
	cmd := s.command(name, args...)
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		s.Fatalf("%s %q: %v: %s%s", name, args, err, out, errs.String())
	}
	return string(out)
}

func (s *site) workers() (list []overview.WorkerReport) {
	s.Helper()
	s.must(json.Unmarshal([]byte(s.ok("aburn", "ps", "--all", "--json")), &list))
	return list
}

// settled checks that each tree and branch has a worker that owns it, and that no process is left without one.
func (s *site) settled() []overview.WorkerReport {
	s.Helper()
	list := s.workers()
	s.ownedIn(s.project, list)
	return list
}

// ownedIn checks the trees and branches of one repository.
func (s *site) ownedIn(repo string, list []overview.WorkerReport) {
	s.Helper()
	owned := map[string]bool{repo: true, "main": true}
	for _, w := range list {
		if !w.Removed && !(w.State == "terminated" && !fileExists(w.Tree)) {
			owned[w.Tree], owned[w.Branch] = true, true
		}
	}
	for line := range strings.Lines(s.ok("git", "-C", repo, "worktree", "list", "--porcelain")) {
		if path, ok := strings.CutPrefix(strings.TrimSpace(line), "worktree "); ok && !owned[path] {
			s.Errorf("nobody owns the tree %s: %+v", path, list)
		}
	}
	for line := range strings.Lines(s.ok("git", "-C", repo, "for-each-ref", "--format=%(refname:short)", "refs/heads")) {
		if branch := strings.TrimSpace(line); !owned[branch] {
			s.Errorf("nobody owns the branch %s: %+v", branch, list)
		}
	}
}

// noProcess waits until nothing of this site runs but what the test itself started.
func (s *site) noProcess() {
	s.Helper()
	var left []string
	none := 0
	var pause pauses
	for deadline := time.Now().Add(longWait); time.Now().Before(deadline); pause.next() {
		if left = s.processes(); len(left) > 0 {
			none = 0
		} else if none++; none == 2 { // one look misses what starts in the middle of it, and shows no variables while it does
			return
		}
	}
	s.Errorf("still there: %q", left)
}

// processes are those of the site, but for the tmux server.
func (s *site) processes() (list []string) {
	for _, pid := range proc.All() {
		if proc.Environ(pid, "HOME") != s.home {
			continue
		}
		if _, lives := proc.Lookup(pid); lives {
			command, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/cmdline")
			if !strings.HasPrefix(string(command), "tmux") {
				list = append(list, strings.ReplaceAll(string(command), "\x00", " "))
			}
		}
	}
	return list
}

// TestKilledSpawnLeavesNothing kills spawn with -9 before and after each program that it starts: each call of git, tmux,
// the holder and the agent. The next command undoes it or knows the worker.
func TestKilledSpawnLeavesNothing(t *testing.T) {
	world.Slow(t)
	for _, when := range []string{"before", "after"} {
		t.Run(when, func(t *testing.T) {
			t.Parallel()
			s := newSite(t)
			for name := range map[string]bool{"git": true, "tmux": true} {
				real, err := exec.LookPath(name)
				s.must(err)
				s.shim(name, fmt.Sprintf(`#!/bin/sh
[ -e "$HOME/kill_at" ] || exec %[1]s "$@"
read -r n < "$HOME/count"; n=$((n+1)); echo $n > "$HOME/count"
read -r at < "$HOME/kill_at"
if [ $n = "$at" ]; then
	rm "$HOME/kill_at"
	[ %[2]s = after ] && %[1]s "$@" >/dev/null 2>&1
	kill -9 $PPID
	exit 1
fi
exec %[1]s "$@"
`, real, when))
			}
			s.furnished()
			step := 1
			if testing.Short() {
				step = 4
			}
			for n := 1; ; n += step {
				s.must(os.WriteFile(filepath.Join(s.home, "count"), []byte("0"), 0o600))
				s.must(os.WriteFile(filepath.Join(s.home, "kill_at"), []byte(strconv.Itoa(n)), 0o600))
				cmd := s.command("aburn", "spawn", "--name", "w"+strconv.Itoa(n), "task")
				out, err := cmd.CombinedOutput()
				os.Remove(filepath.Join(s.home, "kill_at"))
				s.settled()
				if err == nil {
					if n < 8 {
						t.Errorf("spawn ended after %d programs: the shims are not called", n)
					}
					break
				}
				if status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); !ok || status.Signal() != syscall.SIGKILL {
					t.Fatalf("step %d: %v: %s", n, err, out)
				}
			}
			s.noProcess()
			s.noPortWithoutTree()
			// What a holder did not certify takes three looks.
			for until, said := time.Now().Add(longWait), false; ; time.Sleep(time.Second) {
				list := s.settled()
				i := slices.IndexFunc(list, func(w overview.WorkerReport) bool { return w.State != "terminated" })
				if i < 0 {
					break
				}
				if !said {
					books, _ := filepath.Glob(filepath.Join(s.home, ".local/state/aburn/workers/*", list[i].Worker, "*"))
					t.Logf("%+v\n%q\n%s", list[i], books, written(filepath.Join(filepath.Dir(books[0]), "ledger.jsonl")))
				}
				if said = true; time.Now().After(until) {
					t.Fatalf("%s never ends", list[i].Worker)
				}
			}
		})
	}
}

// furnished makes workers get a file, a port and a setup.
func (s *site) furnished() {
	s.Helper()
	config := filepath.Join(s.home, ".config", "aburn", "workers.yaml")
	s.must(os.MkdirAll(filepath.Dir(config), 0o700))
	s.must(os.WriteFile(config, []byte("copy: .env\nports: PORT\nsetup: echo $PORT > made\n"), 0o600))
	s.must(os.WriteFile(filepath.Join(s.project, ".git", "info", "exclude"), []byte(".env\n"), 0o600))
	s.must(os.WriteFile(filepath.Join(s.project, ".env"), []byte("A=1\n"), 0o600))
}

// noPortWithoutTree checks that no worker without a tree keeps a port.
func (s *site) noPortWithoutTree() {
	s.Helper()
	claims, _ := filepath.Glob(filepath.Join(s.home, ".local/state/aburn/workers/*/*/ports"))
	for _, claim := range claims {
		if name := filepath.Base(filepath.Dir(claim)); !fileExists(filepath.Join(filepath.Dir(strings.Replace(claim, "/workers/", "/trees/", 1)), ".git")) {
			s.Errorf("%s has a port and no tree", name)
		}
	}
}

// TestKilledTmuxServer: the agents end, their holders certify it, and nobody is called lost.
func TestKilledTmuxServer(t *testing.T) {
	world.Slow(t)
	t.Parallel()
	s := newSite(t)
	for range 3 {
		cmd := s.command("aburn", "spawn", "--env", "DO", "same task")
		cmd.Env = append(cmd.Env, "DO=setsid sleep 600 & sleep 600")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	pid, err := strconv.Atoi(strings.TrimSpace(s.ok("tmux", "-L", "aburn", "display-message", "-p", "#{pid}")))
	s.must(err)
	syscall.Kill(pid, syscall.SIGKILL)
	s.noProcess()
	for _, w := range s.settled() {
		if w.State != "terminated" || w.Signal == 0 || w.Exit != nil {
			t.Errorf("%+v", w)
		}
	}
}

// outer calls the tmux in which the person sits.
func (s *site) outer(args ...string) string {
	out, _ := s.command("tmux", append([]string{"-L", "outer", "-f", "/dev/null"}, args...)...).CombinedOutput()
	return string(out)
}

// sit runs aburn in a terminal of a person.
func (s *site) sit(args ...string) {
	s.Helper()
	aburn, err := exec.LookPath("aburn")
	s.must(err)
	s.more = append(s.more, "TERM=xterm")
	s.Cleanup(func() { s.outer("kill-server") })
	s.outer(append([]string{"new-session", "-d", "-x", "100", "-y", "30", "-c", s.project, "--", aburn}, args...)...)
}

func (s *site) until(what string, ok func() bool) {
	s.Helper()
	var pause pauses
	for deadline := time.Now().Add(longWait); !ok(); pause.next() {
		if time.Now().After(deadline) {
			s.Fatalf("never: %s:\n%s", what, s.outer("capture-pane", "-p"))
		}
	}
}

// TestTerminalIsClosed: the window in which spawn --attach runs is closed. The agent ends, all that it started ends, and
// the state of its tree is kept all the same.
func TestTerminalIsClosed(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.shim("claude", strings.Replace(scripted, "eval \"$DO\"", "echo half > half.txt; setsid sleep 600 & touch $HOME/up; sleep 600", 1))
	s.sit("spawn", "--attach", "--name", "w", "task")
	s.until("the agent works", func() bool { return fileExists(filepath.Join(s.home, "up")) })
	s.outer("kill-session")
	s.until("its end is certified and its state kept", func() bool {
		w := s.workers()[0]
		return w.State == "terminated" && w.Signal != 0 && w.Snapshots == 1
	})
	s.noProcess()
	s.settled()
}

// session is the only session of aburn's tmux.
func (s *site) session() string {
	return strings.TrimSpace(s.ok("tmux", "-L", "aburn", "list-sessions", "-F", "#{session_name}"))
}

// TestFullDisk spawns on file systems that are full a little later each time. A spawn that fails says so and leaves neither
// tree nor branch nor worker.
func TestFullDisk(t *testing.T) {
	world.Slow(t)
	t.Parallel()
	s := newSite(t)
	if s.command("unshare", "-m", "true").Run() != nil {
		t.Skip("no right to mount a file system")
	}
	own := filepath.Join(s.home, ".config", "aburn", "workers.yaml")
	s.must(errors.Join(os.MkdirAll(filepath.Dir(own), 0o700), os.WriteFile(own, []byte("disk: {min_free: 0}\n"), 0o600)))
	s.must(os.WriteFile(filepath.Join(s.project, "large"), make([]byte, 40<<10), 0o600))
	s.ok("git", "add", "large")
	s.ok("git", "commit", "-q", "-m", "large")
	const script = `mount -t tmpfs -o size=$1k none "$STATE" || exit 9
mkdir -p "$XDG_STATE_HOME"
aburn spawn --env DO --name w task > "$HOME/said" 2>&1
code=$?
git worktree list | wc -l; git for-each-ref refs/heads | wc -l; aburn ps --all --json
[ $code = 0 ] && aburn kill w >/dev/null
exit $code`
	state := filepath.Join(s.home, "state")
	s.must(os.MkdirAll(filepath.Join(state, "x"), 0o700))
	s.more = append(s.more, "STATE="+state, "XDG_STATE_HOME="+filepath.Join(state, "x"), "DO=sleep 600")
	failed := 0
	for size := 4; ; size += 4 {
		cmd := s.command("unshare", "-m", "sh", "-c", script, "sh", strconv.Itoa(size))
		out, _ := cmd.Output()
		said, _ := os.ReadFile(filepath.Join(s.home, "said"))
		switch code := cmd.ProcessState.ExitCode(); {
		case code == 0:
			if failed < 3 {
				t.Errorf("%d spawns failed for lack of room", failed)
			}
			s.noProcess()
			return
		case code != 1 || size > 1000:
			t.Fatalf("%d KiB: exit %d: %s%s", size, code, said, out)
		}
		failed++
		if string(out) != "1\n1\n[]\n" || !strings.Contains(string(said), "space left") && !strings.Contains(string(said), "unable to write") {
			t.Errorf("%d KiB: %s%s", size, said, out)
		}
		s.ok("git", "worktree", "prune") // what was mounted is gone
	}
}
