package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"aburn/internal/hold"
	"aburn/internal/lab/world"
	"aburn/worker/manager"
)

// Where workers can run. The suites of spawn, send and kill hold on each: same bodies, real processes.
var (
	runtimes = []string{"tmux", "headless", "pty", "ssh"}
	screens  = []string{"tmux", "pty", "ssh"} // on these an agent sits at a screen
)

// longWait is for what processes of a slow machine do.
const longWait = 2 * time.Minute

// pauses lie between looks that start processes: short at first, as most of what is waited for comes soon.
type pauses time.Duration

func (p *pauses) next() {
	*p = min(max(*p*3/2, pauses(50*time.Millisecond)), pauses(400*time.Millisecond))
	time.Sleep(time.Duration(*p))
}

// ground is a person with a project, and one runtime.
type ground struct {
	*site
	via string
	at  *site // where the agents run: this machine, or another one
}

// onRuntimes runs a test on each runtime.
func onRuntimes(t *testing.T, test func(*ground)) { on(t, runtimes, test) }

// onScreens runs a test on each runtime in which agents sit at a screen.
func onScreens(t *testing.T, test func(*ground)) { on(t, screens, test) }

func on(t *testing.T, list []string, test func(*ground)) {
	world.Slow(t)
	t.Parallel()
	for _, via := range list {
		t.Run(via, func(t *testing.T) {
			t.Parallel()
			test(newGround(t, via))
		})
	}
}

// newGround has the scripted agent with a screen installed, which leaves a process of its own behind.
func newGround(t *testing.T, via string) *ground {
	t.Helper()
	const agent = "#!/bin/sh\nsetsid sleep 600 </dev/null >/dev/null 2>&1 &\nexec screen-agent \"$@\"\n"
	g := &ground{via: via}
	if via == "ssh" {
		far := newFarSite(t, agent)
		g.site, g.at, g.via = far.site, far.far, "ssh:box"
	} else {
		g.site = newSite(t)
		g.at = g.site
		g.shim("claude", agent)
	}
	t.Cleanup(func() {
		if names := g.living(); len(names) > 0 {
			g.command("aburn", append([]string{"kill"}, names...)...).Run()
		}
	})
	return g
}

// spawning is the call that spawns a worker here.
func (g *ground) spawning(name, task string) []string {
	args := []string{"spawn", "--runtime", g.via, "--name", name}
	if g.via == "headless" {
		args = append(args, "--trust")
	}
	return append(args, task)
}

// begin spawns the worker w, which has its task then.
func (g *ground) begin(task string) {
	g.Helper()
	if out := g.ok("aburn", g.spawning("w", task)...); !strings.Contains(out, "claude · "+g.via+" · ") {
		g.Error(out)
	}
}

// told is what the agents were told so far.
func (g *ground) told() []string {
	g.Helper()
	return g.at.told()
}

// goOn ends all WORK.
func (g *ground) goOn() { g.must(os.WriteFile(filepath.Join(g.at.home, "go"), nil, 0o600)) }

// book is a worker's folder, where it runs.
func (g *ground) book(name string) string {
	g.Helper()
	folders, _ := filepath.Glob(filepath.Join(g.at.home, ".local/state/aburn/workers/*", name))
	if len(folders) != 1 {
		g.Fatalf("folders of %s: %q", name, folders)
	}
	return folders[0]
}

// accepted sends the worker w a message that it must have then. A hook writes down that it tells a message before it prints it, so the
// agent may read it a little later.
func (g *ground) accepted(text string, flags ...string) manager.Sent {
	g.Helper()
	sent, code := g.send(append(append([]string{"--wait", longWait.String()}, flags...), "w", text)...)
	if sent.State != manager.Accepted || code != 0 {
		g.Errorf("%q: %+v, exit %d", text, sent, code)
		return sent
	}
	g.until("it was told "+sent.ID, func() bool { return count(g.told(), "[aburn "+sent.ID+"]") > 0 })
	return sent
}

// keys types at the worker's screen as a person does.
func (g *ground) keys(keys ...string) {
	g.Helper()
	text := strings.NewReplacer("Enter", "\r", "Clear", "\x15", "Machine", "\x14").Replace(strings.Join(keys, ""))
	if g.via == "tmux" {
		args := []string{"-L", "aburn", "send-keys", "-t", g.session() + ":", "-H"}
		for _, b := range []byte(text) {
			args = append(args, fmt.Sprintf("%02x", b))
		}
		g.ok("tmux", args...)
		return
	}
	v, err := hold.See(g.book("w"), 1)
	g.must(err)
	defer v.Close()
	g.must(v.Send('t', ""))
	g.must(v.Send('k', text))
	g.must(v.Send('s', ""))
	for kind := byte(0); kind != 's'; { // the keys were taken
		kind, _, err = v.Receive()
		g.must(err)
	}
}

// screen is what the screen of the worker w shows.
func (g *ground) screen() string {
	g.Helper()
	if g.via == "tmux" {
		return g.ok("tmux", "-L", "aburn", "capture-pane", "-p", "-t", g.session()+":")
	}
	shown, err := hold.Look(g.Context(), g.book("w"), 1)
	g.must(err)
	return strings.Join(shown.Lines, "\n")
}

// shows waits until the worker's screen has a text: agents draw after their hooks, and keys take their time.
func (g *ground) shows(text string) {
	g.Helper()
	g.until("its screen shows "+text, func() bool { return strings.Contains(g.screen(), text) })
}

// allow answers the worker's question as a person does, who sees it first.
func (g *ground) allow() {
	g.Helper()
	if g.via == "headless" {
		g.ok("aburn", "answer", "w", "allow")
		return
	}
	g.shows("Do you want to proceed?")
	g.keys("Enter")
}

// living are the workers that have not ended.
func (s *site) living() (names []string) {
	for _, w := range s.workers() {
		if w.State != "terminated" {
			names = append(names, w.Worker)
		}
	}
	return names
}
