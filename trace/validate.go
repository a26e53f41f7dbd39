package trace

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// Invalid is the error for a trace that breaks a rule. It names the rule and the place in the source.
type Invalid struct {
	Source, Session string
	Seq             int // of the event, 0 if the fault is elsewhere
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
	what := ""
	if e.Seq > 0 {
		what = fmt.Sprintf("event %d: ", e.Seq)
	}
	return fmt.Sprintf("invalid trace %s/%s: %s%s (read from %s)", e.Source, e.Session, what, e.Rule, at)
}

// Validate returns the first rule of the package's invariants that t breaks, as *Invalid.
func (t *SessionTrace) Validate() error {
	v := validator{t: t}
	v.header()
	v.events()
	v.results()
	v.responses()
	v.relationships()
	v.sums()
	if v.broken == nil {
		return nil
	}
	return v.broken
}

// validator checks a trace and keeps the first broken rule.
type validator struct {
	t      *SessionTrace
	broken *Invalid
	event  *Event // being checked
	ref    *Ref   // of what is being checked
	calls  []*ToolCall
}

// must notes the rule unless it holds. Its arguments are evaluated for each check; expensive messages go through bad.
func (v *validator) must(holds bool, rule string) {
	if !holds {
		v.bad("%s", rule)
	}
}

func (v *validator) bad(format string, args ...any) {
	if v.broken != nil {
		return
	}
	x := &Invalid{Source: v.t.Source, Session: v.t.ID, Rule: fmt.Sprintf(format, args...)}
	if v.ref != nil {
		x.Ref = *v.ref
	}
	if v.event != nil {
		x.Seq = v.event.Seq
	}
	if x.Ref.File >= 0 && x.Ref.File < len(v.t.Sources) {
		x.File = v.t.Sources[x.Ref.File].Path
	}
	v.broken = x
}

func (v *validator) word(what, got string, words ...string) {
	for _, w := range words {
		if got == w {
			return
		}
	}
	v.bad("%s is %q, none of %s", what, got, strings.Trim(strings.Join(words, ", "),
		", ")) // passing words itself would allocate for each check
}

// text checks that s is one line of valid UTF-8, at most most bytes long.
func (v *validator) text(what, s string, most int) {
	if s == "" {
		return
	}
	if len(s) > most {
		v.bad("%s has %d bytes, more than %d", what, len(s), most)
	}
	if !OneLine(s) {
		v.bad("%s is no line of text: %q", what, s)
	}
}

func (v *validator) token(what, s string) { v.text(what, s, MaxToken) }

// name checks a token that must not be empty.
func (v *validator) name(what, s string) {
	if s == "" {
		v.bad("%s is missing", what)
	}
	v.token(what, s)
}

func (v *validator) session(what, s string) { v.text(what, s, MaxSession) }

func (v *validator) hash(what, s string, digits int) {
	if s == "" {
		return
	}
	bad := len(s) != digits
	for i := 0; i < len(s) && !bad; i++ {
		bad = (s[i] < '0' || s[i] > '9') && (s[i] < 'a' || s[i] > 'f')
	}
	if bad {
		v.bad("%s is %q, not %d hex digits", what, s, digits)
	}
}

func (v *validator) digest(d *Digest) {
	v.must(d.Length >= 0, "a length is negative")
	v.hash("the hash of a content", d.Hash, 16)
}

