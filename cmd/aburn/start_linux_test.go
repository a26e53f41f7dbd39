package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"aburn/internal/lab/world"
	"aburn/internal/proc"
	"aburn/worker/daemon"
	"aburn/worker/overview"
)

// mending is a scripted agent without a terminal. It changes something and says done; told that its gates failed, it mends that
// and says done again. It writes down what it is told.
const mending = `#!/bin/sh
here=$(pwd)
hook() { printf '{"session_id":"5b0c2f91","cwd":"%s",%s}' "$here" "$1" | aburn-hook claude; }
part() { printf '%s' "$line" | sed "s/.*\"$1\":\"\\([^\"]*\\)\".*/\\1/"; }
hook '"hook_event_name":"SessionStart","source":"startup"'
while IFS= read -r line; do
	uuid=$(part uuid) text=$(part content)
	printf '%s\n' "$text" >> told.tmp
	for state in queued started; do echo "{\"type\":\"command_lifecycle\",\"command_uuid\":\"$uuid\",\"state\":\"$state\"}"; done
	hook "\"hook_event_name\":\"UserPromptSubmit\",\"prompt\":\"$text\""
	echo "{\"type\":\"user\",\"isReplay\":true,\"message\":{\"role\":\"user\",\"content\":\"$text\"}}"
	case $text in
	*'from the gates'*) echo x > mended; aburn done mended >&2 ;;
	*quiet) ;;
	*) echo x > made; aburn done made >&2 ;;
	esac
	hook '"hook_event_name":"Stop"'
	echo '{"type":"result","subtype":"success","is_error":false}'
	echo "{\"type\":\"command_lifecycle\",\"command_uuid\":\"$uuid\",\"state\":\"completed\"}"
done
`

// notices lets the site's person be told into a file.
func (s *site) notices(more string) {
	s.Helper()
	config := filepath.Join(s.home, ".config", "aburn", "settings.json")
	s.must(os.MkdirAll(filepath.Dir(config), 0o700))
	command, err := json.Marshal(more + "cat >> " + s.home + "/notices")
	s.must(err)
	s.must(os.WriteFile(config, []byte(`{"notify": {"desktop": false, "command": `+string(command)+`}}`), 0o600))
	s.must(os.WriteFile(filepath.Join(s.project, ".git", "info", "exclude"), []byte("*.tmp\n"), 0o600))
	s.Cleanup(func() { s.command("aburn", "daemon", "stop", "--yes").Run() })
}

func (s *site) heardOf(worker, key string) (list []daemon.NoticeReport) {
	s.Helper()
	for line := range strings.Lines(written(filepath.Join(s.home, "notices"))) {
		var n daemon.NoticeReport
		s.must(json.Unmarshal([]byte(line), &n))
		if n.Worker == worker && n.Key == key || worker == "" {
			list = append(list, n)
		}
	}
	return list
}

// patiently is until for what takes rounds that lie apart.
func (s *site) patiently(what string, ok func() bool) {
	s.Helper()
	var pause pauses
	for deadline := time.Now().Add(5 * time.Minute); !ok(); pause.next() {
		if time.Now().After(deadline) {
			log, _ := os.ReadFile(filepath.Join(s.home, ".local/state/aburn/daemon/log"))
			s.Fatalf("never: %s:\n%s", what, log)
		}
	}
}

func (s *site) is(name, state string) func() bool {
	return func() bool {
		for _, w := range s.workers() {
			if w.Worker == name {
				return w.State == state
			}
		}
		return false
	}
}

// started is the process that looks after workers.
func (s *site) started() (r daemon.Running) {
	s.Helper()
	data, err := os.ReadFile(filepath.Join(s.home, ".local/state/aburn/daemon/running.json"))
	s.must(err)
	s.must(json.Unmarshal(data, &r))
	return r
}

