package state

import (
	"slices"
	"strings"

	"aburn/logfmt"
)

// asks reports whether a tool is a question to the user.
func asks(tool string) bool {
	switch tool {
	case "AskUserQuestion", "ExitPlanMode", "request_user_input":
		return true
	}
	return false
}

// permission folds a question whether a call may run. It has no call id: it is about
// the newest call of its line that looks the same.
func (x *step) permission() {
	tool := text(x.d.Tool, maxName)
	w := Wait{Since: x.at, Question: asks(tool), Tool: tool, Input: inputOf(&x.d), Agent: x.agentName()}
	if c := x.callAskedFor(tool); c != nil {
		w.Call = c.ID
		if slices.ContainsFunc(x.ses.Waits, func(v Wait) bool { return v.Call == c.ID && v.Agent == c.Agent && c.ID != "" }) {
			return
		}
	}
	x.ses.Waits = push(x.ses.Waits, w, maxWaits)
}

func (x *step) callAskedFor(tool string) *Call {
	input, agent, key := inputOf(&x.d), x.agentName(), uint32(0)
	if len(x.d.Input) > 0 {
		key = keyOf(&x.d)
	}
	for _, c := range slices.Backward(x.ses.Calls) {
		if c.Agent == agent && c.Tool == tool && !c.Background && !c.Cut.Is() && (c.Key == key || c.Key == 0 || key == 0) && c.Input == input {
			return c
		}
	}
	return nil
}

func (x *step) notify() {
	s := x.ses
	switch kind := string(x.d.Type); {
	case kind == "idle_prompt":
		if s.Turn.Open && len(s.Waits) == 0 { // an interrupt, which Claude Code tells nobody
			s.closeTurn(logfmt.Notify, x.at)
			s.cutCalls(x.at)
		}
	case strings.HasPrefix(kind, "permission"):
		x.noteReminder(false)
	case kind == "elicitation_dialog":
		x.noteReminder(true)
	case strings.HasPrefix(kind, "elicitation_"):
		s.Waits = slices.DeleteFunc(s.Waits, func(w Wait) bool { return w.Question && w.Tool == "" })
	}
}

// noteReminder notes the client's reminder of an open question. A reminder of an
// unknown question becomes a wait of its own.
func (x *step) noteReminder(question bool) {
	s := x.ses
	found := false
	for i := range s.Waits {
		if w := &s.Waits[i]; !question || w.Question {
			found = true
			if !w.Noted.Is() {
				w.Noted = x.at
			}
		}
	}
	if !found {
		s.Waits = push(s.Waits, Wait{Since: x.at, Question: question, Noted: x.at}, maxWaits)
	}
}

// dropAnswered forgets waits without a known call once their line does anything else:
// then they were answered.
func (x *step) dropAnswered() {
	if len(x.ses.Waits) == 0 || !x.byHook() || !x.e.Event.Known() {
		return
	}
	switch x.e.Event {
	case logfmt.Notify, logfmt.Permission, logfmt.AgentSpawn, logfmt.AgentComplete:
		return
	}
	agent := x.agentName()
	x.ses.Waits = slices.DeleteFunc(x.ses.Waits, func(w Wait) bool { return w.Call == "" && w.Agent == agent })
}

func (s *Session) clearWaits(agent string) {
	s.Waits = slices.DeleteFunc(s.Waits, func(w Wait) bool { return w.Agent == agent })
}

// dropWaitFor forgets the wait for a call that has ended.
func (s *Session) dropWaitFor(call, agent string) {
	if call != "" && len(s.Waits) > 0 {
		s.Waits = slices.DeleteFunc(s.Waits, func(w Wait) bool { return w.Call == call && w.Agent == agent })
	}
}
