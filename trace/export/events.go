package export

import "aburn/trace"

// events are what happened in the session and is no span: prompts, errors, interrupts, changes of files, markers.
func (s *session) events() []event {
	var list []event
	for i := range s.t.Events {
		e := &s.t.Events[i]
		if e.Copied != "" || e.Time.IsZero() {
			continue
		}
		if name, a := s.event(e); name != "" {
			a.num("aburn.seq", int64(e.Seq))
			a.str("aburn.inferred", e.Inferred)
			list = append(list, event{name, e.Time, a})
		}
	}
	return list
}

// event is the name and the attributes of an event of the session's span, "" for what is a span of its own.
func (s *session) event(e *trace.Event) (string, attributes) {
	var a attributes
	head := func(text string) {
		if s.o.Heads {
			a.str("aburn.head", text)
		}
	}
	switch b := e.Body.(type) {
	case *trace.UserMessage:
		a.num("aburn.length", b.Length)
		a.str("aburn.machine", b.Machine)
		head(b.Head)
		return "aburn.user_message", a
	case *trace.FileChange:
		a.str("aburn.action", b.Action)
		if b.Added != nil {
			a.num("aburn.lines.added", int64(*b.Added))
		}
		if b.Removed != nil {
			a.num("aburn.lines.removed", int64(*b.Removed))
		}
		if s.o.Heads {
			a.str("aburn.path", b.Path)
		}
		return "aburn.file_change", a
	case *trace.Error:
		a.str("error.type", b.Code)
		if b.Status != 0 {
			a.num("http.response.status_code", int64(b.Status))
		}
		head(b.Head)
		return "aburn.error", a
	case *trace.Interrupt:
		a.str("gen_ai.tool.call.id", b.Call)
		return "aburn.interrupt", a
	case *trace.Session:
		a.str("aburn.detail", b.Detail)
		a.str("gen_ai.request.model", b.Model)
		a.str("aburn.command", b.Command)
		a.str("aburn.phase", b.Phase)
		return "aburn.session." + string(b.Marker), a
	}
	return "", nil
}
