package target

import (
	"fmt"

	"aburn/cmd/internal/kit"
	"aburn/internal/fault"
	"aburn/internal/plain"
	"aburn/worker"
	"aburn/worker/describe"
	"aburn/worker/manager"
)

// Acted is what became of an act on one worker.
type Acted struct {
	Worker  string        `json:"worker"`
	Project string        `json:"project,omitempty"` // its root, where an act may be on workers of several projects
	Did     string        `json:"did"`
	State   string        `json:"state,omitempty"`
	Reason  worker.Reason `json:"reason,omitempty"`
	Left    int           `json:"left,omitempty"`     // processes that were ended with the agent
	GoOn    []string      `json:"go_on,omitempty"`    // workers that it had begun, and that go on
	Asked   string        `json:"question,omitempty"` // what was answered
	Error   string        `json:"error,omitempty"`
}

// What an act does.
const (
	DidKill, DidForget, DidInterrupt, DidAllow, DidDeny, DidResume = "killed", "forgotten", "interrupted", "allowed", "denied", "resumed"

	WasOver  = "over" // it had ended before
	WentOn   = "runs" // it went on already
	DidntAct = "failed"
)

// ActedOn is what became of an act on m, which now is as given.
func ActedOn(m *manager.Member, did string) Acted {
	one := Acted{Worker: m.Name, Did: did}
	if m.Worker != nil {
		one.State, one.Reason = m.Worker.State.String(), m.Worker.Reason
	}
	return one
}

// Acts tells of acts on workers: a line about each as soon as it is done, or all at the end for programs.
type Acts struct {
	a      *kit.App
	json   bool
	list   []Acted
	failed bool
}

// NewActs begins to tell, to programs if json says so.
func NewActs(a *kit.App, json bool) *Acts { return &Acts{a: a, json: json, list: []Acted{}} }

// Did tells of one act, in JSON by one and to people by text.
func (s *Acts) Did(one Acted, text string) {
	s.list = append(s.list, one)
	if !s.json {
		fmt.Fprintln(s.a.Stdout, plain.Line(text))
	}
}

// Failed tells of one act that was not done. The command ends with bad news then.
func (s *Acts) Failed(one Acted, why string, hints ...string) {
	one.Did, one.Error, s.failed = DidntAct, plain.Line(why), true
	s.list = append(s.list, one)
	if !s.json {
		s.a.Warn(plain.Line(one.Worker+": "+why), hints...)
	}
}

// Say tells people what is of no worker.
func (s *Acts) Say(text string) {
	if !s.json {
		fmt.Fprintln(s.a.Stdout, text)
	}
}

// End ends the telling with the command's exit code.
func (s *Acts) End() error {
	if s.json {
		if err := s.a.PrintJSON(s.list); err != nil {
			return err
		}
	}
	if s.failed {
		return fault.Exit(fault.ExitFailed)
	}
	return nil
}

// SayEnded tells what became of a stray.
func SayEnded(acts *Acts, s *manager.Stray, project string, n int, err error) {
	one := Acted{Worker: s.Name, Project: project, Did: DidKill, State: describe.Unaccounted, Left: n}
	if err != nil {
		acts.Failed(one, err.Error())
		return
	}
	acts.Did(one, s.Name+"  killed: "+plain.Plural(int64(n), "process", "processes")+" that no ledger knew")
}
