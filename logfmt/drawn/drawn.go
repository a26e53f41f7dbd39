// Package drawn turns a log drawn in one line into the entries that it stands for, so that a test shows a story at a
// glance; only tests import it.
//
// A drawing is words with blanks between them. Each word is one entry, one second after the one before, or changes what
// follows:
//
//	plan>            START of plan
//	plan.            COMPLETE; plan! FAILED; plan* MILESTONE
//	build:RED>       PHASE_START of RED in build; build:RED. PHASE_COMPLETE; build:RED! the phase failed
//	plan.[a.md,b.md] with outputs
//	plan.->build     with the next suggested command; both: plan.[a.md]->build
//	tester~plan.     of the sub-agent tester
//	t  t*500         a tool call's end; 500 of them
//	@A               what follows is of session A (@ alone: of none)
//	/feature         what follows is made in the worktree feature (/ alone: in the main one)
//	%main            what follows is made on the branch main (% alone: none is known)
//	+5m              so much time passes
//	#                a line that is no entry
//
// Entries are numbered from 1. A word that means nothing is a panic: a test with a wrong drawing proves nothing.
package drawn

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"aburn/logfmt"
)

// Epoch is when the first entry of every drawing is made.
var Epoch = time.Date(2026, time.November, 21, 10, 0, 0, 0, time.UTC)

// Line is one line of a drawn log: an entry, or text that is none.
type Line struct {
	Entry *logfmt.Entry // nil: Junk
	Junk  string
}

// Lines draws the log, and says when it ends: one second after the last entry.
func Lines(drawing string) ([]Line, time.Time) {
	p := pen{at: Epoch}
	for word := range strings.FieldsSeq(drawing) {
		p.word(word)
	}
	return p.lines, p.at
}

// Log is the drawing as the bytes of a log, and when it ends.
func Log(drawing string) ([]byte, time.Time) {
	lines, end := Lines(drawing)
	out := []byte(logfmt.FirstLine)
	for _, l := range lines {
		if l.Entry == nil {
			out = append(out, l.Junk+"\n"...)
			continue
		}
		var err error
		if out, err = l.Entry.AppendTo(out); err != nil {
			panic(fmt.Sprintf("drawn: %v", err))
		}
	}
	return out, end
}

// pen is where in the drawing we are.
type pen struct {
	lines      []Line
	seq        logfmt.Seq
	at         time.Time
	session    logfmt.SessionID
	wt, branch string
}

func (p *pen) word(word string) {
	switch word[0] {
	case '@':
		p.session = logfmt.SessionID(word[1:])
	case '/':
		p.wt = word[1:]
	case '%':
		p.branch = word[1:]
	case '+':
		d, err := time.ParseDuration(word[1:])
		if err != nil {
			panic("drawn: " + err.Error())
		}
		p.at = p.at.Add(d)
	case '#':
		p.lines = append(p.lines, Line{Junk: `{"ts":"2026-11-21T10:00:00.000Z","cmd":"plan","eve`})
	default:
		if n, ok := tools(word); ok {
			for range n {
				p.entry(logfmt.Entry{Cmd: logfmt.SessionCmd, Event: logfmt.Tool, Source: "claude", Data: []byte(`{"tool":"Bash","head":"go test ./..."}`)})
			}
			return
		}
		p.lifecycle(word)
	}
}

// tools reads t and t*500.
func tools(word string) (int, bool) {
	if word == "t" {
		return 1, true
	}
	times, ok := strings.CutPrefix(word, "t*")
	if !ok {
		return 0, false
	}
	n, err := strconv.Atoi(times)
	return n, err == nil
}

func (p *pen) lifecycle(word string) {
	e := logfmt.Entry{Source: "prompt", Branch: p.branch}
	sign := strings.IndexAny(word, ">.!*")
	if sign < 1 {
		panic("drawn: what is " + strconv.Quote(word) + "?")
	}
	name := word[:sign]
	if agent, own, ok := strings.Cut(name, "~"); ok {
		e.Agent = &logfmt.Agent{Type: agent, ID: agent + "-1"}
		name = own
	}
	e.Cmd, e.Phase, _ = strings.Cut(name, ":")
	e.Event = event(word[sign], e.Phase != "")
	e.Data = details(word[sign+1:], word)
	p.entry(e)
}

func event(sign byte, phased bool) logfmt.Event {
	switch sign {
	case '*':
		return logfmt.Milestone
	case '!':
		return logfmt.Failed
	case '>':
		if phased {
			return logfmt.PhaseStart
		}
		return logfmt.Start
	}
	if phased {
		return logfmt.PhaseComplete
	}
	return logfmt.Complete
}

// details reads what stands behind the sign: [outputs], then ->next.
func details(s, word string) []byte {
	if s == "" {
		return nil
	}
	var data logfmt.Object
	if inner, rest, ok := strings.Cut(strings.TrimPrefix(s, "["), "]"); ok && s[0] == '[' {
		var outputs []string
		for path := range strings.SplitSeq(inner, ",") {
			outputs = append(outputs, strconv.Quote(path))
		}
		data.Raw("outputs", []byte("["+strings.Join(outputs, ",")+"]"))
		s = rest
	}
	if next, ok := strings.CutPrefix(s, "->"); ok {
		data.Str("next_suggested", next)
	} else if s != "" {
		panic("drawn: what is " + strconv.Quote(s) + " in " + strconv.Quote(word) + "?")
	}
	return data.Bytes()
}

// entry completes e and moves on by a second.
func (p *pen) entry(e logfmt.Entry) {
	e.Time, e.Session, e.Wt = p.at, p.session, p.wt
	p.seq++
	e.Seq = p.seq
	e.ID = fmt.Sprintf("%016d", e.Seq)
	p.lines = append(p.lines, Line{Entry: &e})
	p.at = p.at.Add(time.Second)
}
