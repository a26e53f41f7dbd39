package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"aburn/internal/lab/world"
	"aburn/internal/proc"
	"aburn/worker/overview"
)

// Processes that spawn the same task at once each get a worker of its own. Killing all leaves nothing.
func TestSpawnTogether(t *testing.T) { onRuntimes(t, spawnTogether) }

func spawnTogether(g *ground) {
	var wg sync.WaitGroup
	n := world.Storm(4)
	for range n {
		wg.Go(func() {
			args := g.spawning("", "WORK on the same")
			args = append(args[:3], args[5:]...) // without a name
			if out, err := g.command("aburn", args...).CombinedOutput(); err != nil {
				g.Errorf("%v: %s", err, out)
			}
		})
	}
	wg.Wait()
	g.until("each was told", func() bool { return count(g.told(), "WORK on the same") >= n })
	names := g.living()
	if len(names) != n || count(g.told(), "WORK on the same") != n {
		g.Fatalf("%d workers of %d, told %q", len(names), n, g.told())
	}
	g.settled()
	if out := g.ok("aburn", append([]string{"kill"}, names...)...); strings.Count(out, "killed") != n {
		g.Error(out)
	}
	g.at.noProcess()
	g.ok("aburn", "cleanup", "--force-preserve")
	for _, w := range g.settled() {
		if w.Reason != "manually_killed" || !w.Removed || fileExists(w.Tree) {
			g.Errorf("%+v", w)
		}
	}
}

// kill -9 of spawn at any moment. The next look undoes it or knows the worker, whose agent has its task once. Nothing is left
// without an owner, here or there.
func TestKilledSpawn(t *testing.T) { onRuntimes(t, killedSpawn) }

func killedSpawn(g *ground) {
	longest := 800
	if g.at != g.site {
		longest = 3000
	}
	for i := range world.Storm(4) {
		cmd := g.command("aburn", g.spawning("w"+strconv.Itoa(i), fmt.Sprintf("WORK number %d.", i))...)
		g.must(cmd.Start())
		time.Sleep(time.Duration(rand.IntN(longest)) * time.Millisecond) // anywhere: no moment is asserted
		cmd.Process.Kill()
		cmd.Wait()
	}
	open := "never looked"
	g.until("each spawn is undone or known", func() bool {
		open = ""
		for _, w := range g.settled() {
			told := count(g.told(), "WORK number "+w.Worker[1:]+".")
			if told > 1 {
				g.Fatalf("%s has its task %d times", w.Worker, told)
			}
			if w.State != "terminated" && told == 0 || w.State == "terminated" && w.PID == 0 && !w.Removed {
				open += " " + w.Worker + " " + w.State
			}
		}
		return open == "" && g.stranded() == ""
	})
	if names := g.living(); len(names) > 0 {
		g.ok("aburn", append([]string{"kill"}, names...)...)
	}
	g.at.noProcess()
	g.ok("aburn", "cleanup", "--force-preserve")
	g.settled()
}

// The agent ends with all that it started, and nothing else. What is asked of it afterwards is refused.
func TestKill(t *testing.T) { onRuntimes(t, killWorker) }

func killWorker(g *ground) {
	g.begin("WORK")
	g.untilIs("working", inState("working"))
	w := g.workers()[0]
	stranger := g.at.command("sleep", "600")
	stranger.Dir = w.Tree
	g.must(stranger.Start())
	defer stranger.Wait()
	defer stranger.Process.Kill()
	if out := g.ok("aburn", "kill", "w"); !strings.Contains(out, "w  killed") {
		g.Error(out)
	}
	if _, lives := proc.Lookup(stranger.Process.Pid); !lives {
		g.Error("a stranger in the tree was ended")
	}
	stranger.Process.Kill()
	stranger.Wait()
	g.at.noProcess()
	if w := g.workers()[0]; w.State != "terminated" || w.Reason != "manually_killed" {
		g.Errorf("%+v", w)
	}
	if out := g.ok("aburn", "kill", "w"); !strings.Contains(out, "w  had ended already: killed") {
		g.Error(out)
	}
	for _, args := range [][]string{{"interrupt", "w"}, {"send", "w", "text"}} {
		if out, err := g.command("aburn", args...).CombinedOutput(); err == nil || !strings.Contains(string(out), "ended") {
			g.Errorf("%q: %v: %s", args, err, out)
		}
	}
}

// kill -9 of a holder: nobody is called dead at once. kill ends what is left, a stranger lives, and the worker goes on without
// being told its task again.
func TestKilledHolders(t *testing.T) { onRuntimes(t, killedHolder) }

