package trace

func (d *decoder) event(e *Event) {
	at, kind, bodies := d.at, "", 0
	d.object(func(name string) bool {
		switch name {
		case "seq":
			e.Seq = d.int()
		case "time":
			e.Time = d.time()
		case "ref":
			d.ref(&e.Ref)
		case "record":
			e.Record = d.string()
		case "turn":
			e.Turn = d.string()
		case "by":
			e.By = d.string()
		case "copied":
			e.Copied = d.string()
		case "abandoned":
			e.Abandoned = d.bool()
		case "inferred":
			e.Inferred = d.string()
		case "kind":
			kind = d.string()
		default:
			bodies++
			e.Body = d.body(name)
			return e.Body != nil
		}
		return true
	})
	if d.err == nil && (bodies != 1 || e.Body.Kind() != kind) {
		d.at = at
		d.fail("event %d: kind %q with %d bodies", e.Seq, kind, bodies)
	}
}

// body reads the body of an event of this kind; nil if there is no such kind.
func (d *decoder) body(kind string) Body {
	switch kind {
	case KindUserMessage:
		return d.userMessage()
	case KindAgentMessage:
		return d.agentMessage()
	case KindToolCall:
		return d.toolCall()
	case KindToolResult:
		return d.toolResult()
	case KindFileChange:
		return d.fileChange()
	case KindError:
		return d.error()
	case KindInterrupt:
		return d.interrupt()
	case KindSubagentSpawn:
		return d.spawn()
	case KindSession:
		return d.session()
	}
	return nil
}

func (d *decoder) userMessage() *UserMessage {
	b := new(UserMessage)
	d.object(func(name string) bool {
		switch name {
		case "head":
			b.Head = d.string()
		case "machine":
			b.Machine = d.string()
		case "command":
			b.Command = d.string()
		default:
			return d.digest(&b.Digest, name)
		}
		return true
	})
	return b
}

func (d *decoder) agentMessage() *AgentMessage {
	b := new(AgentMessage)
	d.object(func(name string) bool {
		switch name {
		case "thought":
			b.Thought = d.bool()
		case "response":
			b.Response = d.string()
		default:
			return d.digest(&b.Digest, name)
		}
		return true
	})
	return b
}

func (d *decoder) toolCall() *ToolCall {
	b := new(ToolCall)
	d.object(func(name string) bool {
		switch name {
		case "call":
			b.Call = d.string()
		case "index":
			b.Index = d.int()
		case "tool":
			b.Tool = d.string()
		case "type":
			b.Type = ToolType(d.string())
		case "input":
			d.object(func(name string) bool { return d.digest(&b.Input, name) })
		case "key":
			b.Key = d.string()
		case "path":
			b.Path = d.string()
		case "head":
			b.Head = d.string()
		case "response":
			b.Response = d.string()
		case "parent":
			b.Parent = d.string()
		case "container":
			b.Container = d.bool()
		default:
			return false
		}
		return true
	})
	return b
}

func (d *decoder) toolResult() *ToolResult {
	b := new(ToolResult)
	d.object(func(name string) bool {
		switch name {
		case "call":
			b.Call = d.string()
		case "result":
			b.Result = d.int()
		default:
			return false
		}
		return true
	})
	return b
}

func (d *decoder) fileChange() *FileChange {
	b := new(FileChange)
	d.object(func(name string) bool {
		switch name {
		case "path":
			b.Path = d.string()
		case "from":
			b.From = d.string()
		case "action":
			b.Action = d.string()
		case "added":
			b.Added = pointer(d.int())
		case "removed":
			b.Removed = pointer(d.int())
		case "hash":
			b.Hash = d.string()
		case "call":
			b.Call = d.string()
		default:
			return false
		}
		return true
	})
	return b
}

func (d *decoder) error() *Error {
	b := new(Error)
	d.object(func(name string) bool {
		switch name {
		case "code":
			b.Code = d.string()
		case "status":
			b.Status = d.int()
		case "fatal":
			b.Fatal = d.bool()
		case "head":
			b.Head = d.string()
		default:
			return d.digest(&b.Digest, name)
		}
		return true
	})
	return b
}

func (d *decoder) interrupt() *Interrupt {
	b := new(Interrupt)
	d.object(func(name string) bool {
		switch name {
		case "call":
			b.Call = d.string()
		case "reason":
			b.Reason = d.string()
		default:
			return false
		}
		return true
	})
	return b
}

func (d *decoder) spawn() *SubagentSpawn {
	b := new(SubagentSpawn)
	d.object(func(name string) bool {
		switch name {
		case "session":
			b.Session = d.string()
		case "call":
			b.Call = d.string()
		case "agent_id":
			b.AgentID = d.string()
		case "agent_type":
			b.AgentType = d.string()
		case "description":
			b.Description = d.string()
		case "background":
			b.Background = d.bool()
		case "not_started":
			b.NotStarted = d.bool()
		default:
			return false
		}
		return true
	})
	return b
}

func (d *decoder) session() *Session {
	b := new(Session)
	d.object(func(name string) bool {
		switch name {
		case "marker":
			b.Marker = Marker(d.string())
		case "detail":
			b.Detail = d.string()
		case "model":
			b.Model = d.string()
		case "command":
			b.Command = d.string()
		case "phase":
			b.Phase = d.string()
		default:
			return false
		}
		return true
	})
	return b
}
