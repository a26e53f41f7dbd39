package state

import (
	"bytes"
	"slices"
	"strings"

	"aburn/logfmt"
	"aburn/workflow"
)

// agentName is what calls and waits call the sub-agent; "" for the session itself.
func (x *step) agentName() string {
	if x.agent == nil {
		return ""
	}
	return x.agent.Name()
}

// inputOf is the text by which a call is shown: its head, path or task.
func inputOf(d *logfmt.Details) string {
	for _, r := range [...]logfmt.RawString{d.Head, d.Path, d.Task} {
		if len(r) > 0 {
			return text(r, maxInput)
		}
	}
	return ""
}

// keyOf tells calls apart by tool and input: by the hash of the whole input, else by
// what is shown of it if that is all of it.
func keyOf(d *logfmt.Details) uint32 {
	h := hashStart.add(d.Tool)
	if len(d.Input) > 0 {
		return h.add(d.Input).sum()
	}
	if head := d.Head; len(head) > 0 && !bytes.Contains(head, []byte("…")) {
		return h.add(head).sum()
	}
	return 0
}

func (x *step) toolStart() {
	c := &Call{Start: x.at, ID: text(x.d.ToolUseID, maxID), Tool: text(x.d.Tool, maxName), Input: inputOf(&x.d), Key: keyOf(&x.d), Agent: x.agentName()}
	switch end := &x.ses.End; {
	case end.Is() && x.soonAfter(end.Mark): // its hook was slow: it ran when the session ended
		end.Calls = push(end.Calls, c, maxCalls)
		return
	case end.Is() && x.agent != nil:
		return
	case x.agent == nil:
		x.beginWork()
	}
	if c.ID != "" && slices.ContainsFunc(x.ses.Calls, func(o *Call) bool { return o.ID == c.ID && o.Agent == c.Agent }) {
		return
	}
	x.ses.Calls = push(x.ses.Calls, c, maxCalls)
	if asks(c.Tool) {
		x.ses.Waits = push(x.ses.Waits, Wait{Since: x.at, Question: true, Tool: c.Tool, Input: c.Input, Call: c.ID, Agent: c.Agent}, maxWaits)
	}
}

// toolEnd closes a call, or leaves it open in the background.
func (x *step) toolEnd() {
	id := text(x.d.ToolUseID, maxID)
	c := x.takeCall(id)
	x.findLost(id)
	x.ses.dropWaitFor(id, x.agentName())
	x.linkAgent(id)
	x.endAgentsOf(c)
	if t := &x.ses.Turn; t.Calls == 0 && t.Machine && !t.Steered { // what a schedule asks again is no repetition
		x.beginEpoch()
	}
	x.ses.Turn.Calls++
	if inv := x.ses.Invoked; inv != nil && !inv.Declared {
		inv.Calls++
	}
	if x.d.Background && x.e.Event == logfmt.Tool {
		x.keepInBackground(c, id)
		if len(x.d.Head) > 0 {
			if kind := x.checkRun(x.d.Head.String()).kind; kind != workflow.NoCheck {
				x.checked(kind).Unsure = x.at
			}
		}
		return
	}
	if x.killsBackground() {
		x.endKilled()
	}
	did := x.endedCall()
	x.countFailure(&did)
	x.noteTest(&did)
	x.noteCheck(&did)
	x.noteEdit(&did)
	x.noteLook(&did)
	x.line.Recent = push(x.line.Recent, did, MaxRecent)
}

// takeCall removes and returns the open call that the entry ends; nil if none is
// known. An end without an id is that of the oldest call that looks the same.
func (x *step) takeCall(id string) *Call {
	key, agent := keyOf(&x.d), x.agentName()
	tool := x.d.Tool
	is := func(c *Call) bool {
		if c.Agent != agent || id != "" || c.ID != "" {
			return c.Agent == agent && c.ID == id
		}
		return c.Tool == text(tool, maxName) && (c.Key == key || c.Key == 0 || key == 0)
	}
	end := &x.ses.End.Calls
	*end = slices.DeleteFunc(*end, is)
	i := slices.IndexFunc(x.ses.Calls, is)
	if i < 0 {
		return nil
	}
	c := x.ses.Calls[i]
	x.ses.Calls = slices.Delete(x.ses.Calls, i, i+1)
	return c
}

