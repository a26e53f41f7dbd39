package main

import (
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

// many is what a scripted agent leaves running: a session of its own, one in another folder, one that ignores every request,
// and one that kept nothing of its environment, in a session that it shares.
const many = `setsid sleep 600 & (cd / && exec setsid sleep 601) & (trap '' TERM HUP; exec setsid sleep 602) & (trap '' HUP; sleep 606 & exec env -i ` +
	`sleep 603) & `

// runsAs waits until the processes with these command lines run, and gives their numbers.
func (s *site) runsAs(commands ...string) (pids []int) {
	s.Helper()
	for _, want := range commands {
		s.until(want+" runs", func() bool {
			for _, pid := range proc.All() {
				line, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/cmdline")
				if strings.ReplaceAll(strings.TrimSuffix(string(line), "\x00"), "\x00", " ") == want && s.below(pid) {
					pids = append(pids, pid)
					return true
				}
			}
			return false
		})
	}
	return pids
}

// below reports whether a process is of this site: by its environment, or by that of its parent.
func (s *site) below(pid int) bool {
	_, parent, _ := proc.Parent(pid)
	return proc.Environ(pid, "HOME") == s.home || proc.Environ(parent, "HOME") == s.home
}

func lives(pid int) bool {
	_, ok := proc.Lookup(pid)
	return ok
}

// stranger runs a process in a folder with a mark of its own.
func (s *site) stranger(dir, mark string) *exec.Cmd {
	s.Helper()
	cmd := s.command("sleep", "660")
	cmd.Dir, cmd.Env = dir, []string{"PATH=" + os.Getenv("PATH")}
	if mark != "" {
		cmd.Env = append(cmd.Env, "ABURN_WORKER="+mark)
	}
	s.must(cmd.Start())
	s.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	return cmd
}

func (s *site) spawned(name, do string) overview.WorkerReport {
	s.Helper()
	cmd := s.command("aburn", "spawn", "--env", "DO", "--name", name, "task")
	cmd.Env = append(cmd.Env, "DO="+do)
	if out, err := cmd.CombinedOutput(); err != nil {
		s.Fatalf("%v: %s", err, out)
	}
	s.until(name+" works", s.is(name, "working"))
	return s.reportOf(name)
}

func (s *site) reportOf(name string) (w overview.WorkerReport) {
	s.Helper()
	list := s.workers()
	i := slices.IndexFunc(list, func(w overview.WorkerReport) bool { return w.Worker == name })
	if i < 0 {
		s.Fatalf("%s is not among %+v", name, list)
	}
	return list[i]
}

// TestKilledHolderLeavesNothing: a holder is killed with -9, and its agent with it. ps says which processes are left, and each command
// that ends workers ends them, before a tree is removed. Strangers in the tree, and those with another mark, live on.
func TestKilledHolderLeavesNothing(t *testing.T) {
	world.Slow(t)
	for _, end := range [][]string{{"cleanup", "w"}, {"kill", "w"}, {"kill", "--all", "--yes"}, {"daemon", "stop", "--yes"}} {
		t.Run(strings.Join(end, " "), func(t *testing.T) {
			t.Parallel()
			s := newSite(t)
			w := s.spawned("w", many+"sleep 604")
			pids := s.runsAs("sleep 600", "sleep 601", "sleep 602", "sleep 603")
			mark := proc.Environ(w.PID, "ABURN_WORKER")
			elsewhere := s.stranger(t.TempDir(), strings.Replace(mark, "/w/", "/v/", 1)+"0")
			strangers := []*exec.Cmd{s.stranger(w.Tree, ""), s.stranger(w.Tree, "other-00000000/w/1")}
			s.must(syscall.Kill(s.holder(w.PID), syscall.SIGKILL))
			syscall.Kill(w.PID, syscall.SIGKILL)
			s.until("ps says what is left", func() bool { return len(s.reportOf("w").Left) >= 3 })
			if out := s.ok("aburn", "ps"); !strings.Contains(out, "left running") {
				t.Errorf("%s", out)
			}
			if end[0] == "cleanup" {
				s.patiently("its end is proven", func() bool {
					time.Sleep(5 * time.Second) // three looks have to lie apart
					return s.is("w", "terminated")()
				})
				if out := s.ok("aburn", "cleanup", "--dry-run", "w"); !strings.Contains(out, "would be ended") {
					t.Errorf("%s", out)
				}
				if !lives(pids[0]) {
					t.Error("a dry run ended something")
				}
			}
			out := s.ok("aburn", end...)
			for i, pid := range pids {
				if lives(pid) {
					t.Errorf("sleep 60%d runs after %q: %s", i, end, out)
				}
			}
			for i, cmd := range strangers {
				if !lives(cmd.Process.Pid) {
					t.Errorf("stranger %d was ended by %q: %s", i, end, out)
				}
			}
			if named := len(end) > 1 && end[1] == "w"; lives(elsewhere.Process.Pid) != named {
				t.Errorf("what carries a mark of no known worker: %v after %q: %s", lives(elsewhere.Process.Pid), end, out)
			}
			if end[0] == "cleanup" && fileExists(w.Tree) {
				t.Errorf("%s", out)
			}
			if left := s.reportOf("w").Left; len(left) > 0 {
				t.Errorf("%+v", left)
			}
		})
	}
}

// TestLedgerIsGone: a ledger is emptied, overwritten or removed while the agent runs. ps lists the agent with its process and its tree,
// and it is ended by its name.
func TestLedgerIsGone(t *testing.T) {
	for name, damage := range map[string]func(dir string) error{
		"emptied": func(dir string) error { return os.Truncate(filepath.Join(dir, "ledger.jsonl"), 0) },
		"zeroed": func(dir string) error {
			return os.WriteFile(filepath.Join(dir, "ledger.jsonl"), make([]byte, 4096), 0o600)
		},
		"removed":        func(dir string) error { return os.Remove(filepath.Join(dir, "ledger.jsonl")) },
		"folder removed": os.RemoveAll,
		"state removed":  func(dir string) error { return os.RemoveAll(filepath.Join(dir, "../../..")) },
		"holder killed too": func(dir string) error {
			began, _ := os.ReadFile(filepath.Join(dir, "began.1"))
			_, rest, _ := strings.Cut(string(began), "holder ")
			pid, _ := strconv.Atoi(strings.Fields(rest)[0])
			syscall.Kill(pid, syscall.SIGKILL)
			return os.RemoveAll(dir)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t)
			w := s.spawned("w", "setsid sleep 600 & sleep 604")
			s.runsAs("sleep 600")
			dirs, _ := filepath.Glob(filepath.Join(s.home, ".local/state/aburn/workers/*/w"))
			s.must(damage(dirs[0]))
			if name == "state removed" {
				s.ok("aburn", "init")
			}
			now := s.reportOf("w")
			if now.State != "unaccounted" || now.PID == 0 || proc.Environ(now.PID, "HOME") != s.home || now.Tree != w.Tree && name != "state removed" ||
				len(now.Left) == 0 {
				t.Errorf("%+v", now)
			}
			out := s.ok("aburn", "ps")
			damaged := name == "emptied" || name == "zeroed"
			if !strings.Contains(out, "unaccounted") || !strings.Contains(out, strconv.Itoa(now.PID)) || strings.Contains(out, "damaged") != damaged {
				t.Errorf("%s", out)
			}
			if one := s.ok("aburn", "ps", "w"); !strings.Contains(one, "unaccounted") || !strings.Contains(one, "aburn kill w") {
				t.Errorf("%s", one)
			}
			doctor, _ := s.command("aburn", "doctor").CombinedOutput()
			if !strings.Contains(string(doctor), "unaccounted") || !strings.Contains(string(doctor), strconv.Itoa(now.PID)) {
				t.Errorf("%s", doctor)
			}
			end := []string{"kill", "w"}
			if name == "zeroed" {
				end = []string{"daemon", "stop", "--yes"}
			}
			s.ok("aburn", end...)
			s.noProcess()
			if left, _ := s.command("aburn", "ps", "--json").Output(); strings.Contains(string(left), "unaccounted") {
				t.Errorf("%s", left)
			}
		})
	}
}

