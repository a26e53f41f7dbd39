package chain

import (
	"math"
	"strings"
	"time"

	"aburn/internal/plain"
	"aburn/logfmt"
)

// JSON returns the answer as one JSON object. It has the entry's own members as logged (without
// crc), so that a path such as data.outputs.0 means the same here and in the log, and then
// chain's findings:
//
//	found, state, since, age_s, stale, bounded
//	left_by, left_at  only with the state left: the session, and when it ended
//	elsewhere  true: the entry is of another worktree; other_wt: nothing here, but there is something in that worktree
//	outputs    [{path, state, reason, sha256, bytes}]: the outputs as they are now
//	notes      [{kind, text, ts}]
//
// Control, bidi and other hidden characters appear only as escapes.
func (r *Result) JSON() []byte {
	var o logfmt.Object
	if r.Found {
		o = *members(&r.Entry)
	} else {
		o.Str("cmd", r.Cmd)
	}
	o.Bool("found", r.Found).Str("state", string(r.State))
	if !r.Since.IsZero() {
		o.Str("since", stamp(r.Since))
	}
	if r.State == Left {
		o.Str("left_by", string(r.LeftBy)).Str("left_at", stamp(r.LeftAt))
	}
	if r.HasOther {
		o.Str("other_wt", r.Other)
	}
	if !r.Found {
		return escape(o.Bool("bounded", r.Bounded).Bytes())
	}
	o.Float("age_s", math.Round(r.Age.Seconds())).Bool("stale", r.Stale()).Bool("elsewhere", r.Elsewhere)
	o.Raw("outputs", list(r.Outputs, func(out Output) []byte {
		var m logfmt.Object
		m.Str("path", out.Path).Str("state", string(out.State)).StrIf("reason", out.Reason).StrIf("sha256", out.SHA256)
		if out.sized {
			m.Int("bytes", out.Bytes)
		}
		return m.Bytes()
	}))
	o.Raw("notes", list(r.Notes, func(n Note) []byte {
		var m logfmt.Object
		m.Str("kind", string(n.Kind)).Str("text", n.Text)
		if !n.At.IsZero() {
			m.Str("ts", stamp(n.At))
		}
		return m.Bytes()
	}))
	return escape(o.Bytes())
}

// JSON returns the results of Overview as one JSON object.
func (l *Log) JSON(results []Result) []byte {
	var o logfmt.Object
	o.Str("wt", l.Worktree()).StrIf("branch", l.Branch())
	o.Raw("commands", list(results, func(r Result) []byte { return r.JSON() }))
	return escape(o.Bytes())
}

// own are the members that chain adds. They replace unknown members of an entry with the same
// name.
const own = " found state since left_by left_at age_s stale bounded elsewhere other_wt outputs notes "

// members copies the entry's members except crc, which would no longer match.
func members(e *logfmt.Entry) *logfmt.Object {
	var o logfmt.Object
	o.Str("ts", stamp(e.Time)).Str("cmd", e.Cmd).Str("event", string(e.Event)).StrIf("session", string(e.Session))
	if e.Seq != 0 {
		o.Int("seq", int64(e.Seq))
	}
	o.StrIf("id", e.ID).StrIf("source", e.Source).Str("wt", e.Wt).StrIf("branch", e.Branch)
	if e.Data != nil {
		o.Raw("data", e.Data)
	}
	for _, m := range e.Extra {
		if !strings.Contains(own, " "+m.Key+" ") {
			o.Raw(m.Key, m.Raw)
		}
	}
	return &o
}

func list[T any](items []T, one func(T) []byte) []byte {
	out := []byte{'['}
	for i, it := range items {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, one(it)...)
	}
	return append(out, ']')
}

func stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

// escape writes the characters that a model must not be shown as \u escapes. In JSON they can
// stand only in strings.
func escape(json []byte) []byte {
	if json == nil {
		return []byte("{}")
	}
	return plain.AppendJSON(make([]byte, 0, len(json)), json)
}
