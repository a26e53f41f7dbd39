package backtest

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tidwall/gjson"

	"aburn/internal/lab/scenario"
	"aburn/internal/lab/world"
	"aburn/logfmt"
	"aburn/supervisor"
	"aburn/supervisor/limits"
	"aburn/supervisor/state"
	"aburn/workflow"
)

// naive is the analyser that most of us would write first: it counts and measures, and asks for no reason. The corpus has to
// tell it from one that understands what it sees.
type naive struct {
	model    *workflow.Model
	sessions map[logfmt.SessionID]*naiveSession
	done     map[string]bool // commands that were completed
	said     []supervisor.Issue
}

type naiveSession struct {
	id                    logfmt.SessionID
	cmd, phase, before    string
	began, last           state.Mark
	waits                 state.Mark
	question              bool
	calls                 map[string]int
	open                  map[string]bool
	agents                map[string]state.Mark
	passed                map[string]bool
	milestones            []int64
	fails, phases, logged int
	undeclared            bool
}

func (n *naive) Due(in supervisor.Input) time.Time { return in.Now.Add(15 * time.Second) }

func (n *naive) Apply(e *logfmt.Entry, _ bool) {
	s := n.sessions[e.Session]
	if s == nil {
		s = &naiveSession{id: e.Session, calls: map[string]int{}, open: map[string]bool{}, agents: map[string]state.Mark{}, passed: map[string]bool{}}
		n.sessions[e.Session] = s
	}
	s.last = state.Mark{Seq: e.Seq, Ord: s.last.Ord + 1, At: e.Time.UnixMilli()}
	s.waits = state.Mark{}
	if e.Cmd != logfmt.SupervisorCmd {
		n.lifecycle(s, e)
		n.call(s, e)
	}
}

func (n *naive) lifecycle(s *naiveSession, e *logfmt.Entry) {
	cmd, phase, ev := e.Meaning()
	switch ev {
	case logfmt.Start:
		if c, ok := n.model.Command(cmd); ok && c.After != "" && !n.done[c.After] {
			n.say(s, limits.ChainBroken)
		}
		s.cmd, s.phase, s.before, s.undeclared, s.phases, s.logged = cmd, "", "", false, 0, 0
	case logfmt.PhaseStart:
		at := func(name string) int {
			return slices.IndexFunc(n.model.Phases, func(p workflow.Phase) bool { return p.Name == name })
		}
		if n.model.HasPhase(phase) && at(phase) != at(s.before)+1 {
			n.say(s, limits.OutOfOrder)
		}
		s.phase, s.before, s.began = phase, phase, s.last
	case logfmt.PhaseComplete:
		s.phase = ""
		if s.phases++; s.logged == 0 {
			n.say(s, limits.MissingMilestone)
		}
	case logfmt.Milestone:
		s.logged++
		s.milestones = append(s.milestones, s.last.At)
		if m := s.milestones; len(m) > 3 && m[len(m)-1]-m[len(m)-2] > 2*(m[1]-m[0]) {
			n.say(s, limits.Declining)
		}
	case logfmt.Complete:
		n.done[cmd], s.cmd, s.phase = true, "", ""
	case logfmt.Failed:
		n.say(s, limits.ExplicitFailure)
		if s.phase = ""; phase == "" {
			s.cmd = ""
		}
	case logfmt.AgentSpawn:
		s.agents[gjson.GetBytes(e.Data, "agent_id").Str] = s.last
	case logfmt.AgentComplete:
		delete(s.agents, gjson.GetBytes(e.Data, "agent_id").Str)
		if gjson.GetBytes(e.Data, "status").Str == "failed" {
			n.say(s, limits.AgentFailed)
		}
	case logfmt.Command:
		_, s.undeclared = n.model.Command(gjson.GetBytes(e.Data, "command").Str)
	case logfmt.Stop:
		if s.undeclared {
			n.say(s, limits.Undeclared)
		}
		if len(s.agents) > 0 {
			n.say(s, limits.AbandonedAgent)
		}
	case logfmt.Permission, logfmt.Notify:
		s.waits, s.question = s.last, ev == logfmt.Notify
	case logfmt.SessionEnd:
		n.end(s)
	}
}

