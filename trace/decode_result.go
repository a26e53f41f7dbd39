package trace

func (d *decoder) result(r *ToolResultEvent) {
	d.object(func(name string) bool {
		switch name {
		case "v":
			r.V = d.int()
		case "source":
			r.Source = d.string()
		case "session":
			r.Session = d.string()
		case "message":
			r.Message = d.string()
		case "call":
			r.Call = d.string()
		case "call_index":
			r.CallIndex = d.int()
		case "event_index":
			r.EventIndex = d.int()
		case "agent_id":
			r.AgentID = d.string()
		case "time":
			r.Time = d.time()
		case "status":
			r.Status = Status(d.string())
		case "event_source":
			r.From = From(d.string())
		default:
			return d.outcome(r, name)
		}
		return true
	})
}

// outcome reads what became of a call.
func (d *decoder) outcome(r *ToolResultEvent, name string) bool {
	switch name {
	case "content":
		d.object(func(name string) bool { return d.digest(&r.Content, name) })
	case "head":
		r.Head = d.string()
	case "exit_code":
		r.ExitCode = pointer(d.int())
	case "is_error":
		r.IsError = pointer(d.bool())
	case "denied":
		r.Denied = d.string()
	case "duration_ms":
		r.DurationMS = d.int64()
	case "spawned_session":
		r.Spawned = d.string()
	default:
		return false
	}
	return true
}

func pointer[T any](v T) *T { return &v }

// digest reads one member of a digest.
func (d *decoder) digest(x *Digest, name string) bool {
	switch name {
	case "length":
		x.Length = d.int64()
	case "hash":
		x.Hash = d.string()
	default:
		return false
	}
	return true
}

func (d *decoder) relationship(r *SessionRelationship) {
	d.object(func(name string) bool {
		switch name {
		case "v":
			r.V = d.int()
		case "kind":
			r.Kind = Relation(d.string())
		case "source":
			r.Source = d.string()
		case "session":
			r.Session = d.string()
		case "related":
			r.Related = d.string()
		case "time":
			r.Time = d.time()
		case "source_session":
			r.SourceSession = d.string()
		case "source_version":
			r.SourceVersion = d.string()
		case "parent_call":
			r.ParentCall = d.string()
		case "agent_id":
			r.AgentID = d.string()
		case "agent_type":
			r.AgentType = d.string()
		case "description":
			r.Description = d.string()
		case "provenance":
			r.Provenance = Provenance(d.string())
		case "evidence":
			r.Evidence = d.string()
		default:
			return false
		}
		return true
	})
}
