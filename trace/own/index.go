package own

import (
	"bytes"
	"cmp"
	"maps"
	"slices"

	"aburn/internal/journal"
	"aburn/logfmt"
	"aburn/trace/draft"
)

// index says which sessions a log has, and where. Sessions of which one's entries change the trace of the other are one
// family: a sub-agent that is a session of its own, and its caller.
type index struct {
	spans map[logfmt.SessionID]*span
	byID  map[string]*span // by the id of the trace
	files files
	last  logfmt.SessionID // of the span that was noted last
	now   *span
	notes int // entries so far
}

// span is where the entries of one session are. A family is a tree of spans, whose root has the entries of all.
type span struct {
	parent  *span // nil for the family itself
	first   int   // number of its first entry among all, from 1; 0 if it has none itself
	entries int
	made    int // of entries, those that are in traces
	bytes   int64
	places  []places
}

func newIndex() *index {
	return &index{spans: map[logfmt.SessionID]*span{}, byID: map[string]*span{}}
}

// note notes an entry, which takes so many bytes of the log. It reports whether the entry has a session.
func (in *index) note(e *logfmt.Entry, line journal.Line, bytes int64) bool {
	in.notes++
	at := in.files.place(line)
	if e.Session == "" {
		return false
	}
	if in.now == nil || e.Session != in.last {
		if in.now = in.spans[e.Session]; in.now == nil {
			in.now = in.spanOf(draft.SessionID(string(e.Session)))
			in.spans[e.Session] = in.now
		}
		in.last = e.Session
	}
	s := in.now.family()
	if s.entries == 0 {
		s.first, s.places = in.notes, []places{{}}
	}
	s.places[0].add(at, len(line.JSON))
	s.entries++
	s.bytes += bytes
	if agent := agentOf(e); agent != "" {
		in.join(s, in.spanOf(childID(string(e.Session), agent)))
	}
	return true
}

func (in *index) spanOf(id string) *span {
	s := in.byID[id]
	if s == nil {
		s = &span{}
		in.byID[id] = s
	}
	return s
}

// agentOf returns the sub-agent that an entry names, "" if none or one whose trace can only be of the entry's session.
func agentOf(e *logfmt.Entry) string {
	if e.Agent != nil && len(e.Agent.ID) >= ownThread {
		return e.Agent.ID
	}
	if !bytes.Contains(e.Data, []byte(`"agent_id"`)) {
		return ""
	}
	var d logfmt.Details
	logfmt.ReadDetails(e.Data, &d)
	if agent := d.AgentID.String(); len(agent) >= ownThread {
		return agent
	}
	return ""
}

func (s *span) family() *span {
	for s.parent != nil {
		s = s.parent
	}
	return s
}

func (in *index) join(a, b *span) {
	a, b = a.family(), b.family()
	if a == b {
		return
	}
	b.parent = a
	if b.entries > 0 && (a.entries == 0 || b.first < a.first) {
		a.first = b.first
	}
	a.entries, a.bytes, a.places = a.entries+b.entries, a.bytes+b.bytes, append(a.places, b.places...)
}

// family returns the family of a session, nil if it was not noted.
func (in *index) family(id logfmt.SessionID) *span {
	if s := in.spans[id]; s != nil {
		return s.family()
	}
	return nil
}

// part is some families.
type part struct {
	has     map[*span]bool
	entries int
	bytes   int64
}

// parts divides the families into parts of about so many entries, in the order in which they begin: what begins together lies together.
func (in *index) parts(entries int) (list []*part) {
	families := slices.DeleteFunc(slices.Collect(maps.Values(in.byID)), func(s *span) bool { return s.parent != nil || s.entries == 0 })
	slices.SortFunc(families, func(a, b *span) int { return cmp.Compare(a.first, b.first) })
	for _, s := range families {
		n := len(list)
		if n == 0 || list[n-1].entries+s.entries > entries {
			list = append(list, &part{has: map[*span]bool{}})
			n++
		}
		p := list[n-1]
		p.has[s] = true
		p.entries, p.bytes = p.entries+s.entries, p.bytes+s.bytes
	}
	return list
}

// lines are the places of a part's entries, in the log's order.
func (p *part) lines() []place {
	list := make([]place, 0, p.entries)
	for s := range p.has {
		for _, at := range s.places {
			list = at.appendTo(list)
		}
	}
	slices.SortFunc(list, func(a, b place) int { return cmp.Compare(a.at, b.at) })
	return list
}
