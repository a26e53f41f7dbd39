package trace

import "fmt"

// Invalid is a trace that breaks a rule: which one, and where in the source what broke it was read.
type Invalid struct {
	Source, Session string
	Seq             int // of the event, 0 if it is not an event's
	Ref             Ref
	File            string // of Ref
	Rule            string
}

func (e *Invalid) Error() string {
	at := e.File
	switch {
	case e.Ref.Line > 0:
		at = fmt.Sprintf("%s:%d (byte %d)", e.File, e.Ref.Line, e.Ref.Offset)
	case e.Ref.Table != "":
		at = fmt.Sprintf("%s: %s %s", e.File, e.Ref.Table, e.Ref.Key)
	}
	return fmt.Sprintf("invalid trace %s/%s: event %d: %s (read from %s)", e.Source, e.Session, e.Seq, e.Rule, at)
}

// Validate returns the first rule of the package's invariants that t breaks, as *Invalid.
func (t *SessionTrace) Validate() error {
	bad := func(e *Event, format string, args ...any) error {
		x := &Invalid{Source: t.Source, Session: t.ID, Rule: fmt.Sprintf(format, args...)}
		if e != nil {
			x.Seq, x.Ref = e.Seq, e.Ref
		}
		if x.Ref.File < len(t.Sources) && x.Ref.File >= 0 {
			x.File = t.Sources[x.Ref.File].Path
		}
		return x
	}
	switch {
	case t.V != Version:
		return bad(nil, "v is %d, not %d", t.V, Version)
	case t.Source == "" || t.ID == "" || t.Agent.Name == "":
		return bad(nil, "source, id and agent must be there")
	case len(t.Sources) == 0:
		return bad(nil, "it names no source")
	case len(t.Relationships) == 0:
		return bad(nil, "it has no relationship, not even root")
	case (t.Outcome == Unknown) != (t.OutcomeFrom == ""):
		return bad(nil, "outcome %q from %q", t.Outcome, t.OutcomeFrom)
	}
	calls := map[int]string{}
	for i := range t.Events {
		e := &t.Events[i]
		switch {
		case e.Seq != i+1:
			return bad(e, "it has the number %d", i+1)
		case e.Body == nil:
			return bad(e, "it has no body")
		case e.Ref.File < 0 || e.Ref.File >= len(t.Sources):
			return bad(e, "its ref names source %d of %d", e.Ref.File, len(t.Sources))
		case e.Ref.Line == 0 && e.Ref.Table == "":
			return bad(e, "it does not say where it was read")
		}
		switch b := e.Body.(type) {
		case *ToolCall:
			if b.Call == "" || b.Tool == "" || b.Type == "" {
				return bad(e, "a call needs an id, a tool and a type")
			}
			calls[b.Index] = b.Call
			if b.Index != len(calls) {
				return bad(e, "the call's index is %d, not %d", b.Index, len(calls))
			}
		case *ToolResult:
			if b.Result < 0 || b.Result >= len(t.Results) {
				return bad(e, "it names result %d of %d", b.Result, len(t.Results))
			}
			r := &t.Results[b.Result]
			if r.EventIndex != e.Seq || r.Call != b.Call {
				return bad(e, "result %d is of event %d and call %q", b.Result, r.EventIndex, r.Call)
			}
			if r.CallIndex != 0 && calls[r.CallIndex] != b.Call {
				return bad(e, "no call %q with index %d comes before it", b.Call, r.CallIndex)
			}
		}
	}
	for i := range t.Results {
		r := &t.Results[i]
		if r.EventIndex < 1 || r.EventIndex > len(t.Events) {
			return bad(nil, "result %d is of no event", i)
		}
		e := &t.Events[r.EventIndex-1]
		if b, ok := e.Body.(*ToolResult); !ok || b.Result != i {
			return bad(e, "result %d names it, and it does not name that", i)
		}
	}
	return nil
}