// keepInBackground keeps a call open that runs on, unless it is a sub-agent that has
// ended meanwhile.
func (x *step) keepInBackground(c *Call, id string) {
	if c == nil {
		c = &Call{Start: x.at, ID: id, Tool: text(x.d.Tool, maxName), Input: inputOf(&x.d), Key: keyOf(&x.d), Agent: x.agentName()}
	}
	c.Background, c.Cut = true, Mark{}
	if c.Spawns = text(x.d.AgentID, maxID); c.Spawns != "" {
		if a := x.ses.Agent(c.Spawns); a != nil && a.Ended.Is() {
			return
		}
	}
	x.ses.Calls = push(x.ses.Calls, c, maxCalls)
	slices.SortStableFunc(x.ses.Calls, func(a, b *Call) int { return int(int64(a.Start.Ord) - int64(b.Start.Ord)) })
}

func (x *step) linkAgent(id string) {
	if len(x.d.AgentID) == 0 {
		return
	}
	a := x.ses.agentFor(text(x.d.AgentID, maxID), "")
	a.In = x.agentName()
	switch {
	case x.d.Background:
		a.Background, a.Call = true, id
		a.Cut = Mark{}
	case a.Running(): // its own end was lost
		a.end(x.at, text(x.d.Status, maxName))
		x.ses.closeAgent(a)
	}
}

// endAgentsOf ends the sub-agents of a foreground call that failed, was denied or was interrupted:
// such a call does not say which sub-agent it had.
func (x *step) endAgentsOf(c *Call) {
	if c == nil || !runsAgent(c.Tool) || x.d.Background || len(x.d.AgentID) > 0 {
		return
	}
	if slices.ContainsFunc(x.ses.Calls, func(o *Call) bool { return runsAgent(o.Tool) && o.Agent == c.Agent && !o.Background }) {
		return // it may be that one's
	}
	for _, a := range x.ses.Agents {
		if a.Running() && !a.Background && a.Spawned.Ord > c.Start.Ord {
			if x.e.Event == logfmt.ToolFailed && len(x.d.Outcome) == 0 {
				a.end(x.at, "")
				a.Failed = true
			} else {
				a.Cut = x.at
			}
			x.ses.closeAgent(a)
		}
	}
}

// runsAgent reports whether a call of the tool lasts as long as the sub-agent that
// it starts, unless it says otherwise.
func runsAgent(tool string) bool { return tool == "Agent" || tool == "Task" }

// endReported ends the call in the background whose end a machine-made prompt reports.
func (x *step) endReported() {
	id, status := text(x.d.ToolUseID, maxID), text(x.d.Status, maxName)
	s := x.ses
	if id == "" {
		return
	}
	tool := ""
	s.Calls = slices.DeleteFunc(s.Calls, func(c *Call) bool {
		if c.ID == id && c.Background {
			tool = c.Tool
			return true
		}
		return false
	})
	only := s.onlyUnlinked(tool, id)
	for _, a := range s.Agents {
		if a.Call == id || a == only {
			if status != "" {
				a.Status, a.Failed = status, failed(status)
			}
			if !a.Ended.Is() {
				a.end(x.at, status)
				s.closeAgent(a)
			}
		}
	}
}

// onlyUnlinked is the one background sub-agent without a known call, where the call
// did not say which it started; nil if there are several or none.
func (s *Session) onlyUnlinked(tool, id string) (only *Agent) {
	if !runsAgent(tool) {
		return nil
	}
	for _, a := range s.Agents {
		switch {
		case a.Call == id, a.Background && a.Call == "" && only != nil:
			return nil
		case a.Background && a.Call == "":
			only = a
		}
	}
	return only
}

// killsBackground reports whether the call ended another one in the background.
func (x *step) killsBackground() bool {
	switch string(x.d.Tool) {
	case "KillShell", "KillBash", "TaskStop":
		return x.e.Event == logfmt.Tool
	}
	return false
}

// endKilled closes the background call that was killed. The entry has no id of it, so
// with several in the background nothing is closed.
func (x *step) endKilled() {
	background := func(c *Call) bool { return c.Background }
	if i := slices.IndexFunc(x.ses.Calls, background); i >= 0 && !slices.ContainsFunc(x.ses.Calls[i+1:], background) {
		if a := x.ses.Agent(x.ses.Calls[i].Spawns); a != nil && x.ses.Calls[i].Spawns != "" && a.Running() {
			a.Cut = x.at
			a.forgetCalls()
		}
		x.ses.Calls = slices.Delete(x.ses.Calls, i, i+1)
	}
}

