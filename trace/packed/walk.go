package packed

import (
	"encoding/json"

	"aburn/internal/wire"
	"aburn/trace"
)

func (c *coder) trace(t *trace.SessionTrace) {
	c.Int(&t.V)
	c.texts(&t.Source, &t.ID, &t.Agent.Name, &t.Agent.Version, &t.Project.Path, &t.Project.Key,
		(*string)(&t.Outcome), &t.OutcomeFrom, &t.Lineage.Root)
	c.Time(&t.Start)
	c.Time(&t.End)
	c.Int64(&t.ActiveMS)
	wire.List(c, &t.Sources, nil, 1, (*coder).file)
	c.last = last{}
	wire.List(c, &t.Events, nil, 9, (*coder).event)
	c.last = last{}
	wire.List(c, &t.Results, nil, 9, (*coder).result)
	c.last = last{}
	wire.List(c, &t.Responses, nil, 18, (*coder).response)
	wire.List(c, &t.Relationships, nil, 3, (*coder).relationship)
	c.usage(&t.Usage)
	if c.version >= 2 {
		wire.List(c, &t.Limits, nil, 5, (*coder).limit)
	}
	c.Int(&t.Scrub.Version)
	c.Int(&t.Scrub.Redacted)
	c.last = last{}
	wire.List(c, &t.Damaged, nil, 4, (*coder).damage)
	c.Int(&t.Lineage.MayCopy)
	c.extra(&t.Extra)
}

func (c *coder) limit(l *trace.Limit) {
	c.texts(&l.ID)
	c.Int64(&l.WindowMinutes)
	c.Float(&l.UsedPercent)
	c.Time(&l.Resets)
	c.Time(&l.Time)
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
	c.Int64(&u.CacheWrite5m)
	c.Int64(&u.CacheWrite1h)
	c.Int64(&u.Output)
	c.Int64(&u.Reasoning)
	c.Int64(&u.Searches)
	c.Float(&u.CostUSD)
}

// last holds the numbers of the entry before, for lists whose numbers grow.
type last struct{ number, index, call, line, offset int64 }

// next codes a number that grows from entry to entry.
func (c *coder) next(n *int, before *int64) {
	wide := int64(*n)
	if c.After(&wide, before); c.Reading() {
		*n = int(wide)
	}
}

// ref codes a place without its table and key.
func (c *coder) ref(r *trace.Ref) {
	c.Int(&r.File)
	c.After(&r.Line, &c.last.line)
	c.After(&r.Offset, &c.last.offset)
}

func (c *coder) damage(d *trace.Damage) {
	c.ref(&d.Ref)
	c.texts(&d.Ref.Table, &d.Ref.Key, &d.Reason)
}

func (c *coder) result(r *trace.ToolResultEvent) {
	c.texts(&r.Source, &r.Session, &r.Message, &r.Call, &r.AgentID, (*string)(&r.Status), (*string)(&r.From),
		&r.Content.Hash, &r.Head, &r.Denied, &r.Spawned)
	c.Int(&r.V)
	c.next(&r.CallIndex, &c.last.index)
	c.next(&r.EventIndex, &c.last.number)
	c.Time(&r.Time)
	c.Int64(&r.Content.Length)
	wire.Pointer(c, &r.ExitCode, nil, (*coder).Int)
	wire.Pointer(c, &r.IsError, nil, (*coder).Bool)
	c.Int64(&r.DurationMS)
}

func (c *coder) response(r *trace.Response) {
	c.texts(&r.ID, &r.Model, &r.Tier, &r.Geo, &r.Branch, &r.Stop, &r.Copied, &r.Ref.Table, &r.Ref.Key)
	c.next(&r.Event, &c.last.number)
	c.Time(&r.Time)
	c.usage(&r.Usage)
	c.ref(&r.Ref)
}

func (c *coder) relationship(r *trace.SessionRelationship) {
	c.texts((*string)(&r.Kind), (*string)(&r.Provenance), &r.Source, &r.Session, &r.Related, &r.SourceSession,
		&r.SourceVersion, &r.ParentCall, &r.AgentID, &r.AgentType,
		&r.Description, &r.Evidence)
	c.Int(&r.V)
	c.Time(&r.Time)
}
