package recent

import (
	"bytes"
	"time"

	"github.com/tidwall/gjson"

	"aburn/logfmt"
	"aburn/supervisor/limits"
)

// Troubles are kinds of trouble that the end of a call can be part of.
type Troubles struct{ Loop, FailureRun, EditChurn, PhaseStuck bool }

// TroublesOf are those of some types of issues; other types are none.
func TroublesOf(types []string) (t Troubles) {
	for _, name := range types {
		if trouble := t.named(name); trouble != nil {
			*trouble = true
		}
	}
	return t
}

func (t *Troubles) named(issue string) *bool {
	switch issue {
	case limits.Loop:
		return &t.Loop
	case limits.ToolFailureRun:
		return &t.FailureRun
	case limits.EditChurn:
		return &t.EditChurn
	case limits.PhaseStuck:
		return &t.PhaseStuck
	}
	return nil
}

// Ended is a call that has just ended, as its entry is about to say it.
type Ended struct {
	Input  string // the hash of its whole input; "" if unknown
	Sha256 string // of the file that it edited; "" if it edited none
	Failed bool
	Phase  string // that is active
	At     time.Time
}

// How little makes a call suspect. The least limits that settings allow prove a loop with four equal calls, a run of
// failures with four, a churn with a content that came back twice. The default limits need six, seven and three.
const (
	earlierSame     = 3
	earlierFailures = 3
	earlierContents = 2
)

// How far back the walk goes for the next equal call, in ended calls, and in all, in lines. Mostly the journal has the
// lines in memory already. Calls that are further apart are judged at the end of the turn.
const (
	farSame    = 4
	farContent = 8
	farLines   = 96
)

// Suspect says which of the wanted troubles a call's end could be part of, from the calls of the same session in the
// same turn. It is a cheap question that comes before the supervisor's: yes means that a look is worth its time, and
// proves nothing. A type that was told in this turn is no longer suspect.
func Suspect(lines Lines, who Who, now Ended, wanted Troubles) Troubles {
	s := suspicion{
		now: now, input: member("input", now.Input), content: member("sha256", now.Sha256),
		open: Troubles{Loop: wanted.Loop && now.Input != "", FailureRun: wanted.FailureRun && now.Failed, EditChurn: wanted.EditChurn && now.Sha256 != "",
			PhaseStuck: wanted.PhaseStuck && now.Phase != ""},
	}
	n := 0
	for line := range lines {
		if n++; n > farLines || s.open == (Troubles{}) && s.found == (Troubles{}) {
			break // what was found may have been told in this turn: finding that out is cheaper than a look
		}
		h, ok := logfmt.ParseHeader(line)
		if !ok || !who.wrote(line, &h) {
			continue
		}
		switch logfmt.Event(h.Event) {
		case logfmt.Prompt:
			return s.found
		case logfmt.Delivered:
			s.told(line)
		case logfmt.Tool, logfmt.ToolFailed, logfmt.ToolDenied:
			s.call(line, &h)
		}
	}
	return s.found
}

func member(key, value string) []byte {
	if value == "" {
		return nil
	}
	return []byte(`"` + key + `":"` + value + `"`)
}

// edited is what the end of a call says that changed a file.
var edited = []byte(`"sha256":"`)

// suspicion walks back over the ended calls of one turn.
type suspicion struct {
	now                      Ended
	input, content           []byte
	open                     Troubles // neither found nor ruled out
	found                    Troubles
	calls                    int // walked over
	same, failures, contents int
	lastSame, lastContent    int // the number of the oldest call with the same input or content
}

func (s *suspicion) call(line []byte, h *logfmt.Header) {
	s.calls++
	if s.open.PhaseStuck {
		s.open.PhaseStuck = false
		s.found.PhaseStuck = s.isNextMinute(h)
	}
	if s.open.FailureRun {
		switch logfmt.Event(h.Event) {
		case logfmt.Tool:
			s.open.FailureRun = false
		case logfmt.ToolFailed:
			s.failures++
			found(s.failures == earlierFailures, &s.open.FailureRun, &s.found.FailureRun)
		}
	}
	if s.open.Loop {
		other := bytes.Contains(line, edited) && (s.content == nil || !bytes.Contains(line, s.content))
		if !other && bytes.Contains(line, s.input) {
			s.same, s.lastSame = s.same+1, s.calls
			found(s.same == earlierSame, &s.open.Loop, &s.found.Loop)
		} else if other || s.calls-s.lastSame >= farSame {
			s.open.Loop = false // an edit to another content between makes it another call
		}
	}
	if s.open.EditChurn {
		if bytes.Contains(line, s.content) {
			s.contents, s.lastContent = s.contents+1, s.calls
			found(s.contents == earlierContents, &s.open.EditChurn, &s.found.EditChurn)
		} else if s.calls-s.lastContent >= farContent {
			s.open.EditChurn = false
		}
	}
}

func found(is bool, open, found *bool) {
	if is {
		*open, *found = false, true
	}
}

// isNextMinute reports whether a minute of the clock began since the call before. So a phase costs a look a minute.
func (s *suspicion) isNextMinute(h *logfmt.Header) bool {
	before, err := time.Parse(time.RFC3339, string(h.Time))
	return err == nil && !before.Truncate(time.Minute).Equal(s.now.At.Truncate(time.Minute))
}

// told rules out the type of a DELIVERED of this turn. A later one says that the text was seen, perhaps that of an
// earlier turn.
func (s *suspicion) told(line []byte) {
	data := gjson.GetBytes(line, "data")
	if data.Get("seen").Bool() {
		return
	}
	kind := data.Get("type").Str
	if open, found := s.open.named(kind), s.found.named(kind); open != nil {
		*open, *found = false, false
	}
}
