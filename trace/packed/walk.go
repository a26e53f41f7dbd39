package packed

import (
	"encoding/json"

	"aburn/internal/wire"
	"aburn/trace"
)

func (c *coder) trace(t *trace.SessionTrace) {
	c.Int(&t.V)
	c.texts(&t.Source, &t.ID, &t.Agent.Name, &t.Agent.Version, &t.Project.Path, &t.Project.Key, (*string)(&t.Outcome), &t.OutcomeFrom, &t.Lineage.Root)
	c.Time(&t.Start)
	c.Time(&t.End)
	c.Int64(&t.ActiveMS)
	wire.List(c, &t.Sources, nil, 1, (*coder).file)
	w := &walk{coder: c}
	wire.List(w, &t.Events, nil, 9, (*walk).event)
	w = &walk{coder: c}
	wire.List(w, &t.Results, nil, 9, (*walk).result)
	w = &walk{coder: c}
	wire.List(w, &t.Responses, nil, 12, (*walk).response)
	wire.List(c, &t.Relationships, nil, 3, (*coder).relationship)
	c.usage(&t.Usage)
	c.Int(&t.Scrub.Version)
	c.Int(&t.Scrub.Redacted)
	w = &walk{coder: c}
	wire.List(w, &t.Damaged, nil, 4, (*walk).damage)
	c.Int(&t.Lineage.MayCopy)
	c.extra(&t.Extra)
}

func (c *coder) file(f *trace.File) {
	c.texts(&f.Path, &f.How)
}

func (c *coder) extra(raw *json.RawMessage) {
	s := string(*raw)
	c.texts(&s)
	if c.Reading() && s != "" {
		*raw = json.RawMessage(s)
	}
}

func (c *coder) usage(u *trace.Usage) {
	c.Int64(&u.Input)
	c.Int64(&u.CacheRead)
	c.Int64(&u.CacheWrite)
	c.Int64(&u.Output)
	c.Int64(&u.Reasoning)
	c.Float(&u.CostUSD)
}

// walk goes through a list whose numbers grow: it knows those of the one before.
type walk struct {
	*coder
	number, index, call, line, offset int64
}

// next is a number that grows from one to the next.
func (w *walk) next(n *int, before *int64) {
	wide := int64(*n)
	if w.After(&wide, before); w.Reading() {
		*n = int(wide)
	}
}

// ref is a place but for its table and key.
func (w *walk) ref(r *trace.Ref) {
	w.Int(&r.File)
	w.After(&r.Line, &w.line)
	w.After(&r.Offset, &w.offset)
}

func (w *walk) damage(d *trace.Damage) {
	w.ref(&d.Ref)
	w.texts(&d.Ref.Table, &d.Ref.Key, &d.Reason)
}

func (w *walk) result(r *trace.ToolResultEvent) {
	w.texts(&r.Source, &r.Session, &r.Message, &r.Call, &r.AgentID, (*string)(&r.Status), (*string)(&r.From), &r.Content.Hash, &r.Head, &r.Denied, &r.Spawned)
	w.Int(&r.V)
	w.next(&r.CallIndex, &w.index)
	w.next(&r.EventIndex, &w.number)
	w.Time(&r.Time)
	w.Int64(&r.Content.Length)
	wire.Pointer(w, &r.ExitCode, nil, (*walk).Int)
	wire.Pointer(w, &r.IsError, nil, (*walk).Bool)
	w.Int64(&r.DurationMS)
}

func (w *walk) response(r *trace.Response) {
	w.texts(&r.ID, &r.Model, &r.Stop, &r.Copied, &r.Ref.Table, &r.Ref.Key)
	w.next(&r.Event, &w.number)
	w.Time(&r.Time)
	w.usage(&r.Usage)
	w.ref(&r.Ref)
}

func (c *coder) relationship(r *trace.SessionRelationship) {
	c.texts((*string)(&r.Kind), (*string)(&r.Provenance), &r.Source, &r.Session, &r.Related, &r.SourceSession, &r.SourceVersion, &r.ParentCall, &r.AgentID, &r.AgentType,
		&r.Description, &r.Evidence)
	c.Int(&r.V)
	c.Time(&r.Time)
}
