package hooks

import (
	"errors"
	"path/filepath"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"aburn/internal/project"
	"aburn/internal/suspect"
	"aburn/logfmt"
)

// Decision is what a hook can answer about a call that is about to run.
type Decision string

// The decisions.
const (
	DenyCall Decision = "deny"
	AskUser  Decision = "ask"
)

// GuardSigns ends every sentence that a rule of guard says to a model.
const GuardSigns = " of aburn guard.)"

// Judge decides about a call, given as JSON, by the rules of guard, until a time. The answer is JSON too. It starts
// `aburn guard decide`: most calls are not suspect and pay nothing for that.
type Judge func(env func(string) string, root, worktree string, call []byte, until time.Time) ([]byte, error)

// guardTime bounds the wait for a decision. Agents give a hook 5 s at least.
const guardTime = 2500 * time.Millisecond

// PermissionDecision is the hook output with which several agents take a decision about a call.
func PermissionDecision(d Decision, reason string) []byte {
	var inner, outer logfmt.Object
	inner.Str("hookEventName", "PreToolUse").Str("permissionDecision", string(d)).Str("permissionDecisionReason", reason)
	return outer.Raw("hookSpecificOutput", inner.Bytes()).Bytes()
}

// decide asks guard about the payload's call. It adds to the entry what came of it, and returns the hook's output, nil for none.
// Whatever fails here, the call goes on: then the entry says why.
func (r *Run) decide(rec *recorder) []byte {
	event := rec.agent.Hooks.Common(rec.payload.Event)
	if r.Judge == nil || len(rec.plan.Drafts) == 0 || event != "PreToolUse" && event != "PostToolUse" {
		return nil
	}
	state := project.StateDir(r.Env)
	if state == "" {
		return nil
	}
	words, on, err := suspect.Read(filepath.Join(state, suspect.File))
	if !on && err == nil {
		return nil
	}
	begun := time.Now()
	entry := rec.plan.Drafts[len(rec.plan.Drafts)-1].Data
	var answer gjson.Result
	if err == nil {
		shell, extra := rec.payload.suspected()
		if !suspect.Call(words, string(rec.payload.Input), shell, extra) {
			return nil
		}
		if r.timer != nil {
			r.timer.Stop()
		}
		answer, err = r.ask(rec, event)
		r.ready = r.ready.Add(time.Since(begun)) // what guard took is not the hook's own time
		if r.timer != nil {
			r.timer.Reset(time.Until(r.ready.Add(Deadline)))
		}
	}
	var o logfmt.Object
	switch {
	case err != nil:
		entry.Raw("guard", o.Str("failed", err.Error()).Bytes())
		return nil
	case answer.Get("rule").Str == "":
		return nil
	}
	do := answer.Get("do").Str
	o.Str("rule", Head(answer.Get("rule").Str)).Str("do", Head(do)).StrIf("wanted", Head(answer.Get("wanted").Str))
	entry.Raw("guard", o.Bytes())
	say := answer.Get("say").Str
	switch {
	case event == "PostToolUse" && do == "tell" && rec.agent.MidTurn(rec.payload):
		return rec.agent.Context(rec.payload.Event, say)
	case event == "PreToolUse" && rec.agent.Decide != nil && (do == string(DenyCall) || do == string(AskUser)):
		return rec.agent.Decide(Decision(do), say)
	}
	return nil
}

// ask passes the call on.
func (r *Run) ask(rec *recorder, event string) (answer gjson.Result, err error) {
	p := rec.payload
	var o logfmt.Object
	o.Str("event", event).Str("session", string(p.Session)).Str("agent", p.AgentID).Str("tool", p.Tool).Str("cwd", p.Cwd).Str("root", rec.proj.Root).
		Str("key", InputKey(p.Input))
	if p.Input != "" {
		o.Raw("input", []byte(p.Input))
	}
	can := ""
	for _, d := range [...]Decision{DenyCall, AskUser} {
		if rec.agent.Decide != nil && rec.agent.Decide(d, "") != nil {
			can += string(d) + " "
		}
	}
	o.Str("can", can)
	out, err := r.Judge(r.Env, rec.proj.Root, rec.proj.Worktree, o.Bytes(), time.Now().Add(guardTime))
	if err != nil {
		return answer, err
	}
	if !gjson.ValidBytes(out) || !gjson.ParseBytes(out).IsObject() {
		return answer, errors.New("aburn guard decide gave no answer")
	}
	return gjson.ParseBytes(out), nil
}

// suspected says whether the call runs a shell, and where the path of another call leads.
func (p *Payload) suspected() (shell bool, target string) {
	command := p.Input.Get("command")
	if !command.Exists() {
		command = p.Input.Get("cmd")
	}
	if command.Exists() && !strings.HasPrefix(strings.TrimSpace(command.Str), "*** Begin Patch") {
		return true, ""
	}
	path := p.Input.First("file_path", "notebook_path", "path", "absolute_path", "filePath")
	if path == "" {
		return false, ""
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(p.Cwd, path)
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return false, real
	}
	if real, err := filepath.EvalSymlinks(filepath.Dir(path)); err == nil {
		return false, filepath.Join(real, filepath.Base(path))
	}
	return false, path
}
