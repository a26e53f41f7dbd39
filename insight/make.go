package insight

import "aburn/trace"

// Make works out the digest of a trace. Of a session that hooks recorded too it is given the joined trace (trace/join) and
// hooked: what hooks alone know (a kill, a Stop, a COMPLETE) then refines the verdict.
func Make(t *trace.SessionTrace, hooked bool) *Digest {
	d := &Digest{Source: t.Source, ID: t.ID, Agent: t.Agent, Project: t.Project, Start: t.Start, End: t.End, ActiveMS: t.ActiveMS,
		Counts: t.Count(), Usage: t.Usage, Hooked: hooked, Decisive: -1}
	return d
}

// Classify says which class an error has, by the first rule that fits; Other if none does.
func Classify(f Failure) Class { return Other }

// Normal is a head without what differs between equal errors: paths, numbers, ids, hex, durations, quoted temporary names.
func Normal(head string) string { return head }

// SetLive notes whether the session is going on, and works out its keys again: the coarse one holds the outcome.
func (d *Digest) SetLive(live bool) { d.Live = live }

// Shape is what the coarse key stands for, for people: "claude errored build+test mid loops".
func (d *Digest) Shape() string { return "" }

// FailureRate is the bucket of failed calls among those that have an end.
func (d *Digest) FailureRate() Rate { return RateNone }

// Append appends the digest's stored form, without Live, to dst.
func Append(dst []byte, d *Digest) []byte { return dst }

// Decode reads the stored form. The error says what is wrong with it; a form of another Version is one.
func Decode(b []byte) (*Digest, error) { return nil, nil }