// TestStartOnFullDisk: what looks after workers does not begin where it cannot write down which process it is, so that there is none
// that nothing ends.
func TestStartOnFullDisk(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	if s.command("unshare", "-m", "true").Run() != nil {
		t.Skip("no right to mount a file system")
	}
	state := filepath.Join(s.home, "state")
	s.must(os.MkdirAll(state, 0o700))
	s.more = append(s.more, "STATE="+state, "XDG_STATE_HOME="+state)
	const script = `mount -t tmpfs -o size=64k none "$STATE" || exit 9
mkdir -p "$STATE/aburn/daemon" && : > "$STATE/aburn/daemon/lock" && : > "$STATE/aburn/daemon/log"
[ "$1" = behind ] && echo -n x > "$STATE/aburn/daemon/log" # its room is there
dd if=/dev/zero of="$STATE/full" bs=1k 2>/dev/null
aburn daemon start > "$HOME/said" 2>&1
echo $?
rm "$STATE/full"
aburn daemon start --replace >> "$HOME/said" 2>&1
echo $?
aburn daemon stop >> "$HOME/said" 2>&1
echo $?`
	for _, log := range []string{"full", "behind"} {
		out, _ := s.command("unshare", "-m", "sh", "-c", script, "sh", log).Output()
		said, _ := os.ReadFile(filepath.Join(s.home, "said"))
		if string(out) != "1\n0\n0\n" || !strings.Contains(string(said), "no space left") {
			t.Errorf("%s: %s%s", log, out, said)
		}
		s.noProcess()
	}
}

