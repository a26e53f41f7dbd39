package status

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"aburn/internal/entries"
	"aburn/internal/fault"
	"aburn/internal/journal"
	"aburn/internal/plain"
	"aburn/internal/term"
	"aburn/internal/workspace"
	"aburn/logfmt"
	"aburn/supervisor"
	"aburn/supervisor/look"
	"aburn/supervisor/state"
)

// LookMode says as of when sessions are judged, and whether advice is queued.
type LookMode struct {
	At   time.Time
	Past bool       // judge as of at
	Peek bool       // queue nothing
	with *look.Look // goes on from an earlier look; nil: begin anew
}

// LookAt makes one look. It warns of what it cannot do, and returns what it can see.
func LookAt(ctx context.Context, c *workspace.Caller, w *workspace.Workspace, how LookMode) (*View, error) {
	key, err := w.Key()
	if err != nil || !w.Marked {
		key = nil
		c.Warn("you have not trusted this project on this machine: nothing is queued, and its settings do not count", "aburn init")
	}
	m := term.NewByteMeter(c.Progress, 0)
	l := how.with
	if l == nil {
		o := look.Options{Root: w.Oss, Project: w.Project, Journal: w.Log, Settings: &w.Settings, Key: key, By: journal.Command, Env: c.Env}
		if m.Out.Terminal() { // the total is worked out only for the meter
			o.Progress = func(read, total int64) { m.Total = total; m.Add(read - m.Done) }
		}
		l = look.New(o)
	}
	v := &View{Model: w.Settings.Model(), Limits: w.Settings.Limits(), At: how.Past, key: key}
	switch {
	case how.Past:
		v.Result, err = l.At(ctx, how.At)
	case how.Peek:
		if v.Result, err = l.Peek(ctx, how.At); err == nil {
			if kept := l.Keep(); kept != nil {
				c.Warn(look.StateName + ": " + kept.Error())
			}
		}
	default:
		v.Result, err = l.Once(ctx, how.At, time.Time{})
		if errors.Is(err, look.ErrBusy) {
			c.Warn("another process is using the queue: this check queues nothing")
			v.Result, err = l.Peek(ctx, how.At)
		}
	}
	m.Clear()
	if !how.Past {
		v.file, v.tasks = readQueue(c, w, key)
	}
	for _, warning := range v.Warnings {
		c.Warn(warning)
	}
	if v.Damage > 0 {
		c.Warn(plain.Plural(v.Damage, "line")+" of the log could not be read", "aburn verify")
	}
	if err != nil {
		return nil, err
	}
	if at := v.State.UnreadAt; at.Is() && how.At.Sub(at.Time()) < 24*time.Hour {
		c.Warn("hooks could not read "+plain.Plural(int64(v.State.Unread), "payload")+": what the agents said there is not in the log", "aburn verify")
	}
	return v, nil
}

// ShortSignature is enough of a signature to name the issue.
func ShortSignature(signature string) string {
	i := strings.LastIndexByte(signature, '-')
	return signature[:min(i+9, len(signature))]
}

func (v *View) Empty() bool { return len(v.State.Sessions) == 0 }

// ChooseSession restricts the view to the sessions that --session names, to all by "". Naming one that is not there is bad news.
func (v *View) ChooseSession(session string) error {
	v.Session = session
	if session != "" && !slices.ContainsFunc(v.State.Sessions, func(s *state.Session) bool { return v.chosen(s.ID) }) {
		return fault.Failed("no session is called "+fault.Quote(session), "aburn status")
	}
	return nil
}

func (v *View) chosen(id logfmt.SessionID) bool {
	f := entries.Filter{Session: v.Session}
	return f.MatchSession([]byte(id))
}

// ChosenIssues are the issues of the chosen sessions, and those of the chain unless a session was named.
func (v *View) ChosenIssues() []*supervisor.Issue {
	return v.issuesWhere(func(i *supervisor.Issue) bool {
		if i.OfChain() {
			return v.Session == ""
		}
		return v.chosen(i.Session)
	})
}
