package commands

import (
	"encoding/json"
	"os"
	"strings"
	"time"

	"aburn/instrument"
	"aburn/instrument/coordinator"
	"aburn/internal/journal"
	"aburn/internal/project"
	"aburn/logfmt"
)

// phaseLog writes a run's phases into the project's workflow log, so that aburn status,
// tail and the supervisor see it. Data are counts, hashes and rule ids. A nil one writes
// nothing. A log that cannot be written stops no run.
type phaseLog struct {
	log     *journal.Journal
	session logfmt.SessionID
	branch  string
	dry     bool // the run writes nothing
}

func newPhaseLog(p *project.Project, oss *os.Root, run string, dry bool) *phaseLog {
	return &phaseLog{journal.New(oss, journal.Options{By: journal.Command, Anchor: p.Anchor()}),
		logfmt.SessionID("instr-" + run[strings.LastIndexByte(run, '-')+1:]), p.Branch(), dry}
}

func (l *phaseLog) write(ev logfmt.Event, phase string, data coordinator.Data) {
	if l == nil {
		return
	}
	// The source is that of aburn log: what aburn itself writes is no work of a session.
	e := &logfmt.Entry{Cmd: "instrument", Phase: phase, Event: ev, Session: l.session, Source: "prompt", Branch: l.branch}
	if len(data) > 0 {
		text, err := json.Marshal(data)
		if err != nil {
			return
		}
		e.Data = text
	}
	_, _ = l.log.Append(func(journal.Tail) []*logfmt.Entry {
		e.Time = time.Now()
		return []*logfmt.Entry{e}
	})
}

func (l *phaseLog) start(files *instrument.Selection) {
	l.write(logfmt.Start, "", coordinator.Data{"files": len(files.Files)})
}

// phase logs each file as a phase of its own, so that one that hangs is seen.
func (l *phaseLog) phase(p coordinator.Phase, e coordinator.Event, d coordinator.Data) {
	if p == coordinator.Done || p == coordinator.Files && d["file"] == nil && e != coordinator.Went {
		return
	}
	switch e {
	case coordinator.Started:
		l.write(logfmt.PhaseStart, string(p), d)
	case coordinator.Completed:
		l.write(logfmt.PhaseComplete, string(p), d)
	case coordinator.Went:
		l.write(logfmt.Failed, string(p), d)
	}
}

// end closes the command, whatever became of it.
func (l *phaseLog) end(r *coordinator.Result, err error) {
	if l == nil {
		return
	}
	if err != nil {
		l.write(logfmt.Failed, "", coordinator.Data{"reason": err.Error()})
		return
	}
	summary := "instrumented"
	if l.dry {
		summary = "planned, nothing written"
	}
	l.write(logfmt.Complete, "", coordinator.Data{"summary": summary, "succeeded": r.Succeeded, "failed": r.Failed, "tokens": r.Usage.Total(), "branch": r.Branch,
		"stopped": r.Stopped})
}
