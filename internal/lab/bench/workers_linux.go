package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// sitting is an agent that has its task and sits at its prompt.
const sitting = `#!/bin/sh
here=$(pwd)
hook() { printf '{"session_id":"%s","cwd":"%s",%s}' "$(basename "$here")" "$here" "$1" | aburn-hook claude; }
hook '"hook_event_name":"SessionStart","source":"startup"'
hook '"hook_event_name":"UserPromptSubmit","prompt":"x"'
hook '"hook_event_name":"Stop"'
while :; do read -r line || sleep 600; done
`

// Bounds of what looks after workers, and of a holder.
const (
	idleShare  = 0.002 // of one core
	idleMemory = 40 << 20
	holdMemory = 4 << 20
	psRatio    = 3
	spawnRatio = 1.35 // of wall and of processor time
)

// workersCase measures workers: what looks after fifty idle ones, the time that a spawn and a look take, and a holder.
func workersCase(w *world, pg *page) (err error) {
	s, err := newWorkers(w)
	if s == nil || err != nil {
		return err
	}
	defer s.end()
	many, watched := 50, 60*time.Second
	if pg.brief {
		many, watched = 2, time.Second
	}
	spawns, parts, err := s.spawn(many)
	if err != nil {
		return err
	}
	share, memory, err := s.idle(pg.brief, watched)
	if err != nil {
		return err
	}
	if _, _, err := s.spawn(many); err != nil { // twice as many
		return err
	}
	ps, panes, starts, err := s.look(max(2, pg.rounds/10))
	if err != nil {
		return err
	}
	held, err := s.holders()
	if err != nil {
		return err
	}
	pg.section("Workers", fmt.Sprintf("Scripted agents in tmux, idle at their prompts. The daemon supervises %d of them for %s; `aburn ps` reads %d.",
		many, watched, 2*many))
	pg.table("what", "measured", "against", "bound")
	pg.row("`aburn daemon start`, share of a core", fmt.Sprintf("%.3f %%", 100*share), "", within(share <= idleShare, fmt.Sprintf("%.1f %%", 100*idleShare)))
	pg.row("`aburn daemon start`, memory", fmt.Sprintf("%.1f MB", float64(memory)/(1<<20)), "", within(memory <= idleMemory, fmt.Sprintf("%d MB", idleMemory>>20)))
	pg.row("`aburn-hold`, memory", fmt.Sprintf("%.1f MB", float64(held)/(1<<20)), "", within(held <= holdMemory, fmt.Sprintf("%d MB", holdMemory>>20)))
	for _, by := range []struct {
		name string
		of   func([]cost) time.Duration
	}{{"until the agent has its task", medianWall}, {"processor time", medianCPU}} {
		r := ratio(by.of(spawns), by.of(parts))
		pg.row("`aburn spawn`, "+by.name, ms(by.of(spawns)), fmt.Sprintf("%.2f × `git worktree add`, the agent's three hooks and `tmux new-session` (%s)", r,
			ms(by.of(parts))), within(r <= spawnRatio, fmt.Sprintf("%.2f ×", spawnRatio)))
	}
	r := ratio(median(ps), median(panes))
	pg.row("`aburn ps`", ms(median(ps)), fmt.Sprintf("%.2f × `tmux list-panes -a` (%s)", r, ms(median(panes))), within(r <= psRatio, fmt.Sprintf("%d ×", psRatio)))
	pg.row("`aburn --version`, which both begin with", ms(median(starts)), fmt.Sprintf("%.2f × `tmux list-panes -a`", ratio(median(starts), median(panes))), "")
	return nil
}

// workers is a project with workers.
type workers struct {
	w   *world
	dir string
	env []string
	n   int
}

// newWorkers is nil where something is missing that it needs.
func newWorkers(w *world) (*workers, error) {
	for _, need := range []string{"tmux", "git"} {
		if _, err := exec.LookPath(need); err != nil {
			return nil, nil
		}
	}
	s := &workers{w: w, dir: w.path("workers")}
	if err := w.build(".", "./cmd/aburn-hold"); err != nil {
		return nil, err
	}
	for _, d := range []string{s.dir, w.path("agents"), w.path("t")} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			return nil, err
		}
	}
	if err := os.WriteFile(w.path("agents/claude"), []byte(sitting), 0o700); err != nil {
		return nil, err
	}
	own := w.path("home/.config/aburn/workers.yaml")
	if err := errors.Join(os.MkdirAll(filepath.Dir(own), 0o700), os.WriteFile(own, []byte("max_workers: 0\n"), 0o600)); err != nil {
		return nil, err
	}
	s.env = []string{"PATH=" + w.path("agents") + ":" + w.path("bin") + ":/usr/local/bin:/usr/bin:/bin", "HOME=" + w.path("home"), "TMUX_TMPDIR=" + w.path("t"),
		"TERM=xterm"}
	for _, args := range [][]string{
		{"git", "init", "-q", "-b", "main"}, {"git", "config", "user.name", "T"}, {"git", "config", "user.email", "t@example.com"},
		{"git", "commit", "-q", "--allow-empty", "-m", "first"}, {w.bin("aburn"), "init"},
	} {
		if _, err := s.run(args...); err != nil {
			return nil, err
		}
	}
	return s, nil
}

func (s *workers) run(args ...string) (string, error) {
	out, _, err := s.costs(args...)
	return out, err
}

