package trace

func (d *decoder) trace(t *SessionTrace) {
	d.object(func(name string) bool {
		switch name {
		case "v":
			t.V = d.int()
		case "source":
			t.Source = d.string()
		case "id":
			t.ID = d.string()
		case "agent":
			d.agent(&t.Agent)
		case "project":
			d.project(&t.Project)
		case "start":
			t.Start = d.time()
		case "end":
			t.End = d.time()
		case "active_ms":
			t.ActiveMS = d.int64()
		case "outcome":
			t.Outcome = Outcome(d.string())
		case "outcome_from":
			t.OutcomeFrom = d.string()
		case "usage":
			d.usage(&t.Usage)
		case "scrub":
			d.scrub(&t.Scrub)
		case "lineage":
			d.lineage(&t.Lineage)
		case "extra":
			t.Extra = d.skipped()
		default:
			return d.lists(t, name)
		}
		return true
	})
}

// lists reads the members of a trace that are lists.
func (d *decoder) lists(t *SessionTrace, name string) bool {
	switch name {
	case "events":
		t.Events = array(d, `{"seq":`, d.event)
	case "results":
		t.Results = array(d, `{"v":`, d.result)
	case "responses":
		t.Responses = array(d, `{"id":`, d.response)
	case "relationships":
		t.Relationships = array(d, `{"v":`, d.relationship)
	case "sources":
		t.Sources = array(d, `{"path":`, d.file)
	case "damaged":
		t.Damaged = array(d, `{"ref":`, d.damage)
	default:
		return false
	}
	return true
}

func (d *decoder) agent(a *Agent) {
	d.object(func(name string) bool {
		switch name {
		case "name":
			a.Name = d.string()
		case "version":
			a.Version = d.string()
		default:
			return false
		}
		return true
	})
}

func (d *decoder) project(p *Project) {
	d.object(func(name string) bool {
		switch name {
		case "path":
			p.Path = d.string()
		case "key":
			p.Key = d.string()
		default:
			return false
		}
		return true
	})
}

func (d *decoder) file(f *File) {
	d.object(func(name string) bool {
		switch name {
		case "path":
			f.Path = d.string()
		case "how":
			f.How = d.string()
		default:
			return false
		}
		return true
	})
}

func (d *decoder) scrub(s *Scrub) {
	d.object(func(name string) bool {
		switch name {
		case "version":
			s.Version = d.int()
		case "redacted":
			s.Redacted = d.int()
		default:
			return false
		}
		return true
	})
}

func (d *decoder) lineage(l *Lineage) {
	d.object(func(name string) bool {
		switch name {
		case "root":
			l.Root = d.string()
		case "may_copy":
			l.MayCopy = d.int()
		default:
			return false
		}
		return true
	})
}

func (d *decoder) damage(x *Damage) {
	d.object(func(name string) bool {
		switch name {
		case "ref":
			d.ref(&x.Ref)
		case "reason":
			x.Reason = d.string()
		default:
			return false
		}
		return true
	})
}

func (d *decoder) ref(r *Ref) {
	d.object(func(name string) bool {
		switch name {
		case "file":
			r.File = d.int()
		case "line":
			r.Line = d.int64()
		case "offset":
			r.Offset = d.int64()
		case "table":
			r.Table = d.string()
		case "key":
			r.Key = d.string()
		default:
			return false
		}
		return true
	})
}

func (d *decoder) usage(u *Usage) {
	d.object(func(name string) bool {
		switch name {
		case "input":
			u.Input = d.int64()
		case "cache_read":
			u.CacheRead = d.int64()
		case "cache_write":
			u.CacheWrite = d.int64()
		case "output":
			u.Output = d.int64()
		case "reasoning":
			u.Reasoning = d.int64()
		case "cost_usd":
			u.CostUSD = d.float()
		default:
			return false
		}
		return true
	})
}

func (d *decoder) response(r *Response) {
	d.object(func(name string) bool {
		switch name {
		case "id":
			r.ID = d.string()
		case "model":
			r.Model = d.string()
		case "event":
			r.Event = d.int()
		case "time":
			r.Time = d.time()
		case "usage":
			d.usage(&r.Usage)
		case "stop":
			r.Stop = d.string()
		case "ref":
			d.ref(&r.Ref)
		case "copied":
			r.Copied = d.string()
		default:
			return false
		}
		return true
	})
}
