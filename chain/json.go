package chain

import (
	"math"
	"strings"
	"time"

	"github.com/tidwall/gjson"

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

// OverviewJSON returns the whole chain as one JSON object.
func OverviewJSON(q Query, results []Result) []byte {
	var o logfmt.Object
	o.Str("wt", q.Project.Wt).StrIf("branch", q.Project.Branch())
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

// Get returns the value at a gjson path in an answer's JSON, for scripts: a string without quotes
// and on one line, an output as its path, anything else as JSON. It reports whether there is such
// a value. here turns the path of one output into one that is usable where the caller stands; wt is
// the worktree of its entry. An error of here is returned.
func Get(json []byte, path string, here func(wt, output string) (string, error)) (value string, found bool, err error) {
	v := gjson.GetBytes(json, path)
	if !v.Exists() || v.Type == gjson.Null {
		return "", false, nil
	}
	entry, one := entryOfOutput(path)
	if p := v.Get("path"); v.IsObject() && p.Type == gjson.String && (one || v.Get("sha256").Exists() || v.Get("state").Exists()) {
		v, one = p, true
	}
	if one && v.Type == gjson.String {
		if v.Str, err = here(gjson.GetBytes(json, entry+"wt").Str, v.Str); err != nil {
			return "", true, err
		}
	}
	if v.Type != gjson.String {
		return string(escape([]byte(v.Raw))), true, nil
	}
	return plain.ModelLine(v.Str), true, nil
}

// entryOfOutput is the path of the entry, with its dot, whose outputs path asks about, as in outputs.0, data.outputs.0.path,
// commands.1.data.outputs.0. one says that it names one of them by its number.
func entryOfOutput(path string) (entry string, one bool) {
	path = strings.TrimSuffix(path, ".path")
	entry, number := "", path
	if i := strings.LastIndex(path, "outputs."); i >= 0 {
		entry, number = strings.TrimSuffix(path[:i], "data."), path[i+len("outputs."):]
	}
	one = number != path && number != "" && strings.Trim(number, "0123456789") == "" && (entry == "" || strings.HasSuffix(entry, "."))
	return entry, one
}