// TestKilledStart kills what looks after workers with -9 at each program that it starts: before and after each call of git, each
// gate and each notice. The next one does what is left: the agent is told once what its gates said, they run within their budget, and
// the person hears of the end, under one id. make test kills
// at every 19th program, from one of the first on; make test-long at each.
func TestKilledStart(t *testing.T) {
	world.Slow(t)
	t.Parallel()
	s := newSite(t)
	s.shim("claude", mending)
	// kill_at counts programs whose parent is the one that looks after workers.
	s.shim("step", `#!/bin/sh
# step WHEN PID: kills PID if it is its turn
[ -e "$HOME/kill_at" ] || exit 0
grep -qz '^--foreground$' /proc/$2/cmdline || exit 0
read -r n < "$HOME/count"; n=$((n+1)); echo $n > "$HOME/count"
read -r at < "$HOME/kill_at"
[ $n = "$at" ] || exit 0
rm "$HOME/kill_at"
kill -9 $2
`)
	git, err := exec.LookPath("git")
	s.must(err)
	s.shim("git", fmt.Sprintf("#!/bin/sh\nstep before $PPID\n%s \"$@\"; rc=$?\nstep after $PPID\nexit $rc\n", git))
	s.notices("step before $PPID; trap 'step after '$PPID EXIT; ")
	gate := "step before $PPID; echo ran >> ran.tmp; test -e mended; rc=$?; step after $PPID; exit $rc"
	every := max(1, 19/world.Storm(1))
	for n := 1 + rand.IntN(every); ; n += every {
		name := "w" + strconv.Itoa(n)
		s.ok("aburn", "spawn", "--runtime", "headless", "--trust", "--name", name, "--gate", gate, "task")
		s.must(os.WriteFile(filepath.Join(s.home, "count"), []byte("0"), 0o600))
		s.must(os.WriteFile(filepath.Join(s.home, "kill_at"), []byte(strconv.Itoa(n)), 0o600))
		s.command("aburn", "daemon", "start").Run() // it may be killed before anybody saw it
		pid := s.started().PID
		killed := func() bool { return !fileExists(filepath.Join(s.home, "kill_at")) }
		s.patiently("it is killed or all is done", func() bool { return killed() || s.is(name, "done")() && len(s.heardOf(name, "agent-done")) > 0 })
		last := !killed()
		os.Remove(filepath.Join(s.home, "kill_at"))
		if last {
			s.ok("aburn", "daemon", "stop", "--keep-workers")
		}
		s.until("it is gone", func() bool { return syscall.Kill(pid, 0) != nil })
		s.ok("aburn", "daemon", "start")
		s.patiently(name+" is done", s.is(name, "done"))
		s.until("the person hears of it", func() bool { return len(s.heardOf(name, "agent-done")) > 0 })
		s.ok("aburn", "daemon", "stop", "--keep-workers")
		s.judge(name)
		s.ok("aburn", "kill", name)
		s.ok("aburn", "cleanup", "--force-preserve", "--discard-ignored", name)
		if last {
			if n < 20 {
				t.Errorf("all was done after %d programs: the shims are not called", n)
			}
			return
		}
		if n > 400 {
			t.Fatal("it never is done by one process")
		}
	}
}

// judge checks that nothing was done twice for a worker whose gates failed once and then passed.
func (s *site) judge(name string) {
	s.Helper()
	tree := filepath.Join(s.home, ".local/state/aburn/trees")
	dirs, _ := filepath.Glob(tree + "/*/" + name)
	if len(dirs) != 1 {
		s.Fatalf("%s has trees %q", name, dirs)
	}
	told, _ := os.ReadFile(filepath.Join(dirs[0], "told.tmp"))
	ran, _ := os.ReadFile(filepath.Join(dirs[0], "ran.tmp"))
	if n := strings.Count(string(told), "from the gates"); n != 1 {
		s.Errorf("%s was told %d times what its gates said: %s", name, n, told)
	}
	if n := strings.Count(string(ran), "ran"); n < 2 || n > 3 {
		s.Errorf("gates of %s ran %d times", name, n)
	}
	ids := map[string]int{}
	for _, n := range s.heardOf(name, "agent-done") {
		ids[n.ID]++
	}
	for id, n := range ids {
		if n > 2 {
			s.Errorf("%s was told %d times", id, n)
		}
	}
	if len(ids) != 1 {
		s.Errorf("the person was told %v of %s", ids, name)
	}
}