func (v *validator) header() {
	t := v.t
	if t.V != Version {
		v.bad("v is %d, not %d", t.V, Version)
	}
	v.name("the source", t.Source)
	v.must(t.ID != "", "the id is missing")
	v.session("the id", t.ID)
	v.name("the agent's name", t.Agent.Name)
	v.token("the agent's version", t.Agent.Version)
	v.text("the project's path", t.Project.Path, MaxPath)
	v.text("the project's key", t.Project.Key, MaxPath)
	v.must(t.Project.Path == "" || t.Project.Key != "", "a project with a path needs a key")
	v.must(t.ActiveMS >= 0, "active_ms is negative")
	v.word("the outcome", string(t.Outcome), string(Completed), string(Interrupted), string(Errored), string(GaveUp), string(Running),
		string(Killed), string(Crashed), string(Unknown))
	if (t.Outcome == Unknown) != (t.OutcomeFrom == "") {
		v.bad("outcome %q from %q", t.Outcome, t.OutcomeFrom)
	}
	v.token("outcome_from", t.OutcomeFrom)
	v.must(len(t.Sources) > 0, "it names no source")
	for i := range t.Sources {
		v.must(t.Sources[i].Path != "", "a source has no path")
		v.token("how a source was read", t.Sources[i].How)
	}
	v.must(t.Scrub.Version > 0, "it was not scrubbed")
	v.must(t.Scrub.Redacted >= 0, "scrub.redacted is negative")
	v.must(t.Lineage.MayCopy >= 0 && t.Lineage.MayCopy <= len(t.Events), "lineage.may_copy is not a number of events")
	v.token("lineage.root", t.Lineage.Root)
	for i := range t.Limits {
		l := &t.Limits[i]
		v.token("the id of a limit", l.ID)
		v.must(l.WindowMinutes > 0, "a limit has no window")
		v.must(l.UsedPercent >= 0 && l.UsedPercent <= MaxUsedPercent, "a limit is used up to no percentage")
		v.must(!l.Time.IsZero(), "a limit has no time")
	}
	for i := range t.Damaged {
		d := &t.Damaged[i]
		v.ref = &d.Ref
		v.must(d.Ref.File >= 0 && d.Ref.File < len(t.Sources), "a damage names a source that is not there")
		v.must(d.Reason != "", "a damage has no reason")
		v.text("the reason of a damage", d.Reason, ErrorHead)
	}
	v.ref = nil
	if len(t.Extra) > 0 && (!json.Valid(t.Extra) || bytes.TrimLeft(t.Extra, " \t\r\n")[0] != '{') {
		v.bad("extra is no JSON object")
	}
}

// relationships checks that a session which nothing precedes is only a root, and that others name what precedes them.
func (v *validator) relationships() {
	t := v.t
	v.must(len(t.Relationships) > 0, "it has no relationship, not even root")
	for i := range t.Relationships {
		r := &t.Relationships[i]
		v.must(r.V == Version, "the v of a relationship is not 1")
		v.word("a relationship", string(r.Kind), string(Root), string(Continuation), string(Fork), string(Subagent))
		v.must(r.Source == t.Source && r.Session == t.ID, "a relationship is of another session")
		if (r.Kind == Root) != (r.Related == "") {
			v.bad("%s is related to %q", r.Kind, r.Related)
		}
		v.must(r.Kind != Root || len(t.Relationships) == 1, "a root has another relationship")
		v.must(r.Related != t.ID, "it is related to itself")
		v.session("a related session", r.Related)
		v.session("source_session", r.SourceSession)
		v.time(r.Time)
		v.word("the provenance", string(r.Provenance), string(Explicit), string(Inferred))
		v.must(r.Provenance != Inferred || r.Evidence != "", "an inferred relationship has no evidence")
		for _, s := range []string{r.SourceVersion, r.ParentCall, r.AgentID, r.AgentType, r.Evidence} {
			v.token("a member of a relationship", s)
		}
		v.text("the description of a relationship", r.Description, UserHead)
	}
}

// sums checks what Settle derives.
func (v *validator) sums() {
	t := v.t
	settled := SessionTrace{Events: t.Events, Responses: t.Responses}
	settled.Settle()
	if !settled.Start.Equal(t.Start) || !settled.End.Equal(t.End) || settled.ActiveMS != t.ActiveMS {
		v.bad("it is from %v to %v, %d ms active, and its events from %v to %v, %d ms", t.Start, t.End, t.ActiveMS,
			settled.Start, settled.End, settled.ActiveMS)
	}
	if settled.Usage != t.Usage {
		v.bad("its usage is %+v, and its responses' %+v", t.Usage, settled.Usage)
	}
}