// TestBoardShowsWhatIsLeft: the board says of processes that no holder holds what ps says, in the same words: of a worker whose holder
// was killed, and of one that has no ledger any more.
func TestBoardShowsWhatIsLeft(t *testing.T) {
	world.Slow(t)
	t.Parallel()
	s, w := newBoard(t)
	s.shim("claude", scripted)
	one := s.spawned("one", "setsid sleep 600 & sleep 604")
	left := s.runsAs("sleep 600")[0]
	s.spawned("two", "sleep 605")
	dirs, _ := filepath.Glob(filepath.Join(s.home, ".local/state/aburn/workers/*"))
	s.must(os.RemoveAll(filepath.Join(dirs[0], "two")))
	s.must(syscall.Kill(s.holder(one.PID), syscall.SIGKILL))
	syscall.Kill(one.PID, syscall.SIGKILL)
	s.until("ps says what is left", func() bool { return len(s.reportOf("one").Left) == 1 })
	w.serve("--no-ingest")
	page := w.until("/", s.strayWords("two"))
	if needs := zone(t, page, "needs"); !strings.Contains(needs, "unaccounted: process") || !strings.Contains(needs, " (aburn kill two)") {
		t.Errorf("what no ledger knows does not need its person:\n%s", needs)
	}
	for _, want := range []string{"1 process left running", strconv.Itoa(left) + " (sleep): no holder has them (aburn kill one)"} {
		if !strings.Contains(page, want) {
			t.Errorf("the board lacks %q:\n%s", want, page)
		}
	}
	if strings.Contains(page, "/two\"") {
		t.Error("a worker without a ledger has a link to a page that is not there")
	}
	w.until("/w/"+filepath.Base(dirs[0])+"/one", "1 process left running")
	if text := w.aburn("top", "--once", "--no-ingest"); !strings.Contains(text, "unaccounted: process") {
		t.Errorf("top: %s", text)
	}
	s.ok("aburn", "kill", "--all", "--yes")
}

// TestBoardWithoutALedger: what a worker started is shown also where no ledger of its project is left.
func TestBoardWithoutALedger(t *testing.T) {
	world.Slow(t)
	t.Parallel()
	s, w := newBoard(t)
	s.shim("claude", scripted)
	s.spawned("one", "sleep 605")
	dirs, _ := filepath.Glob(filepath.Join(s.home, ".local/state/aburn/workers/*/one"))
	s.must(os.RemoveAll(dirs[0]))
	w.serve("--no-ingest")
	w.until("/", s.strayWords("one"))
	s.ok("aburn", "kill", "one")
}

// strayWords is what ps says of a worker that no ledger knows.
func (s *site) strayWords(name string) string {
	s.Helper()
	for line := range strings.Lines(s.ok("aburn", "ps", name)) {
		if words, ok := strings.CutPrefix(line, "state"); ok && strings.Contains(words, "unaccounted: process ") {
			return strings.TrimSpace(words)
		}
	}
	s.Fatalf("ps does not call %s unaccounted", name)
	return ""
}
