package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"aburn/internal/lab/world"
	"aburn/worker/overview"
)

// held has git wait, where it is asked for something, until go is there. The folder at has a file for each process that waits.
func (s *site) held(asked string) (at, free string) {
	s.Helper()
	real, err := exec.LookPath("git")
	s.must(err)
	at, free = s.TempDir(), filepath.Join(s.home, "go")
	s.shim("git", fmt.Sprintf("#!/bin/sh\ncase \"$*\" in *%s*) touch %s/$PPID; while [ ! -e %s ]; do sleep 0.1; done ;; esac\nexec %s \"$@\"\n", asked, at, free,
		real))
	return at, free
}

// manyRefs gives the repository more packed refs than aburn reads itself, so that it asks git whether a branch is free.
func (s *site) manyRefs() {
	s.Helper()
	head := strings.TrimSpace(s.ok("git", "rev-parse", "HEAD"))
	var b strings.Builder
	b.WriteString("# pack-refs with: peeled fully-peeled sorted \n")
	for n := 0; b.Len() <= 8<<20; n++ {
		fmt.Fprintf(&b, "%s refs/tags/n%08d\n", head, n)
	}
	s.must(os.WriteFile(filepath.Join(s.project, ".git", "packed-refs"), []byte(b.String()), 0o644))
}

// waitsForLock reports whether a process waits for a lock that another one holds.
func (s *site) waitsForLock(pid int) bool {
	s.Helper()
	locks, err := os.ReadFile("/proc/locks")
	s.must(err)
	return regexp.MustCompile(`(?m)-> FLOCK .* ` + strconv.Itoa(pid) + ` `).Match(locks)
}

// TestSpawnsAtOnceShareABudget: a worker that asks for two workers in the same moment gives away no more than it has. The first one is
// stopped after its budget was looked at, and before its request is written.
func TestSpawnsAtOnceShareABudget(t *testing.T) {
	world.Slow(t)
	t.Parallel()
	s := newSite(t)
	s.more = append(s.more, "DO=sleep 600")
	config := filepath.Join(s.home, ".config", "aburn")
	s.must(os.MkdirAll(config, 0o700))
	s.must(os.WriteFile(filepath.Join(config, "workers.yaml"), []byte("env: [DO]\n"), 0o600))
	s.ok("aburn", "spawn", "--runtime", "pty", "--name", "lead", "--budget", "5usd", "lead them")
	lead := s.workers()[0].Tree

	s.manyRefs()
	at, free := s.held("refs/heads/aburn/child")
	var all []*exec.Cmd
	var said [2]strings.Builder
	ended := make([]chan error, 2)
	for i := range 2 {
		cmd := s.command("aburn", "spawn", "--name", "child-"+strconv.Itoa(i), "--budget", "3usd", "be a child")
		cmd.Dir, cmd.Env = lead, append(cmd.Env, "CLAUDE_CODE_SESSION_ID=lead")
		cmd.Stdout, cmd.Stderr = &said[i], &said[i]
		s.must(cmd.Start())
		ended[i] = make(chan error, 1)
		go func() { ended[i] <- cmd.Wait() }()
		all = append(all, cmd)
	}
	settled := func(cmd *exec.Cmd) bool {
		return fileExists(filepath.Join(at, strconv.Itoa(cmd.Process.Pid))) || s.waitsForLock(cmd.Process.Pid)
	}
	for end := time.Now().Add(longWait); !settled(all[0]) || !settled(all[1]); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("neither spawn came so far", said[0].String(), said[1].String())
		}
	}
	s.must(os.WriteFile(free, nil, 0o600))
	failed := 0
	for i := range ended {
		if <-ended[i] != nil {
			failed++
			if !strings.Contains(said[i].String(), "of yours 2.00usd is not given away yet") {
				t.Error(said[i].String())
			}
		}
	}
	if list := s.workers(); failed != 1 || len(list) != 2 {
		t.Errorf("%d of two were refused, and %d workers are there: %s%s", failed, len(list), said[0].String(), said[1].String())
	}
	s.ok("aburn", "kill", "--all", "--yes")
	s.settled()
	s.noProcess()
}

// TestAgentsBeginNoMore: an agent begins a worker by the command and through MCP only while few run, also where it is no worker
// itself. A person is not bound.
func TestAgentsBeginNoMore(t *testing.T) {
	world.Slow(t)
	t.Parallel()
	s := newSite(t)
	s.more = append(s.more, "DO=sleep 600")
	config := filepath.Join(s.home, ".config", "aburn")
	s.must(os.MkdirAll(config, 0o700))
	s.must(os.WriteFile(filepath.Join(config, "settings.json"), []byte(`{"mcp": {"workers": true}}`), 0o600))
	s.must(os.WriteFile(filepath.Join(config, "workers.yaml"), []byte("env: [DO]\nmax_workers: 0\n"), 0o600))
	asks := func(ask string) (byCommand, byMCP string) {
		t.Helper()
		cmd := s.command("aburn", "spawn", "--runtime", "pty", "--name", ask+"-command", "be one more")
		cmd.Env = append(cmd.Env, "CLAUDE_CODE_SESSION_ID=an-agent")
		out, err := cmd.CombinedOutput()
		if err == nil {
			out = nil
		}
		c := s.asking(s.project)
		r, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: "spawn", Arguments: map[string]any{"task": "be one more", "name": ask + "-mcp"}})
		s.must(err)
		s.must(c.Close())
		if r.IsError {
			byMCP = r.Content[0].(*mcp.TextContent).Text
		}
		return string(out), byMCP
	}
	s.ok("aburn", "spawn", "--runtime", "pty", "--count", "6", "--name", "w", "be one")
	if byCommand, byMCP := asks("last"); byCommand != "" || byMCP != "" {
		t.Fatalf("of the seventh and the eighth: %s\n%s", byCommand, byMCP)
	}
	const refusal = "8 workers run, and an agent begins no more"
	if byCommand, byMCP := asks("next"); !strings.Contains(byCommand, refusal) || !strings.Contains(byMCP, refusal) {
		t.Errorf("of the ninth: %q\n%q", byCommand, byMCP)
	}
	s.ok("aburn", "spawn", "--runtime", "pty", "--name", "mine", "be the ninth")
	s.ok("aburn", "kill", "w", "mine")
	if byCommand, byMCP := asks("again"); byCommand != "" || !strings.Contains(byMCP, refusal) {
		t.Errorf("after two ended: %q\n%q", byCommand, byMCP)
	}
	if list := s.workers(); slices.ContainsFunc(list, func(w overview.WorkerReport) bool { return strings.HasPrefix(w.Worker, "next") }) {
		t.Errorf("%+v", list)
	}
	s.ok("aburn", "kill", "--all", "--yes")
	s.settled()
	s.noProcess()
}
