package home

import (
	"fmt"
	"path"
	"strconv"
	"time"

	"aburn/logfmt"
	"aburn/trace"
)

// hooked is a session that aburn's hooks record in a project's workflow log.
type hooked struct {
	t      *Session
	left   int // prompts to come
	ending string
	call   string // that runs
	tool   string
	done   bool
}

// ownSession writes the workflow log of a project in which a few sessions work at once.
func ownSession(m *maker, r *random, has features) {
	now := m.begin(r)
	name := "project" + strconv.Itoa(m.made["own"])
	f := m.create("own", path.Join("work", name, ".oss", "workflow.log"))
	f.s(logfmt.FirstLine).appended("head")
	w := &workflow{file: f, r: r, now: now}
	var all []*hooked
	for i := range r.from(2, 4) {
		s := &hooked{left: r.from(1, 4), ending: pick(r, []string{"", "", "killed", "failed", "cut"})}
		if i == 0 { // what the whole log is named for
			for _, ending := range []string{"killed", "failed", "cut"} {
				if has[ending] {
					s.ending = ending
				}
			}
		}
		s.t = &Session{Source: "own", ID: r.uuid(), File: f.path, Main: true, Kind: trace.Root, Linked: true, Outcome: trace.Completed}
		all = append(all, s)
	}
	for running := len(all); running > 0; {
		s := pick(r, all)
		if s.done {
			continue
		}
		if w.step(s); s.done {
			running--
		}
	}
	f.close(w.now)
	for _, s := range all {
		m.note(s.t)
	}
}

// workflow is a log while it is written.
type workflow struct {
	*file
	r   *random
	seq logfmt.Seq
	now int64
}

// log appends an entry of a session. data is its members, a JSON object.
func (w *workflow) log(s *hooked, event logfmt.Event, data string) {
	w.now += int64(w.r.from(5, 3000))
	if s.t.Start == 0 {
		s.t.Start = w.now
	}
	w.seq++
	e := &logfmt.Entry{Time: time.UnixMilli(w.now), Cmd: logfmt.SessionCmd, Event: event, Session: logfmt.SessionID(s.t.ID), Seq: w.seq, ID: w.r.hex(16),
		Source: "claude", Data: []byte(data)}
	b, err := e.AppendTo(w.b)
	if err != nil {
		if w.m.err == nil {
			w.m.err = fmt.Errorf("workflow log: %w", err)
		}
		return
	}
	w.b = b
	w.appended(string(event))
}

// step writes what a session does next.
func (w *workflow) step(s *hooked) {
	switch {
	case s.t.Start == 0:
		w.log(s, logfmt.SessionStart, `{"source":"startup","client":"claude-code"}`)
		w.ask(s)
	case s.call != "":
		w.ends(s)
	case w.r.percent(70):
		w.calls(s)
	case s.left > 0:
		w.log(s, logfmt.Stop, `{"hook_us":300}`)
		w.ask(s)
	default:
		w.leaves(s)
	}
}

func (w *workflow) ask(s *hooked) {
	s.left--
	s.t.Prompts++
	w.log(s, logfmt.Prompt, `{"head":`+quoted(w.m.texts.words(w.r, 6))+`,"chars":40}`)
}

func (w *workflow) calls(s *hooked) {
	s.call, s.tool = "toolu_01"+w.r.alnum(22), pick(w.r, []string{"Bash", "Bash", "Read", "Edit"})
	s.t.called(s.tool)
	w.log(s, logfmt.ToolStart, `{"tool":"`+s.tool+`","tool_use_id":"`+s.call+`","head":"make x","input":"`+w.r.hex(8)+`"}`)
}

// ends is what became of the call that runs.
func (w *workflow) ends(s *hooked) {
	call := `{"tool":"` + s.tool + `","tool_use_id":"` + s.call + `"`
	s.call = ""
	switch draw := w.r.below(100); {
	case draw < 8:
		s.t.failed(s.tool)
		w.log(s, logfmt.ToolFailed, call+`,"exit_code":2,"error":`+quoted(w.m.texts.words(w.r, 8))+`,"duration_ms":90}`)
	case draw < 11:
		s.t.failed(s.tool)
		s.t.Denied++
		w.log(s, logfmt.ToolDenied, call+`,"reason":"permission-rule"}`)
	default:
		w.log(s, logfmt.Tool, call+`,"exit_code":0,"duration_ms":70}`)
	}
}

// leaves ends the session.
func (w *workflow) leaves(s *hooked) {
	s.done = true
	switch s.ending {
	case "killed": // within a call, and nothing behind it
		w.calls(s)
		s.t.NoResult++
		s.t.Outcome = trace.Killed
		return
	case "failed":
		w.log(s, logfmt.TurnFailed, `{"error":"server_error","reason":`+quoted(w.m.texts.words(w.r, 5))+`}`)
		s.t.Errors++
		s.t.Outcome = trace.Errored
	case "cut": // the program ended within a call
		w.calls(s)
		s.t.NoResult++
		s.t.Outcome = trace.Interrupted
	default:
		w.log(s, logfmt.Stop, `{"hook_us":300}`)
	}
	w.log(s, logfmt.SessionEnd, `{"reason":"other"}`)
}
