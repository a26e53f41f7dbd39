package entries

import (
	"bytes"
	"slices"
	"time"

	"aburn/logfmt"
)

// Filter chooses entries by their headers, so that other entries are never parsed. The zero Filter chooses all.
type Filter struct {
	Session      string
	Cmds, Phases [][]byte
	Events       []logfmt.Event
	Since, Until time.Time
	SinceText    []byte // Since and until as LogTime
	UntilText    []byte
}

// LogTime is the layout of ts in the log. All have one length, so that they sort as bytes.
const LogTime = "2006-01-02T15:04:05.000Z"

// Match says whether the filter chooses the entry with this header.
func (f *Filter) Match(h *logfmt.Header) bool {
	return f.MatchSession(h.Session) &&
		oneOf(f.Cmds, h.Cmd) && oneOf(f.Phases, h.Phase) && f.matchEvent(h) && f.matchTime(h.Time)
}

// oneOf ignores case, because people type the names. Without names all match.
func oneOf(names [][]byte, name []byte) bool {
	return len(names) == 0 || slices.ContainsFunc(names, func(n []byte) bool { return bytes.EqualFold(n, name) })
}

// MatchSession compares whole ids, or beginnings and ends of at least 4 characters.
func (f *Filter) MatchSession(session []byte) bool {
	switch {
	case f.Session == "" || f.Session == string(session):
		return true
	case len(f.Session) < 4:
		return false
	}
	want := []byte(f.Session)
	return bytes.HasPrefix(session, want) || bytes.HasSuffix(session, want)
}

// matchEvent goes by the meaning (COMPLETE with a phase is PHASE_COMPLETE).
func (f *Filter) matchEvent(h *logfmt.Header) bool {
	if len(f.Events) == 0 {
		return true
	}
	return slices.Contains(f.Events, h.Meaning())
}

// matchTime compares bytes if ts has the form of aburn's own entries, else times.
func (f *Filter) matchTime(ts []byte) bool {
	if f.SinceText == nil && f.UntilText == nil {
		return true
	}
	if len(ts) == len(LogTime) && ts[len(ts)-1] == 'Z' {
		return bytes.Compare(ts, f.SinceText) >= 0 && (f.UntilText == nil || bytes.Compare(ts, f.UntilText) < 0)
	}
	t, err := time.Parse(time.RFC3339Nano, string(ts))
	return err == nil && !t.Before(f.Since) && (f.Until.IsZero() || t.Before(f.Until))
}

func ByteSlices(words []string) [][]byte {
	out := make([][]byte, len(words))
	for i, w := range words {
		out[i] = []byte(w)
	}
	return out
}
