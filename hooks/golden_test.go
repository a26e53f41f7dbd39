package hooks_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"aburn/hooks"
	"aburn/hooks/claude"
	"aburn/hooks/codex"
	"aburn/hooks/copilot"
	"aburn/hooks/opencode"
	"aburn/hooks/pi"
	"aburn/internal/lab/world"
	"aburn/internal/project"
)

var update = flag.Bool("update", false, "write the golden files")

// Every payload that the real clients sent, one a line, and the drafts that its
// adapter makes of it when the log is empty and no file that it names exists.
func TestPayloads(t *testing.T) {
	world.UnixPaths(t)
	for _, agent := range []hooks.Agent{claude.Agent(), codex.Agent(), opencode.Agent(), copilot.Agent(), pi.Agent()} {
		t.Run(agent.Name, func(t *testing.T) {
			proj := recordedProject(t)
			recorded, err := os.ReadFile(filepath.Join(agent.Name, "testdata", "payloads.tsv"))
			if err != nil {
				t.Fatal(err)
			}
			var got bytes.Buffer
			for line := range strings.Lines(string(recorded)) {
				name, payload, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
				p, err := agent.Payload(eventOf(agent, name), []byte(payload), os.Getenv)
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				fmt.Fprintf(&got, "%s\n%s", name, comesTo(agent, p, proj))
			}
			compare(t, filepath.Join(agent.Name, "testdata", "drafts.golden"), got.Bytes())
		})
	}
}

// eventOf is the event in a payload's name, for an agent that gives it as an argument.
func eventOf(agent hooks.Agent, name string) string {
	if !agent.Hooks.EventArg {
		return ""
	}
	event, _, _ := strings.Cut(name, ".")
	return event
}

// recordedProject is the project of the recorded payloads, though this machine has
// no such folder.
func recordedProject(t *testing.T) *project.Project {
	t.Helper()
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, ".oss"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("HOME", "/home/user")
	proj, err := project.Find(dir, os.Getenv)
	if err != nil {
		t.Fatal(err)
	}
	proj.Root, proj.Worktree = "/home/user/project", "/home/user/project"
	return proj
}

func comesTo(agent hooks.Agent, p *hooks.Payload, proj *project.Project) string {
	if agent.Ignored(p) {
		return "  nothing\n"
	}
	plan, known := agent.Read(p, proj)
	if !known {
		return fmt.Sprintf("  unknown %s\n", p.Unknown(func(string) bool { return false }))
	}
	var b strings.Builder
	if p.AgentID != "" && agent.Complete != nil {
		fmt.Fprintf(&b, "  agent %s in %s, guessed %t\n", p.AgentID, p.Session, p.Rootless)
	}
	drafts := plan.Drafts
	if plan.Closer != nil && plan.Closer.Prepare(new(hooks.Calls)) {
		drafts = append(plan.Closer.Close(new(hooks.Calls)), drafts...)
	}
	for _, d := range drafts {
		fmt.Fprintf(&b, "  %s %s", d.Event, d.Data.Bytes())
		if d.Once != "" {
			fmt.Fprintf(&b, " once %s", d.Once)
		}
		if d.Unnamed {
			b.WriteString(" unnamed")
		}
		b.WriteByte('\n')
	}
	if plan.New {
		b.WriteString("  new\n")
	}
	if plan.Resumed {
		b.WriteString("  resumed\n")
	}
	if fields := p.Unknown(agent.Knows); fields != nil {
		fmt.Fprintf(&b, "  fields %s\n", fields)
	}
	return b.String()
}

func compare(t *testing.T, path string, got []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	g, w := strings.Split(string(got), "\n"), strings.Split(string(want), "\n")
	for i := range max(len(g), len(w)) {
		if i >= len(g) || i >= len(w) || g[i] != w[i] {
			t.Fatalf("%s:%d: differs (-update writes it):\ngot  %s\nwant %s", path, i+1, at(g, i), at(w, i))
		}
	}
}

func at(lines []string, i int) string {
	if i < len(lines) {
		return lines[i]
	}
	return "(end)"
}
