package scope

import (
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"aburn/cmd/internal/kit"
	"aburn/internal/entries"
	"aburn/internal/fault"
	"aburn/internal/plain"
	"aburn/internal/term"
	"aburn/internal/units"
	"aburn/logfmt"
)

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
func ReadFilter(a *kit.App, cmd *cli.Command, now time.Time) (*entries.Filter, error) {
	f := &entries.Filter{Session: cmd.String("session"), Cmds: entries.ByteSlices(cmd.StringSlice("cmd")), Phases: entries.ByteSlices(cmd.StringSlice("phase"))}
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
	}{{"since", &f.Since, &f.SinceText}, {"until", &f.Until, &f.UntilText}} {
		s := cmd.String(bound.flag)
		if s == "" {
			continue
		}
		t, err := units.ParseTime(s, now)
		if err != nil {
			return nil, fault.Usage("--" + bound.flag + ": " + err.Error())
		}
		*bound.to, *bound.text = t, t.UTC().AppendFormat(nil, entries.LogTime)
	}
	return f, nil
}

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
	return logfmt.Event(plain.Nearest(string(ev), names))
}

func NewPrinter(cmd *cli.Command, out *term.Out) *entries.Printer {
	p := &entries.Printer{Out: out, List: entries.NewList(out, time.Local)}
	switch {
	case cmd.Bool("json"):
		p.Form = entries.JSONLines
	case cmd.Bool("raw"):
		p.Form = entries.Raw
	}
	return p
}
