package main

import (
	"context"
	"fmt"
	"time"

	"github.com/urfave/cli/v3"

	"aburn/internal/journal"
	"aburn/internal/term"
	"aburn/logfmt"
)

// statusWindow is how far back in time and in bytes `aburn status` looks for sessions.
const (
	statusWindow = 24 * time.Hour
	statusBytes  = 16 << 20
)

func (a *app) statusCommand() *cli.Command {
	return &cli.Command{
		Name:  "status",
		Usage: "say which project this is, and what its sessions did last",
		Description: "The sessions of the last 24 hours with the newest entry of each. What a session does now,\n" +
			"nobody can read from a log: the entry and its age are what is known.",
		Flags:        []cli.Flag{jsonFlag()},
		ArgValidator: noArguments,
		Metadata:     examples("aburn status", "aburn status --json | jq '.sessions[] | select(.open)'"),
		Action:       a.status,
	}
}

func (a *app) status(_ context.Context, cmd *cli.Command) error {
	w, err := a.open(cmd)
	if err != nil {
		return err
	}
	defer w.close()
	segments, err := w.log.Segments()
	if err != nil {
		return err
	}
	now := time.Now()
	sessions, err := lastOfSessions(w.log, now)
	if err != nil {
		return err
	}
	if cmd.Bool("json") {
		return a.printJSON(statusOf(w, segments, sessions))
	}
	a.tellProject(w, segments)
	return showSessions(a.screen(cmd), sessions, now)
}

// lastEntry is the newest entry of a session.
type lastEntry struct {
	record
	source string // the agent; the entry itself may be the prompt's
}

// lastOfSessions reads backwards and takes the newest entry of each session.
func lastOfSessions(log *journal.Journal, now time.Time) (list []*lastEntry, err error) {
	bySession := map[logfmt.SessionID]*lastEntry{}
	for line, err := range log.Backward(journal.BackwardOptions{Limit: statusBytes}) {
		if err != nil {
			return nil, err
		}
		e, err := logfmt.Parse(line.JSON)
		if err != nil || e.Session == "" || line.Carried {
			continue
		}
		if now.Sub(e.Time) > statusWindow {
			break
		}
		r := record{Entry: e}
		s := bySession[e.Session]
		if s == nil {
			r.open = e.Event == logfmt.ToolStart // nothing came after it
			s = &lastEntry{record: r}
			bySession[e.Session] = s
			list = append(list, s)
		}
		if s.source == "" && e.Source != "prompt" && e.Source != "aburn" {
			s.source = e.Source
		}
	}
	return list, nil
}

func (a *app) tellProject(w *workspace, segments []journal.Segment) {
	var bytes int64
	for _, s := range segments {
		bytes += s.Size
	}
	fmt.Fprintf(a.out, "project  %s\n", term.Clean(w.Root))
	if branch := w.Branch(); w.Wt != "" || branch != "" {
		here := join(w.Wt, branch)
		fmt.Fprintf(a.out, "here     %s\n", term.Clean(here))
	}
	fmt.Fprintf(a.out, "log      %s in %s\n", term.Size(bytes), term.Plural(int64(len(segments)), "segment"))
	if !w.Marked {
		a.warn("you have not vouched for this project on this machine: hooks record, and nothing from .oss reaches an agent", "aburn init")
	}
}

func showSessions(out *term.Out, sessions []*lastEntry, now time.Time) error {
	if len(sessions) == 0 {
		_, err := fmt.Fprintln(out, "no session in the last 24 hours")
		return err
	}
	fmt.Fprintln(out)
	t := term.Table{Columns: []term.Column{
		{Title: "session"}, {Title: "source"}, {Title: "in"}, {Title: "last entry"}, {Flex: true, Min: 12}, {Title: "age"},
	}}
	for _, s := range sessions {
		words := describe(&s.Entry)
		detail := join(words.path, words.detail)
		if s.open {
			detail = join(detail, "no end")
		}
		t.AddCells(term.Cell{Text: shortSession(s.Session, wideSession), Style: sessionStyle(s.Session)}, term.Cell{Text: s.source},
			term.Cell{Text: where(&s.Entry)}, term.Cell{Text: words.mark + " " + words.name, Style: words.style},
			term.Cell{Text: detail}, term.Cell{Text: term.Age(now.Sub(s.Time)), Style: term.Dim})
	}
	return t.Print(out, 0)
}

// statusReport is what --json prints.
type statusReport struct {
	Project  string          `json:"project"`
	Marked   bool            `json:"marked"`
	Wt       string          `json:"wt"`
	Branch   string          `json:"branch,omitempty"`
	Bytes    int64           `json:"bytes"`
	Segments int             `json:"segments"`
	Sessions []sessionStatus `json:"sessions"`
}

type sessionStatus struct {
	Session logfmt.SessionID `json:"session"`
	Source  string           `json:"source,omitempty"`
	Cmd     string           `json:"cmd"`
	Phase   string           `json:"phase,omitempty"`
	Event   logfmt.Event     `json:"event"`
	Seq     logfmt.Seq       `json:"seq,omitempty"`
	Time    time.Time        `json:"ts"`
	Open    bool             `json:"open"` // the entry is the start of a call, and nothing came after it
}

func statusOf(w *workspace, segments []journal.Segment, sessions []*lastEntry) statusReport {
	r := statusReport{Project: w.Root, Marked: w.Marked, Wt: w.Wt, Branch: w.Branch(), Segments: len(segments), Sessions: []sessionStatus{}}
	for _, s := range segments {
		r.Bytes += s.Size
	}
	for _, s := range sessions {
		r.Sessions = append(r.Sessions, sessionStatus{s.Session, s.source, s.Cmd, s.Phase, s.Event, s.Seq, s.Time, s.open})
	}
	return r
}
