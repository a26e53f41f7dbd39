package main

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"aburn/internal/lab/world"
)

// spoken is a scripted agent without a terminal. It leaves a process behind, and notes each task that it got.
const spoken = `#!/bin/sh
here=$(pwd)
hook() { printf '{"session_id":"5b0c2f91","cwd":"%s",%s}' "$here" "$1" | aburn-hook claude; }
hook '"hook_event_name":"SessionStart","source":"startup"'
setsid sleep 600 &
while IFS= read -r line; do
	uuid=$(printf '%s' "$line" | sed 's/.*"uuid":"\([^"]*\)".*/\1/')
	echo "{\"type\":\"command_lifecycle\",\"command_uuid\":\"$uuid\",\"state\":\"started\"}"
	hook '"hook_event_name":"UserPromptSubmit","prompt":"x"'
	echo "$uuid" >> got.txt
	hook '"hook_event_name":"Stop"'
	echo '{"type":"result","subtype":"success","is_error":false}'
done
`

// TestKilledHeadlessSpawn kills spawn with -9 at any moment. The next command undoes it, or finishes it: the agent gets its task
// once. Nothing is left without an owner.
func TestKilledHeadlessSpawn(t *testing.T) {
	world.Slow(t)
	t.Parallel()
	s := newSite(t)
	s.shim("claude", spoken)
	for i := range world.Storm(10) {
		cmd := s.command("aburn", "spawn", "--runtime", "headless", "--trust", "--name", "w"+strconv.Itoa(i), "task")
		s.must(cmd.Start())
		time.Sleep(time.Duration(rand.IntN(300)) * time.Millisecond) // anywhere: no moment is asserted
		cmd.Process.Kill()
		cmd.Wait()
	}
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		open := ""
		for _, w := range s.settled() {
			got, _ := os.ReadFile(filepath.Join(w.Tree, "got.txt"))
			if n := strings.Count(string(got), "\n"); n > 1 {
				t.Fatalf("%s got its task %d times", w.Worker, n)
			} else if n == 0 && w.State != "terminated" || w.State == "working" {
				open += " " + w.Worker + " " + w.State
			}
		}
		if open == "" {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("they never got their task:%s", open)
		}
	}
	if names := s.living(); len(names) > 0 {
		s.ok("aburn", append([]string{"kill"}, names...)...)
	}
	s.noProcess()
	s.ok("aburn", "cleanup", "--force-preserve")
	s.settled()
}

func (s *site) living() (names []string) {
	for _, w := range s.workers() {
		if w.State != "terminated" {
			names = append(names, w.Worker)
		}
	}
	return names
}

// TestKilledHeadlessHolder: an agent without a terminal ends with its holder. What it left running is found, the conversation
// goes on in another generation, and the task is not told again.
func TestKilledHeadlessHolder(t *testing.T) {
	world.Slow(t)
	t.Parallel()
	s := newSite(t)
	s.shim("claude", spoken)
	s.ok("aburn", "spawn", "--runtime", "headless", "--trust", "--name", "w", "task")
	s.until("its turn is over", func() bool { return s.workers()[0].State == "idle" })
	w := s.workers()[0]
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(w.PID) + "/stat")
	s.must(err)
	holder, err := strconv.Atoi(strings.Fields(string(stat)[strings.LastIndexByte(string(stat), ')')+1:])[1])
	s.must(err)
	s.must(syscall.Kill(holder, syscall.SIGKILL))
	s.until("the agent is gone", func() bool { return syscall.Kill(w.PID, 0) != nil })
	again := s.command("aburn", "attach", "--headless", "--trust", "w")
	again.Stdin = strings.NewReader("more\n")
	if out, err := again.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	s.until("it has the message", func() bool {
		got, _ := os.ReadFile(filepath.Join(w.Tree, "got.txt"))
		return strings.Count(string(got), "\n") == 2
	})
	s.until("its turn is over", func() bool { return s.workers()[0].State == "idle" })
	s.ok("aburn", "kill", "w")
	s.until("its tree is kept", func() bool { return s.workers()[0].Snapshots > 0 })
	s.noProcess()
}