func killedHolder(g *ground) {
	g.begin("begin")
	g.untilIs("idle", inState("idle"))
	w := g.workers()[0]
	stranger := g.at.command("sleep", "600")
	stranger.Dir = w.Tree
	g.must(stranger.Start())
	defer stranger.Wait()
	defer stranger.Process.Kill()
	g.must(syscall.Kill(g.holder(w.PID), syscall.SIGKILL))
	g.untilIs("detecting", func(w overview.WorkerReport) bool {
		if w.State == "terminated" {
			g.Fatalf("it was called dead at once: %+v", w)
		}
		return w.State == "detecting"
	})
	g.ok("aburn", "kill", "w")
	if _, lives := proc.Lookup(stranger.Process.Pid); !lives {
		g.Error("a stranger in the tree was ended")
	}
	stranger.Process.Kill()
	stranger.Wait()
	g.at.noProcess()
	again := []string{"resume", "w"}
	if g.via == "headless" {
		again = append(again, "--trust")
	}
	if out := g.ok("aburn", again...); !strings.Contains(out, "w  resumed · claude · "+g.via) {
		g.Error(out)
	}
	g.untilIs("going on", func(now overview.WorkerReport) bool { return now.State != "terminated" && now.PID != w.PID })
	g.accepted("and now this")
	if told := g.told(); len(told) != 2 {
		g.Errorf("told %q", told)
	}
	g.ok("aburn", "kill", "w")
	g.at.noProcess()
}

// The end of an agent may be proven after its holder was killed, before somebody says kill. What it left ends all the same.
func TestKillEndsWhatIsLeft(t *testing.T) { on(t, []string{"headless", "ssh"}, killEndsWhatIsLeft) }

func killEndsWhatIsLeft(g *ground) {
	g.begin("begin")
	g.untilIs("idle", inState("idle"))
	w := g.workers()[0]
	g.must(syscall.Kill(g.holder(w.PID), syscall.SIGKILL))
	syscall.Kill(w.PID, syscall.SIGKILL)
	g.patiently("its end is proven", func() bool {
		time.Sleep(5 * time.Second) // three looks have to lie apart
		return g.is("w", "terminated")()
	})
	if left := g.at.processes(); len(left) == 0 {
		g.Error("it left nothing: the test shows nothing")
	}
	if out := g.ok("aburn", "kill", "w"); !strings.Contains(out, "w  had ended already: ") {
		g.Error(out)
	}
	g.at.noProcess()
}

// holder is the parent of an agent.
func (s *site) holder(agent int) int {
	s.Helper()
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(agent) + "/stat")
	s.must(err)
	pid, err := strconv.Atoi(strings.Fields(string(stat)[strings.LastIndexByte(string(stat), ')')+1:])[1])
	s.must(err)
	return pid
}

// A person sees the worker's screen, types at it and leaves. The worker goes on. Its end ends the looking.
func TestAttachToScreens(t *testing.T) { onScreens(t, attachToScreen) }

func attachToScreen(g *ground) {
	g.begin("begin")
	g.untilIs("idle", inState("idle"))
	shows := func(text string) func() bool {
		return func() bool { return strings.Contains(g.outer("capture-pane", "-p"), text) }
	}
	gone := func() bool { return strings.Contains(g.outer("has-session"), "no server") }
	g.sit("attach", "w")
	g.until("its screen is seen", shows("for shortcuts"))
	g.outer("send-keys", "typed here", "Enter")
	g.until("it was told", func() bool { return count(g.told(), "typed here") == 1 })
	g.outer("send-keys", "C-b", "d")
	g.until("attach has ended", gone)
	g.untilIs("idle", inState("idle"))
	g.sit("attach", "--read-only", "w")
	g.until("its screen is seen again", shows("for shortcuts"))
	g.outer("send-keys", "not this", "Enter")
	g.ok("aburn", "kill", "w")
	g.until("attach ends with the agent", gone)
	if count(g.told(), "not this") > 0 {
		g.Error("who only looked typed")
	}
}

// settled checks that each tree and branch where agents run has a worker that owns it.
func (g *ground) settled() []overview.WorkerReport {
	g.Helper()
	list := g.workers()
	if repo := g.repository(); repo != "" {
		g.ownedIn(repo, list)
	}
	return list
}

// repository is the one whose worktrees the workers have; "" before the first.
func (g *ground) repository() string {
	if g.at == g.site {
		return g.project
	}
	return (&farSite{site: g.site, far: g.at}).repository()
}

// stranded says which workers of the other machine this one does not know as they are.
func (g *ground) stranded() (open string) {
	if g.at == g.site {
		return ""
	}
	here := map[string]string{}
	for _, w := range g.workers() {
		here[w.Worker] = w.State
	}
	for _, w := range (&farSite{site: g.site, far: g.at}).there() {
		if here[w.Worker] != w.State {
			open += fmt.Sprintf(" %s is %s there and %q here", w.Worker, w.State, here[w.Worker])
		}
		delete(here, w.Worker)
	}
	for name, state := range here {
		if state != "terminated" {
			open += " " + name + " is not there"
		}
	}
	return open
}