// TestKilledServerIsOneNotice: the tmux server is killed with -9 below all workers. Each holder certifies its agent's end, a person hears of
// it once, and restore has all of them go on.
func TestKilledServerIsOneNotice(t *testing.T) {
	world.Slow(t)
	t.Parallel()
	s := newSite(t)
	s.notices("")
	n := 4 * world.Storm(1)
	for i := range n {
		cmd := s.command("aburn", "spawn", "--env", "DO", "--name", "w"+strconv.Itoa(i), "same task")
		cmd.Env = append(cmd.Env, "DO=setsid sleep 600 & sleep 600")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	s.ok("aburn", "daemon", "start")
	s.until("the workers are looked after", func() bool { return len(s.started().Projects) == 1 })
	pid, err := strconv.Atoi(strings.TrimSpace(s.ok("tmux", "-L", "aburn", "display-message", "-p", "#{pid}")))
	s.must(err)
	syscall.Kill(pid, syscall.SIGKILL)
	s.patiently("the person hears of it", func() bool { return len(s.heardOf("", "")) > 0 })
	for _, w := range s.settled() {
		if w.State != "terminated" || w.Signal == 0 {
			t.Errorf("%+v", w)
		}
	}
	s.more = append(s.more, "DO=sleep 600")
	if out := s.ok("aburn", "resume", "--all"); strings.Count(out, "resumed") != n {
		t.Errorf("%s", out)
	}
	for _, w := range s.settled() {
		s.until(w.Worker+" goes on", s.is(w.Worker, "working"))
	}
	if list := s.heardOf("", ""); len(list) != 1 || len(list[0].Others) != n-1 || list[0].Key != "agent-exited" {
		t.Errorf("%+v", list)
	}
	s.ok("aburn", "daemon", "stop", "--yes")
	s.noProcess()
}

// TestKilledHoldersAreOneNotice: the holders of all workers are killed with -9, and their agents with them. Nobody certifies an end: for two
// rounds nothing is said, then a person hears of it once, and the ends are proven one by one.
func TestKilledHoldersAreOneNotice(t *testing.T) {
	world.Slow(t)
	t.Parallel()
	s := newSite(t)
	s.notices("")
	for i := range 3 {
		cmd := s.command("aburn", "spawn", "--env", "DO", "--name", "w"+strconv.Itoa(i), "same task")
		cmd.Env = append(cmd.Env, "DO=sleep 600")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	s.ok("aburn", "daemon", "start")
	s.until("the workers are looked after", func() bool { return len(s.started().Projects) == 1 })
	panes := strings.Fields(s.ok("tmux", "-L", "aburn", "list-panes", "-a", "-F", "#{pane_pid}"))
	looks := s.started().PID
	s.must(syscall.Kill(looks, syscall.SIGSTOP)) // all die between two of its looks
	for _, line := range panes {
		pid, err := strconv.Atoi(line)
		s.must(err)
		s.must(syscall.Kill(pid, syscall.SIGKILL))
	}
	s.must(syscall.Kill(looks, syscall.SIGCONT))
	s.patiently("a person hears of it", func() bool { return len(s.heardOf("", "")) > 0 })
	s.patiently("the ends are proven", func() bool {
		for _, w := range s.workers() {
			if w.State != "terminated" || w.Reason != "runtime_lost" && w.Reason != "agent_process_exited" {
				return false
			}
		}
		return true
	})
	s.ok("aburn", "daemon", "stop")
	if list := s.heardOf("", ""); len(list) != 1 || list[0].Key != "mass-death" || len(list[0].Others) != 2 {
		t.Errorf("%+v", list)
	}
	s.noProcess()
}

// TestStartSignalsNobodyElse: what running.json says of a process that is gone leads to no signal, and keeps nobody from starting.
func TestStartSignalsNobodyElse(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.notices("")
	s.ok("aburn", "daemon", "start")
	r := s.started()
	s.must(syscall.Kill(r.PID, syscall.SIGKILL))
	s.until("it is gone", func() bool { return syscall.Kill(r.PID, 0) != nil })
	stranger := s.command("sleep", "600")
	s.must(stranger.Start())
	defer stranger.Wait()
	defer stranger.Process.Kill()
	p, _ := proc.Lookup(stranger.Process.Pid)
	for _, start := range []int64{r.Start, p.Start} { // its number was used again; and even all of it
		r.PID, r.Start = p.PID, start
		data, err := json.Marshal(r)
		s.must(err)
		s.must(os.WriteFile(filepath.Join(s.home, ".local/state/aburn/daemon/running.json"), data, 0o600))
		if out := s.ok("aburn", "daemon", "stop"); !strings.Contains(out, "no daemon was running") {
			t.Errorf("%s", out)
		}
	}
	s.ok("aburn", "daemon", "start", "--replace")
	if s.ok("aburn", "daemon", "stop"); syscall.Kill(p.PID, 0) != nil {
		t.Error("a stranger was ended")
	}
}

// TestStopWithinItsTime: an agent that ignores the request to end is killed with all that it started, and restore makes its tree
// again from what was kept, though somebody deleted it.
func TestStopWithinItsTime(t *testing.T) {
	world.Slow(t)
	t.Parallel()
	s := newSite(t)
	s.notices("")
	cmd := s.command("aburn", "spawn", "--env", "DO", "--name", "w", "task")
	cmd.Env = append(cmd.Env, `DO=echo kept > made; trap "" TERM HUP; setsid sleep 600 & while :; do sleep 1; done`)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	s.ok("aburn", "daemon", "start")
	w := s.workers()[0]
	s.until("it made something", func() bool { return written(filepath.Join(w.Tree, "made")) != "" })
	if out := s.ok("aburn", "daemon", "stop", "--yes"); !strings.Contains(out, "project/w  killed") {
		t.Errorf("%s", out)
	}
	s.noProcess()
	s.until("its tree is kept", func() bool { return s.workers()[0].Snapshots > 0 })
	s.must(os.RemoveAll(w.Tree))
	s.more = append(s.more, "DO=sleep 600")
	s.ok("aburn", "resume")
	if made, err := os.ReadFile(filepath.Join(w.Tree, "made")); err != nil || string(made) != "kept\n" {
		t.Errorf("%q, %v", made, err)
	}
	if branch := strings.TrimSpace(s.ok("git", "-C", w.Tree, "branch", "--show-current")); branch != w.Branch {
		t.Errorf("the tree stands on %q", branch)
	}
	s.until("it goes on", s.is("w", "working"))
}

// TestWhatIsMissingIsSaid: a ledger that somebody deleted, and a branch that somebody checked out, lead to no loss and no guess.
func TestWhatIsMissingIsSaid(t *testing.T) {
	world.Slow(t)
	t.Parallel()
	s := newSite(t)
	s.notices("")
	for _, name := range []string{"w", "x"} {
		cmd := s.command("aburn", "spawn", "--env", "DO", "--name", name, "task")
		cmd.Env = append(cmd.Env, `DO=echo kept > made; sleep 600`)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	s.ok("aburn", "daemon", "start")
	s.until("they are looked after", func() bool { return len(s.started().Projects) == 1 })
	for _, w := range s.workers() {
		s.until(w.Worker+" made something", func() bool { return written(filepath.Join(w.Tree, "made")) != "" })
	}
	dirs, err := filepath.Glob(s.home + "/.local/state/aburn/workers/*/x")
	s.must(err)
	s.must(os.Rename(filepath.Join(dirs[0], "ledger.jsonl"), filepath.Join(s.home, "away")))
	var of overview.WorkerReport
	for _, w := range s.workers() {
		if w.Worker == "x" {
			of = w
		}
	}
	if of.State != "unaccounted" || of.PID == 0 || of.Tree == "" {
		t.Errorf("%+v", of)
	}
	s.must(os.Rename(filepath.Join(s.home, "away"), filepath.Join(dirs[0], "ledger.jsonl")))
	s.until("x is known again", s.is("x", "working"))
	s.ok("aburn", "daemon", "stop", "--yes")
	w := s.workers()[0]
	s.until("its tree is kept", func() bool { return s.workers()[0].Snapshots > 0 })
	s.must(os.RemoveAll(w.Tree))
	s.ok("git", "worktree", "prune")
	s.ok("git", "switch", "-q", w.Branch)
	s.more = append(s.more, "DO=sleep 600")
	out, err := s.command("aburn", "resume", "w").CombinedOutput()
	if err != nil || !strings.Contains(string(out), "its tree stands on no branch, as "+w.Branch+" moved or is checked out elsewhere") {
		t.Errorf("%v: %s", err, out)
	}
	if made, err := os.ReadFile(filepath.Join(w.Tree, "made")); err != nil || string(made) != "kept\n" {
		t.Errorf("%q, %v", made, err)
	}
}

// TestInterruptedStart: an interrupt in the foreground ends the workers too; a second one leaves those alone that live.
func TestInterruptedStart(t *testing.T) {
	world.Slow(t)
	t.Parallel()
	for _, twice := range []bool{false, true} {
		s := newSite(t)
		s.notices("")
		cmd := s.command("aburn", "spawn", "--env", "DO", "--name", "w", "task")
		cmd.Env = append(cmd.Env, `DO=trap "" TERM HUP; while :; do sleep 1; done`)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		fore := s.command("aburn", "daemon", "start", "--foreground")
		var out strings.Builder
		fore.Stdout, fore.Stderr = &out, &out
		s.must(fore.Start())
		s.until("it runs", func() bool {
			return fileExists(filepath.Join(s.home, ".local/state/aburn/daemon/running.json")) && len(s.started().Projects) == 1
		})
		holder := s.holder(s.workers()[0].PID)
		if twice { // a holder that stands still ends nobody before the second interrupt
			s.must(syscall.Kill(holder, syscall.SIGSTOP))
		}
		s.must(fore.Process.Signal(os.Interrupt))
		if twice {
			s.until("it ends the worker", func() bool { return fileExists(filepath.Join(s.home, ".local/state/aburn/daemon/last-stop.json")) })
			s.must(fore.Process.Signal(os.Interrupt))
		}
		err := fore.Wait()
		syscall.Kill(holder, syscall.SIGCONT)
		switch {
		case twice && (err == nil || !strings.Contains(out.String(), "ends at once; running workers keep running")):
			t.Errorf("%v: %s", err, &out)
		case !twice && (err != nil || !strings.Contains(out.String(), "project/w  killed")):
			t.Errorf("%v: %s", err, &out)
		}
		s.command("aburn", "kill", "w").Run()
		s.noProcess()
	}
}