func (x *step) endedCall() Did {
	d, ev := &x.d, x.e.Event
	did := Did{Mark: x.at, Key: keyOf(&x.d), Tool: text(d.Tool, maxName), Input: inputOf(&x.d), Epoch: x.ses.Epoch}
	did.Denied = ev == logfmt.ToolDenied
	did.Unsure = ev != logfmt.ToolDenied && (string(d.Outcome) == "interrupted" || string(d.Outcome) == "unknown")
	did.Failed = ev == logfmt.ToolFailed && !did.Unsure
	did.Edit = edits(did.Tool) || len(d.Sha256) > 0
	did.Known = did.Denied || len(d.Result) > 0 || len(d.Sha256) > 0
	did.Beside = x.ses.RunsInBackground(x.agentName())
	h := hashStart.add([]byte(ev)).add(d.Outcome).add(d.Sha256).num(d.Bytes).add(d.Result)
	if d.HasExitCode {
		h = h.num(d.ExitCode)
	}
	did.Result = h.sum()
	return did
}

// countFailure counts failing calls in a row. A person's prompt begins a new streak,
// unless the streak is long enough for an issue: that goes on until something works.
func (x *step) countFailure(did *Did) {
	f := &x.line.Fails
	if x.agent == nil && f.Last.Ord < x.ses.Asked.Ord && len(f.Inputs) < x.limits.ToolFailureRunFailures {
		*f = Streak{}
	}
	switch {
	case did.Denied, did.Unsure, housekeeping(did.Input), did.Failed && x.failureWanted(), did.Failed && x.d.HasExitCode && x.d.ExitCode == 1 && AnswersNo(did):
	case !did.Failed:
		*f = Streak{}
	default:
		if f.Count == 0 {
			f.First = x.at
		}
		f.Last = x.at
		f.Count++
		if did.Key != 0 && !slices.Contains(f.Inputs, did.Key) && len(f.Inputs) < MaxInputs {
			f.Inputs = append(f.Inputs, did.Key)
		}
	}
}

// failureWanted reports whether the entry is a test run in a phase that should show a
// failing test.
func (x *step) failureWanted() bool {
	wants := func(p *Phase) bool {
		m, ok := x.model.Phase(p.Name)
		return ok && m.FailingTest
	}
	return len(x.d.Head) > 0 && slices.ContainsFunc(x.phases(), wants) && x.testRun(x.d.Head.String()).Runs
}

// housekeeping reports whether a shell call is nothing but a call of aburn.
func housekeeping(input string) bool {
	return strings.HasPrefix(input, "aburn ") && !strings.ContainsAny(input, ";&|")
}

// AnswersNo reports whether the failure of a call may be an answer: nothing was found,
// or there is a difference. Claude Code records that as a success, Codex does not.
func AnswersNo(d *Did) bool {
	if !IsShell(d.Tool) {
		return false
	}
	line := d.Input
	if i := strings.LastIndexAny(line, ";&|"); i >= 0 {
		line = line[i+1:]
	}
	words := strings.Fields(line)
	if len(words) == 0 {
		return false
	}
	switch words[0] {
	case "grep", "egrep", "fgrep", "rg", "ag", "diff", "cmp", "test", "[", "[[", "pgrep", "pidof", "which", "whereis", "type", "hash":
		return true
	}
	return len(words) > 1 && asksYesOrNo(words[0], words[1])
}

func asksYesOrNo(program, command string) bool {
	switch program {
	case "command":
		return command == "-v" || command == "-V"
	case "kill":
		return command == "-0"
	case "git":
		return command == "diff" || command == "grep" || command == "check-ignore" || command == "merge-base" || command == "show-ref"
	case "systemctl":
		return strings.HasPrefix(command, "is-")
	}
	return false
}

// IsShell reports whether the tool runs a shell command.
func IsShell(tool string) bool {
	switch tool {
	case "Bash", "PowerShell", "shell", "local_shell", "exec_command", "run_shell_command":
		return true
	}
	return false
}
