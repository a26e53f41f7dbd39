//go:build unix

package main

import (
	"os"
	"os/exec"
	"testing"

	lab "aburn/internal/lab/world"
	"aburn/logfmt"
)

// An agent on a busy machine begins its payload long after the hook runs, and writes it in pieces: nothing of it is lost, and the hook still
// has its time for the entry.
func TestLateAgent(t *testing.T) {
	lab.Slow(t)
	for name, script := range map[string]string{
		"begins late":     `sleep 1.5; printf '%s' "$1" "$2"`,
		"stops half way":  `printf '%s' "$1"; sleep 1.5; printf '%s' "$2"`,
		"never closes it": `sleep 1; printf '%s' "$1" "$2"; exec sleep 60`,
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.trust()
			payload := bash("PostToolUse", "t1", "make", `"tool_response":{"stdout":"{}","stderr":""}`)
			half := len(payload) - len(`","stderr":""}}`) - 1 // ends in a brace, or nearly
			r, pipe, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			agent := exec.Command("/bin/sh", "-c", script, "agent", payload[:half], payload[half:])
			agent.Stdout = pipe
			if err := agent.Start(); err != nil {
				t.Fatal(err)
			}
			pipe.Close()
			w.hook("claude", r)
			r.Close()
			agent.Process.Kill()
			agent.Wait()
			if e := w.last(); e.Event != logfmt.Tool || get(e, "result").Str == "" {
				t.Errorf("%s %s", e.Event, e.Data)
			}
		})
	}
}
