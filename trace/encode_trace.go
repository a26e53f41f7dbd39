package trace

func (e *encoder) trace(t *SessionTrace) {
	e.int(`{"v":`, int64(t.V))
	e.text(`,"source":`, t.Source)
	e.text(`,"id":`, t.ID)
	e.text(`,"agent":{"name":`, t.Agent.Name)
	e.textIf(`,"version":`, t.Agent.Version)
	e.raw(`},"project":`)
	e.project(t.Project)
	e.timeIf(`,"start":`, t.Start)
	e.timeIf(`,"end":`, t.End)
	e.int(`,"active_ms":`, t.ActiveMS)
	e.text(`,"outcome":`, string(t.Outcome))
	e.textIf(`,"outcome_from":`, t.OutcomeFrom)
	list(e, `,"events":`, t.Events, e.event)
	list(e, `,"results":`, t.Results, e.result)
	list(e, `,"responses":`, t.Responses, e.response)
	list(e, `,"relationships":`, t.Relationships, e.relationship)
	e.usage(`,"usage":`, &t.Usage)
	if len(t.Limits) > 0 {
		e.any(`,"limits":`, t.Limits)
	}
	list(e, `,"sources":`, t.Sources, e.file)
	e.int(`,"scrub":{"version":`, int64(t.Scrub.Version))
	e.int(`,"redacted":`, int64(t.Scrub.Redacted))
	e.raw("}")
	if len(t.Damaged) > 0 {
		list(e, `,"damaged":`, t.Damaged, e.damage)
	}
	if t.Lineage != (Lineage{}) {
		e.any(`,"lineage":`, t.Lineage)
	}
	if len(t.Extra) > 0 {
		e.any(`,"extra":`, t.Extra)
	}
	e.raw("}")
}

func (e *encoder) project(p Project) {
	e.raw("{")
	e.textIf(`"path":`, p.Path)
	if p.Path != "" && p.Key != "" {
		e.raw(",")
	}
	e.textIf(`"key":`, p.Key)
	e.raw("}")
}

func (e *encoder) file(f *File) {
	e.text(`{"path":`, f.Path)
	e.textIf(`,"how":`, f.How)
	e.raw("}")
}

func (e *encoder) damage(d *Damage) {
	e.ref(`{"ref":`, &d.Ref)
	e.text(`,"reason":`, d.Reason)
	e.raw("}")
}

func (e *encoder) ref(name string, r *Ref) {
	e.raw(name)
	e.raw("{")
	at := len(e.buf)
	e.intIf(`,"file":`, int64(r.File))
	e.intIf(`,"line":`, r.Line)
	e.intIf(`,"offset":`, r.Offset)
	e.textIf(`,"table":`, r.Table)
	e.textIf(`,"key":`, r.Key)
	if len(e.buf) > at { // the comma before the first one
		e.buf = append(e.buf[:at], e.buf[at+1:]...)
	}
	e.raw("}")
}

func (e *encoder) usage(name string, u *Usage) {
	e.raw(name)
	e.int(`{"input":`, u.Input)
	e.int(`,"cache_read":`, u.CacheRead)
	e.int(`,"cache_write":`, u.CacheWrite)
	e.intIf(`,"cache_write_5m":`, u.CacheWrite5m)
	e.intIf(`,"cache_write_1h":`, u.CacheWrite1h)
	e.int(`,"output":`, u.Output)
	e.intIf(`,"reasoning":`, u.Reasoning)
	e.intIf(`,"web_searches":`, u.Searches)
	if u.CostUSD != 0 {
		e.any(`,"cost_usd":`, u.CostUSD)
	}
	e.raw("}")
}

func (e *encoder) digest(name string, d *Digest) {
	e.int(name, d.Length)
	e.textIf(`,"hash":`, d.Hash)
}

func (e *encoder) result(r *ToolResultEvent) {
	e.int(`{"v":`, int64(r.V))
	e.text(`,"source":`, r.Source)
	e.text(`,"session":`, r.Session)
	e.textIf(`,"message":`, r.Message)
	e.text(`,"call":`, r.Call)
	e.int(`,"call_index":`, int64(r.CallIndex))
	e.int(`,"event_index":`, int64(r.EventIndex))
	e.textIf(`,"agent_id":`, r.AgentID)
	e.timeIf(`,"time":`, r.Time)
	e.text(`,"status":`, string(r.Status))
	e.text(`,"event_source":`, string(r.From))
	e.digest(`,"content":{"length":`, &r.Content)
	e.raw("}")
	e.textIf(`,"head":`, r.Head)
	e.intPointer(`,"exit_code":`, r.ExitCode)
	if r.IsError != nil {
		e.bool(`,"is_error":`, *r.IsError)
	}
	e.textIf(`,"denied":`, r.Denied)
	e.intIf(`,"duration_ms":`, r.DurationMS)
	e.textIf(`,"spawned_session":`, r.Spawned)
	e.raw("}")
}

func (e *encoder) response(r *Response) {
	e.text(`{"id":`, r.ID)
	e.textIf(`,"model":`, r.Model)
	e.textIf(`,"tier":`, r.Tier)
	e.textIf(`,"geo":`, r.Geo)
	e.textIf(`,"branch":`, r.Branch)
	e.int(`,"event":`, int64(r.Event))
	e.timeIf(`,"time":`, r.Time)
	e.usage(`,"usage":`, &r.Usage)
	e.textIf(`,"stop":`, r.Stop)
	e.ref(`,"ref":`, &r.Ref)
	e.textIf(`,"copied":`, r.Copied)
	e.raw("}")
}

func (e *encoder) relationship(r *SessionRelationship) {
	e.int(`{"v":`, int64(r.V))
	e.text(`,"kind":`, string(r.Kind))
	e.text(`,"source":`, r.Source)
	e.text(`,"session":`, r.Session)
	e.textIf(`,"related":`, r.Related)
	e.timeIf(`,"time":`, r.Time)
	e.textIf(`,"source_session":`, r.SourceSession)
	e.textIf(`,"source_version":`, r.SourceVersion)
	e.textIf(`,"parent_call":`, r.ParentCall)
	e.textIf(`,"agent_id":`, r.AgentID)
	e.textIf(`,"agent_type":`, r.AgentType)
	e.textIf(`,"description":`, r.Description)
	e.text(`,"provenance":`, string(r.Provenance))
	e.textIf(`,"evidence":`, r.Evidence)
	e.raw("}")
}