func (n *naive) end(s *naiveSession) {
	if s.cmd != "" {
		n.say(s, limits.AbruptStop)
		if s.phases > 0 {
			n.say(s, limits.Partial)
		}
	}
	if len(s.open) > 0 {
		n.say(s, limits.KilledTool)
	}
	s.cmd, s.phase = "", ""
}

func (n *naive) call(s *naiveSession, e *logfmt.Entry) {
	data := gjson.ParseBytes(e.Data)
	head, path, id := data.Get("head").Str, data.Get("path").Str, data.Get("tool_use_id").Str
	switch e.Event {
	case logfmt.ToolStart:
		s.open[id] = true
		return
	case logfmt.Tool:
		s.fails = 0
	case logfmt.ToolFailed:
		if s.fails++; s.fails == 3 {
			n.say(s, limits.ToolFailureRun)
		}
	default:
		return
	}
	delete(s.open, id)
	what := data.Get("tool").Str + head + path
	if s.calls[what]++; s.calls[what] == 3 {
		n.say(s, limits.Loop)
	}
	if data.Get("sha256").Exists() {
		if s.calls[what] == 4 {
			n.say(s, limits.EditChurn)
		}
		if p, _ := n.model.Phase(s.phase); p.TestsOnly && !strings.Contains(path, "test") {
			n.say(s, limits.TDDViolation)
		}
	}
	if n.model.IsTestCommand(head) {
		if e.Event == logfmt.ToolFailed && s.passed[head] {
			n.say(s, limits.Regression)
		}
		s.passed[head] = e.Event == logfmt.Tool
	}
}

func (n *naive) say(s *naiveSession, kind supervisor.Type) {
	i := supervisor.Issue{Type: kind, Session: s.id, Signature: string(kind) + "/" + string(s.id), Confidence: 0.8, Since: s.last}
	if i.OfChain() {
		i.Session = ""
	}
	n.said = append(n.said, i)
}

func (n *naive) Judge(in supervisor.Input) []supervisor.Issue {
	for _, s := range n.sessions {
		since := func(m state.Mark) time.Duration { return in.Now.Sub(m.Time()) }
		if s.cmd != "" && since(s.last) > 5*time.Minute {
			n.say(s, limits.Silence)
		}
		if s.phase != "" && since(s.began) > n.model.TimeoutOf(s.phase) {
			n.say(s, limits.PhaseStuck)
		}
		if s.waits.Is() && since(s.waits) > 2*time.Minute {
			n.say(s, map[bool]supervisor.Type{false: limits.PermissionWait, true: limits.QuestionWait}[s.question])
		}
		for _, spawned := range s.agents {
			if since(spawned) > 5*time.Minute {
				n.say(s, limits.AgentSilence)
			}
		}
	}
	said := n.said
	n.said = nil
	return said
}

// naiveRun replays a scenario into the naive analyser.
func naiveRun(t *testing.T, s *scenario.Scenario) *outcome {
	o := optionsOf(t, s)
	o.Labels = labelsOf(s)
	r := New(o)
	r.fold = &naive{model: o.Model, sessions: map[logfmt.SessionID]*naiveSession{}, done: map[string]bool{}}
	return replay(s, r)
}

// TestNaiveAnalyserIsTripped: a corpus on which counting does well would prove nothing about an engine that does not.
func TestNaiveAnalyserIsTripped(t *testing.T) {
	world.Slow(t)
	naive := parts(t)[3]
	total := naive.Total()
	if total.All.Precision().Rate() > 0.6 || 2*naive.Flagged < naive.Healthy || total.All.Recall().Rate() < 0.3 {
		t.Errorf("the corpus does not tell a naive analyser from a good one: precision %s, recall %s, %d of %d healthy ones flagged",
			share(total.All.Precision()), share(total.All.Recall()), naive.Flagged, naive.Healthy)
	}
}