// costs runs a program and returns what it and the children that it waited for took.
func (s *workers) costs(args ...string) (text string, c cost, err error) {
	path := args[0]
	if !filepath.IsAbs(path) {
		if path, err = exec.LookPath(path); err != nil {
			return "", c, err
		}
	}
	cmd := exec.Command(path, args[1:]...)
	cmd.Dir, cmd.Env = s.dir, s.env
	began := time.Now()
	out, err := cmd.Output()
	c.wall = time.Since(began)
	if cmd.ProcessState != nil {
		c.cpu = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	}
	if exit, ok := err.(*exec.ExitError); ok {
		err = fmt.Errorf("%q: %w: %s", args, err, exit.Stderr)
	}
	return string(out), c, err
}

func medianWall(list []cost) time.Duration {
	return medianOf(list, func(c cost) time.Duration { return c.wall })
}

func medianCPU(list []cost) time.Duration {
	return medianOf(list, func(c cost) time.Duration { return c.cpu })
}

func medianOf(list []cost, of func(cost) time.Duration) time.Duration {
	times := make([]time.Duration, len(list))
	for i, c := range list {
		times[i] = of(c)
	}
	slices.Sort(times)
	return median(times)
}

func (s *workers) timed(args ...string) (time.Duration, error) {
	_, c, err := s.costs(args...)
	return c.wall, err
}

// spawn makes n workers, each after its parts alone: a worktree, an agent's start with its hooks, a session of tmux.
func (s *workers) spawn(n int) (spawns, parts []cost, err error) {
	for range n {
		s.n++
		tree := s.w.path(fmt.Sprintf("part%d", s.n))
		session := fmt.Sprintf("part%d", s.n)
		script := fmt.Sprintf("git worktree add -q -b part%d %s && cd %s && : | timeout 10 sh -c '%s' && tmux -L parts new-session -d -s %s sleep 600", s.n, tree,
			tree, strings.ReplaceAll(hooksOnly(), "'", `'\''`), session)
		_, part, err := s.costs("sh", "-c", script)
		if err != nil {
			return nil, nil, err
		}
		_, took, err := s.costs(s.w.bin("aburn"), "spawn", "--name", fmt.Sprintf("w%d", s.n), "task")
		if err != nil {
			return nil, nil, err
		}
		spawns, parts = append(spawns, took), append(parts, part)
	}
	return spawns, parts, nil
}

// hooksOnly is the agent's start without its waiting.
func hooksOnly() string {
	text, _, _ := strings.Cut(sitting, "while :")
	return text
}

// idle is the share of a core and the memory of what looks after workers that do nothing.
func (s *workers) idle(brief bool, watched time.Duration) (share float64, memory int64, err error) {
	if _, err := s.run(s.w.bin("aburn"), "daemon", "start"); err != nil {
		return 0, 0, err
	}
	out, err := s.run("sh", "-c", "sed -n 's/.*\"pid\": \\([0-9]*\\).*/\\1/p' "+s.w.path("home")+"/.local/state/aburn/daemon/running.json")
	if err != nil {
		return 0, 0, err
	}
	pid, err := strconv.Atoi(strings.TrimSpace(out))
	if err != nil {
		return 0, 0, err
	}
	if !brief {
		time.Sleep(40 * time.Second) // it keeps their trees once, and looks closely at first
	}
	before, err := ticks(pid)
	if err != nil {
		return 0, 0, err
	}
	time.Sleep(watched)
	after, err := ticks(pid)
	if err != nil {
		return 0, 0, err
	}
	memory, err = resident(pid)
	return float64(after-before) / 100 / watched.Seconds(), memory, err
}

// ticks is the processor time of a process and of its children that ended, in hundredths of a second.
func ticks(pid int) (n int64, err error) {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, err
	}
	fields := strings.Fields(string(data[strings.LastIndexByte(string(data), ')')+1:]))
	for _, f := range fields[11:15] { // utime, stime, cutime, cstime
		t, err := strconv.ParseInt(f, 10, 64)
		if err != nil {
			return 0, err
		}
		n += t
	}
	return n, nil
}

// resident is a process's memory in bytes.
func resident(pid int) (int64, error) {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
	if err != nil {
		return 0, err
	}
	pages, err := strconv.ParseInt(strings.Fields(string(data))[1], 10, 64)
	return pages * int64(os.Getpagesize()), err
}

// look times, in order of their size, `aburn ps` beside one question to tmux, and the start of a process that does nothing.
func (s *workers) look(rounds int) (ps, panes, starts []time.Duration, err error) {
	for range rounds {
		a, err := s.timed(s.w.bin("aburn"), "ps")
		if err != nil {
			return nil, nil, nil, err
		}
		b, err := s.timed("tmux", "-L", "aburn", "list-panes", "-a")
		if err != nil {
			return nil, nil, nil, err
		}
		c, err := s.timed(s.w.bin("aburn"), "--version")
		if err != nil {
			return nil, nil, nil, err
		}
		ps, panes, starts = append(ps, a), append(panes, b), append(starts, c)
	}
	for _, times := range [][]time.Duration{ps, panes, starts} {
		slices.Sort(times)
	}
	return ps, panes, starts, nil
}

// holders is the median of what a holder takes.
func (s *workers) holders() (int64, error) {
	out, err := s.run("tmux", "-L", "aburn", "list-panes", "-a", "-F", "#{pane_pid}")
	if err != nil {
		return 0, err
	}
	var all []int64
	for _, word := range strings.Fields(out) {
		pid, err := strconv.Atoi(word)
		if err != nil {
			return 0, err
		}
		if n, err := resident(pid); err == nil {
			all = append(all, n)
		}
	}
	slices.Sort(all)
	if len(all) == 0 {
		return 0, fmt.Errorf("no holder runs")
	}
	return all[len(all)/2], nil
}

func (s *workers) end() {
	s.run(s.w.bin("aburn"), "daemon", "stop", "--yes")
	for _, server := range []string{"aburn", "parts"} {
		s.run("tmux", "-L", server, "kill-server")
	}
}
