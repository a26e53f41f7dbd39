package doctor

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"aburn/hooks"
	"aburn/install"
	"aburn/internal/journal"
	"aburn/internal/project"
	"aburn/logfmt"
)

// canary is one event of a small session, and the entries that a hook makes of it.
type canary struct {
	event   string // as Claude Code calls it, then as the agent does
	fields  map[string]any
	entries []logfmt.Event
}

const canarySession = "aburn-doctor-canary"

// canaries use only fields that all agents have.
func canaries() []canary {
	tool := map[string]any{"tool_name": "Bash", "tool_input": map[string]any{"command": "true"}, "tool_use_id": "aburn-doctor-call"}
	after := map[string]any{"tool_name": "Bash", "tool_input": tool["tool_input"], "tool_use_id": "aburn-doctor-call", "tool_response": ""}
	return []canary{
		{"SessionStart", map[string]any{"source": "startup"}, []logfmt.Event{logfmt.SessionStart}},
		{"UserPromptSubmit", map[string]any{"prompt": "canary of aburn doctor"}, []logfmt.Event{logfmt.Prompt}},
		{"PreToolUse", tool, []logfmt.Event{logfmt.ToolStart}},
		{"PostToolUse", after, []logfmt.Event{logfmt.Tool}},
		{"Stop", map[string]any{"stop_hook_active": false, "last_assistant_message": "done"}, []logfmt.Event{logfmt.Stop}},
		{"SessionEnd", map[string]any{"reason": "other"}, []logfmt.Event{logfmt.SessionEnd}},
	}
}

// live runs every registered hook with a canary in a temporary project, as its agent would. That proves that the
// command works and measures its time as a whole process. It does not prove that the agent runs it.
func (e *exam) live() {
	ran := false
	for _, p := range e.agents {
		for i := range p.settings {
			e.liveStatus(p, &p.settings[i])
		}
		for _, s := range p.own() {
			done := map[string]bool{}
			for _, r := range s.Own() {
				command := identity(p, r)
				if !done[command] {
					done[command], ran = true, true
					e.canary(p, s, r)
				}
			}
		}
	}
	if ran {
		e.add("live", Note, "the canary proves that the registered commands record, not that an agent runs them: "+
			"to see that, start a session and run aburn doctor again")
	}
}

// identity is what makes a registration a command of its own.
func identity(p *patient, r install.Registration) string {
	if p.Hooks.EventArg { // each event has a line of its own
		r.Shell = ""
	}
	return r.Shell + "\x00" + r.Path + "\x00" + strings.Join(r.Args, "\x00")
}

// rounds is how often a small session is sent at most. A hook that a busy machine does not run in its time records nothing, as it
// should, and that says nothing of the command.
const rounds = 3

// canary sends the small session through one command, for the events at which this file registers it, and says what became of it.
func (e *exam) canary(p *patient, s *install.Settings, r install.Registration) {
	where := fmt.Sprintf("%s, %s", p.Title, s.Path)
	for round := 1; ; round++ {
		want, got, costs, err := e.round(p, s, r)
		if err != nil {
			e.addf("live", Bad, "%s: %v", where, err)
			return
		}
		if slices.Equal(got, want) {
			slices.Sort(costs)
			e.addf("live", OK, "%s: all %d canary events recorded, %s each as a whole process", where, len(want), costs[len(costs)/2].Round(100*time.Microsecond))
			return
		}
		late := slices.Max(costs) >= hooks.Deadline
		if late && round < rounds {
			continue
		}
		why := ""
		if late {
			why = fmt.Sprintf(": one took %s, and a hook ends itself after %s", slices.Max(costs).Round(time.Millisecond), hooks.Deadline)
		}
		e.addf("live", Bad, "%s: the canary's log has %v, not %v%s", where, got, want, why)
		return
	}
}

