package export

import "time"

// Work is a span of what a program of aburn did itself, for other packages to fill.
type Work struct {
	Name              string
	Trace, ID, Parent []byte // 16, 8 and 8 bytes; Parent is nil at the top
	Client            bool   // it asked something outside
	Start, End        time.Time
	Texts             []Text
	Numbers           []Number
	Failed            bool
}

// Text and Number are attributes.
type (
	Text   struct{ Key, Value string }
	Number struct {
		Key   string
		Value int64
	}
)

// WorkResource is spans of aburn's own work, ready to be sent.
func WorkResource(service string, list []Work) *Resource {
	r := &Resource{scope: version()}
	r.attributes.str("service.name", service)
	r.attributes.str("service.version", version())
	for _, w := range list {
		s := Span{Name: w.Name, trace: w.Trace, id: w.ID, parent: w.Parent, client: w.Client, start: w.Start, end: w.End, failed: w.Failed}
		for _, t := range w.Texts {
			s.attributes.str(t.Key, t.Value)
		}
		for _, n := range w.Numbers {
			s.attributes.num(n.Key, n.Value)
		}
		r.Spans = append(r.Spans, s)
	}
	return r
}
