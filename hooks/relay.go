package hooks

import (
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"aburn/internal/recent"
	"aburn/internal/scrub"
	"aburn/logfmt"
)

// maxRelayed bounds the entries of one shell call.
const maxRelayed = 64

// hasRelay reports whether the plan's call printed entries. `aburn log`, `aburn done` and
// `aburn ask` do that inside an agent's sandbox, where it may not write the log.
func (p *Plan) hasRelay() bool {
	return p.Relay != nil && strings.Contains(p.Relay.Output, logfmt.RelayPrefix) && recent.RunsLog(p.Relay.Command)
}

// readRelay reads the entries that `aburn log` printed, before the log is locked. It
// accepts only lifecycle events of this session and what a worker says of itself, from a
// shell call that ran such a command. Their ids make it harmless to see them twice.
func (r *recorder) readRelay() {
	if !r.plan.hasRelay() {
		return
	}
	for line := range strings.Lines(r.plan.Relay.Output) {
		json, ok := strings.CutPrefix(line, logfmt.RelayPrefix)
		if !ok || len(r.relay) == maxRelayed || len(json) > logfmt.MaxEntry {
			continue
		}
		e, err := logfmt.Parse([]byte(strings.TrimRight(json, "\r\n")))
		if err != nil || e.Edited || e.ID == "" || !(e.Event.Lifecycle() || e.Event.OfWorker()) || !r.ofThisSession(e.Session) {
			continue
		}
		if e.Data != nil {
			e.Data = scrubbed(e.Data)
		}
		e.Branch, _ = scrub.Text(e.Branch)
		if a := e.Agent; a != nil {
			a.Type, a.ID = Head(a.Type), scrub.ID(a.ID)
		}
		r.relay = append(r.relay, &e)
	}
}

// relayed returns these entries and sets the command and phase of all that follows.
func (r *recorder) relayed() []*logfmt.Entry {
	for _, e := range r.relay {
		r.attribute(e)
	}
	return slices.Clone(r.relay)
}

// ofThisSession reports whether `aburn log` named this session. In a sub-agent of
// Codex it may have named the sub-agent's own thread.
func (r *recorder) ofThisSession(s logfmt.SessionID) bool {
	p := r.payload
	return s != "" && (s == p.Session || p.AgentID != "" && string(s) == p.AgentID)
}

func (r *recorder) attribute(e *logfmt.Entry) {
	p := r.payload
	e.Session, e.Source, e.Seq, e.Extra = p.Session, "prompt", 0, nil
	if e.Agent == nil && p.AgentID != "" {
		e.Agent = &logfmt.Agent{Type: Head(p.AgentType), ID: p.AgentID, ParentCmd: r.state.ParentCmd}
	}
	if e.Event.OfWorker() { // it is about the tree that the agent works in, and no command's
		e.Source, e.Cmd, e.Phase, e.Wt = "aburn", logfmt.SessionCmd, "", r.proj.Wt
		return
	}
	if e.Agent == nil && p.AgentID == "" || e.Agent != nil && e.Agent.ID == p.AgentID {
		r.state = recent.After(e)
	}
}

// scrubbed is a JSON value without secrets. `aburn log` scrubs what it prints, but any
// program can print such lines.
func scrubbed(json []byte) []byte {
	if _, n := scrub.Text(string(json)); n == 0 {
		return json
	}
	var m scrub.Memory // what one of its strings gives away is hidden in the others
	m.Learn(string(json))
	return appendMapped(nil, gjson.ParseBytes(json), func(s string) string {
		s, _ = m.Text(s)
		return s
	})
}

// appendMapped appends v with each of its strings, names too, as clean returns it.
func appendMapped(b []byte, v gjson.Result, clean func(string) string) []byte {
	switch {
	case v.Type == gjson.String:
		return logfmt.AppendString(b, clean(v.Str))
	case !v.IsObject() && !v.IsArray():
		return append(b, v.Raw...)
	}
	b = append(b, v.Raw[0])
	first := true
	v.ForEach(func(k, elem gjson.Result) bool {
		if !first {
			b = append(b, ',')
		}
		first = false
		if v.IsObject() {
			b = append(appendMapped(b, k, clean), ':')
		}
		b = appendMapped(b, elem, clean)
		return true
	})
	return append(b, v.Raw[0]+2) // '[' and ']', '{' and '}' are two apart
}