// round sends the session once, in a project of its own: what its log should have, what it has, and how long each process took.
func (e *exam) round(p *patient, s *install.Settings, r install.Registration) (want, got []logfmt.Event, costs []time.Duration, err error) {
	dir, err := os.MkdirTemp("", "aburn-doctor-*")
	if err != nil {
		return nil, nil, nil, err
	}
	defer os.RemoveAll(dir)
	oss, err := throwAway(dir, e.Env)
	if err != nil {
		return nil, nil, nil, err
	}
	defer oss.Close()
	own := s.Own()
	for _, c := range canaries() {
		i := slices.IndexFunc(own, func(o install.Registration) bool {
			return p.Hooks.Common(o.Event) == c.event && identity(p, o) == identity(p, r)
		})
		if i < 0 {
			continue
		}
		c.spell(p, own[i].Event, dir)
		cost, err := e.fire(p, s, own[i], dir, c)
		if err != nil {
			return nil, nil, nil, fmt.Errorf("%s: %w", c.event, err)
		}
		want, costs = append(want, c.entries...), append(costs, cost)
	}
	got, err = recorded(oss)
	return want, got, costs, err
}

// spell makes the canary the agent's event in dir, with all its fields.
func (c *canary) spell(p *patient, event, dir string) {
	payload := map[string]any{"session_id": canarySession, "cwd": dir, "hook_event_name": event, "transcript_path": filepath.Join(dir, "none.jsonl"),
		"permission_mode": "default"}
	maps.Copy(payload, c.fields)
	if p.Canary != nil {
		payload = p.Canary(payload)
	}
	c.event, c.fields = event, payload
}

// throwAway makes a temporary project without a mark of trust.
func throwAway(dir string, env func(string) string) (*os.Root, error) {
	if err := os.Mkdir(filepath.Join(dir, project.OssDir), 0o700); err != nil {
		return nil, err
	}
	p, err := project.At(dir, env)
	if err != nil {
		return nil, err
	}
	return p.OpenOss()
}

// fire runs the command as the agent would, for one event, and returns how long it took.
func (e *exam) fire(p *patient, s *install.Settings, r install.Registration, dir string, c canary) (time.Duration, error) {
	input, err := json.Marshal(c.fields)
	if err != nil {
		return 0, err
	}
	ctx, cancel := context.WithTimeout(e.ctx, 10*time.Second)
	defer cancel()
	cmd := command(ctx, s, r, e.Env)
	cmd.Dir = dir
	cmd.Env = slices.DeleteFunc(os.Environ(), e.ofAgents)
	if name := p.Hooks.ProjectVar; name != "" {
		cmd.Env = append(cmd.Env, name+"="+dir)
	}
	cmd.Stdin = bytes.NewReader(input)
	cmd.WaitDelay = time.Second
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	start := time.Now()
	err = cmd.Run()
	cost := time.Since(start)
	switch {
	case err != nil:
		return cost, fmt.Errorf("%v%s", err, said(stderr.Bytes()))
	case stdout.Len() > 0:
		return cost, fmt.Errorf("it printed something, which the agent would take for an answer%s", said(stdout.Bytes()))
	case stderr.Len() > 0:
		return cost, errors.New(strings.TrimSpace(stderr.String()))
	}
	return cost, nil
}

// ofAgents reports whether a variable is aburn's or an agent's. The canary must not inherit those of a session that
// called this command.
func (e *exam) ofAgents(variable string) bool {
	return strings.HasPrefix(variable, "ABURN") || slices.ContainsFunc(e.agents, func(p *patient) bool {
		return strings.HasPrefix(variable, strings.ToUpper(p.Name))
	})
}

// command is the process that the agent would start: directly, or through the user's shell.
func command(ctx context.Context, s *install.Settings, r install.Registration, env func(string) string) *exec.Cmd {
	if r.Shell == "" {
		return exec.CommandContext(ctx, s.Expand(r, env), r.Args...)
	}
	shell := "/bin/sh"
	if !s.Agent.Hooks.Exec && filepath.IsAbs(env("SHELL")) {
		shell = env("SHELL")
	}
	return exec.CommandContext(ctx, shell, "-c", r.Shell)
}

// said is the beginning of what a program printed, for an error message.
func said(data []byte) string {
	text := strings.TrimSpace(string(data[:min(len(data), 200)]))
	if text == "" {
		return ""
	}
	return ": " + text
}

// recorded are the events of the canary in a log.
func recorded(oss *os.Root) (got []logfmt.Event, err error) {
	for l, err := range journal.New(oss, journal.Options{By: journal.Command}).Forward(journal.Position{}) {
		if err != nil {
			return nil, err
		}
		if entry, err := logfmt.Parse(l.JSON); err == nil && entry.Session == canarySession {
			got = append(got, entry.Event)
		}
	}
	return got, nil
}
