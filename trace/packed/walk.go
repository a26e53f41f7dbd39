package packed

import (
	"encoding/json"

	"aburn/trace"
)

func (c *coder) trace(t *trace.SessionTrace) {
	c.int(&t.V)
	outcome := string(t.Outcome)
	c.texts(&t.Source, &t.ID, &t.Agent.Name, &t.Agent.Version, &t.Project.Path, &t.Project.Key, &outcome, &t.OutcomeFrom, &t.Lineage.Root)
	t.Outcome = trace.Outcome(outcome)
	c.time(&t.Start)
	c.time(&t.End)
	c.int64(&t.ActiveMS)
	w := walk{coder: c}
	list(c, &t.Sources, c.file)
	list(c, &t.Events, w.event)
	w = walk{coder: c}
	list(c, &t.Results, w.result)
	w = walk{coder: c}
	list(c, &t.Responses, w.response)
	list(c, &t.Relationships, c.relationship)
	c.usage(&t.Usage)
	c.int(&t.Scrub.Version)
	c.int(&t.Scrub.Redacted)
	w = walk{coder: c}
	if list(c, &t.Damaged, w.damage); len(t.Damaged) == 0 {
		t.Damaged = nil
	}
	c.int(&t.Lineage.MayCopy)
	c.extra(&t.Extra)
}

func (c *coder) file(f *trace.File) {
	c.texts(&f.Path, &f.How)
}

func (c *coder) extra(raw *json.RawMessage) {
	s := string(*raw)
	c.texts(&s)
	if c.reading && s != "" {
		*raw = json.RawMessage(s)
	}
}

func (c *coder) usage(u *trace.Usage) {
	c.int64(&u.Input)
	c.int64(&u.CacheRead)
	c.int64(&u.CacheWrite)
	c.int64(&u.Output)
	c.int64(&u.Reasoning)
	c.float(&u.CostUSD)
}

// walk goes through a list whose numbers grow: it knows those of the one before.
type walk struct {
	*coder
	number, index, call, line, offset int64
}

// next is a number that grows from one to the next.
func (w *walk) next(n *int, before *int64) {
	wide := int64(*n)
	w.after(&wide, before)
	*n = int(wide)
}

// ref is a place but for its table and key.
func (w *walk) ref(r *trace.Ref) {
	w.int(&r.File)
	w.after(&r.Line, &w.line)
	w.after(&r.Offset, &w.offset)
}

func (w *walk) damage(d *trace.Damage) {
	w.ref(&d.Ref)
	w.texts(&d.Ref.Table, &d.Ref.Key, &d.Reason)
}

func (w *walk) result(r *trace.ToolResultEvent) {
	status, from := string(r.Status), string(r.From)
	w.texts(&r.Source, &r.Session, &r.Message, &r.Call, &r.AgentID, &status, &from, &r.Content.Hash, &r.Head, &r.Denied, &r.Spawned)
	r.Status, r.From = trace.Status(status), trace.From(from)
	w.int(&r.V)
	w.next(&r.CallIndex, &w.index)
	w.next(&r.EventIndex, &w.number)
	w.time(&r.Time)
	w.int64(&r.Content.Length)
	pointer(w.coder, &r.ExitCode, w.int)
	pointer(w.coder, &r.IsError, w.bool)
	w.int64(&r.DurationMS)
}

func (w *walk) response(r *trace.Response) {
	w.texts(&r.ID, &r.Model, &r.Stop, &r.Copied, &r.Ref.Table, &r.Ref.Key)
	w.next(&r.Event, &w.number)
	w.time(&r.Time)
	w.usage(&r.Usage)
	w.ref(&r.Ref)
}

func (c *coder) relationship(r *trace.SessionRelationship) {
	kind, provenance := string(r.Kind), string(r.Provenance)
	c.texts(&kind, &provenance, &r.Source, &r.Session, &r.Related, &r.SourceSession, &r.SourceVersion, &r.ParentCall, &r.AgentID, &r.AgentType,
		&r.Description, &r.Evidence)
	r.Kind, r.Provenance = trace.Relation(kind), trace.Provenance(provenance)
	c.int(&r.V)
	c.time(&r.Time)
}
