package rows

import (
	"bytes"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"aburn/cmd/internal/kit"
	"aburn/internal/fault"
	"aburn/internal/units"
	"aburn/logfmt"
)

// Filter chooses entries by their headers, so that other entries are never parsed. The zero Filter chooses all.
type Filter struct {
	Session      string
	cmds, phases [][]byte
	Events       []logfmt.Event
	Since, until time.Time
	sinceText    []byte // Since and until as LogTime
	untilText    []byte
}

// FilterFlags are the flags that tail, query and stats share.
func FilterFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "session", Usage: "only the session with this `ID`; its first or last 4 characters suffice"},
		&cli.StringSliceFlag{Name: "cmd", Usage: "only entries of this workflow `COMMAND` (again for more)"},
		&cli.StringSliceFlag{Name: "phase", Usage: "only entries of this `PHASE` (again for more)"},
		&cli.StringSliceFlag{Name: "event", Usage: "only this `EVENT`, TOOL_FAILED for instance (again for more)"},
		&cli.StringFlag{Name: "since", Usage: "only since `WHEN`: 15m, 7d, today, 2026-11-21, 2026-11-21T10:03"},
		&cli.StringFlag{Name: "until", Usage: "only before `WHEN`"},
	}
}

// ReadFilter reads FilterFlags. An unknown event is only a warning: other tools log events of their own.
func ReadFilter(a *kit.App, cmd *cli.Command, now time.Time) (*Filter, error) {
	f := &Filter{Session: cmd.String("session"), cmds: byteSlices(cmd.StringSlice("cmd")), phases: byteSlices(cmd.StringSlice("phase"))}
	for _, name := range cmd.StringSlice("event") {
		ev := logfmt.Event(strings.ToUpper(name))
		if !ev.Known() {
			WarnUnknownEvent(a, ev)
		}
		f.Events = append(f.Events, ev)
	}
	for _, bound := range []struct {
		flag string
		to   *time.Time
		text *[]byte
	}{{"since", &f.Since, &f.sinceText}, {"until", &f.until, &f.untilText}} {
		s := cmd.String(bound.flag)
		if s == "" {
			continue
		}
		t, err := units.ParseTime(s, now)
		if err != nil {
			return nil, fault.Usage("--" + bound.flag + ": " + err.Error())
		}
		*bound.to, *bound.text = t, t.UTC().AppendFormat(nil, LogTime)
	}
	return f, nil
}

// LogTime is the layout of ts in the log. All have one length, so that they sort as bytes.
const LogTime = "2006-01-02T15:04:05.000Z"

// WarnUnknownEvent warns of an event that the log's format does not define.
func WarnUnknownEvent(a *kit.App, ev logfmt.Event) {
	var hints []string
	if near := nearestEvent(ev); near != "" {
		hints = []string{"did you mean " + string(near) + "?"}
	}
	a.Warn("the log's format has no event "+fault.Quote(string(ev)), hints...)
}

func nearestEvent(ev logfmt.Event) logfmt.Event {
	var names []string
	for _, known := range logfmt.Events() {
		names = append(names, string(known))
	}
	return logfmt.Event(fault.Nearest(string(ev), names))
}

// Match says whether the filter chooses the entry with this header.
func (f *Filter) Match(h *logfmt.Header) bool {
	return f.MatchSession(h.Session) &&
		oneOf(f.cmds, h.Cmd) && oneOf(f.phases, h.Phase) && f.matchEvent(h) && f.matchTime(h.Time)
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
	if f.sinceText == nil && f.untilText == nil {
		return true
	}
	if len(ts) == len(LogTime) && ts[len(ts)-1] == 'Z' {
		return bytes.Compare(ts, f.sinceText) >= 0 && (f.untilText == nil || bytes.Compare(ts, f.untilText) < 0)
	}
	t, err := time.Parse(time.RFC3339Nano, string(ts))
	return err == nil && !t.Before(f.Since) && (f.until.IsZero() || t.Before(f.until))
}

func byteSlices(words []string) [][]byte {
	out := make([][]byte, len(words))
	for i, w := range words {
		out[i] = []byte(w)
	}
	return out
}
