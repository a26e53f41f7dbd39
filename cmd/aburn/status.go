package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"aburn/internal/journal"
	"aburn/internal/queue"
	"aburn/internal/term"
	"aburn/logfmt"
	"aburn/supervisor"
	"aburn/supervisor/watch"
)

// statusBytes is how far back `aburn status` looks for the newest entry of a session.
const statusBytes = 16 << 20

func (a *app) statusCommand() *cli.Command {
	return &cli.Command{
		Name:  "status",
		Usage: "the one screen: what the sessions are doing, what is wrong, what waits for the agents",
		Description: "The sessions of the last 24 hours: what each is doing and since when, as far as its entries and its\n" +
			"process tell (heard: no more is known), the command and phase with the time of work in it and\n" +
			"its timeout, the newest entry. Then the chain,\n" +
			"the issues, and the queue. It only looks: nothing is written and nothing is queued.",
		Flags:        []cli.Flag{jsonFlag()},
		ArgValidator: noArguments,
		Metadata:     examples("aburn status", "aburn status --json | jq '.sessions[] | select(.state==\"working\")'"),
		Action:       a.status,
	}
}

// status is what the screen shows.
type status struct {
	*view
	w        *workspace
	segments []journal.Segment
	shown    []sessionView
	hidden   int                          // older sessions
	last     map[logfmt.SessionID]*record // the newest entry of each
	queue    queueFacts
	watcher  int // its process; 0 = there is none, -1 = it did not say
}

func (a *app) status(ctx context.Context, cmd *cli.Command) error {
	w, err := a.open(cmd)
	if err != nil {
		return err
	}
	defer w.close()
	if a.agent != nil && !w.Marked {
		return notVouched()
	}
	s := &status{w: w}
	if s.segments, err = w.log.Segments(); err != nil {
		return err
	}
	if s.view, err = a.look(ctx, w, lookHow{at: time.Now(), peek: true}); err != nil {
		return err
	}
	s.shown, s.hidden = s.sessions(func(logfmt.SessionID) bool { return true })
	if s.last, err = lastEntries(w.log, s.shown); err != nil {
		return err
	}
	s.queue = s.queueFacts()
	if pid, running := watch.Running(w.oss); running {
		s.watcher = max(pid, -1)
		if pid == 0 {
			s.watcher = -1
		}
	}
	if a.agent != nil && len(s.State.Sessions) == 0 {
		return badNews("nothing is recorded here yet", "aburn doctor says whether hooks do it")
	}
	if done, err := a.asJSON(cmd, s.report()); done || err != nil {
		return err
	}
	a.noteEmpty(s.view)
	return s.show(a.screen(cmd))
}

// lastEntries reads backwards and takes the newest entry of each of the sessions, but for what aburn itself wrote.
func lastEntries(log *journal.Journal, sessions []sessionView) (map[logfmt.SessionID]*record, error) {
	last := map[logfmt.SessionID]*record{}
	for _, s := range sessions {
		last[s.ID] = nil
	}
	left := len(last)
	for line, err := range log.Backward(journal.BackwardOptions{Limit: statusBytes}) {
		if err != nil || left == 0 {
			return last, err
		}
		h, ok := logfmt.ParseHeader(line.JSON)
		if !ok || line.Carried || string(h.Source) == "aburn" {
			continue
		}
		if known, wanted := last[logfmt.SessionID(h.Session)]; !wanted || known != nil {
			continue
		}
		if e, err := logfmt.Parse(line.JSON); err == nil {
			last[e.Session] = &record{Entry: e, open: e.Event == logfmt.ToolStart} // nothing came after it
			left--
		}
	}
	return last, nil
}

// queueFacts is what waits in the queue.
type queueFacts struct {
	Waiting   int `json:"waiting"`   // ours, to be delivered at a prompt
	Delivered int `json:"delivered"` // printed
	Seen      int `json:"seen"`      // of those delivered
	Failed    int `json:"failed"`
	Foreign   int `json:"foreign"` // not signed by aburn: they wait for `aburn queue allow`
	urgent    string
}

// queueSeen reads the queue once for all that is shown of it. What cannot be read is told, and unknown.
func (a *app) queueSeen(w *workspace, key []byte) (queue.File, map[string]queue.Task) {
	file, err := queue.New(w.oss, key).Read()
	if err != nil {
		var news *failure
		if errors.As(queueNews(err), &news) {
			a.warn(news.msg, news.hints...)
		}
		return file, nil
	}
	tasks := map[string]queue.Task{}
	for _, t := range file.Tasks {
		tasks[t.ID] = t
	}
	return file, tasks
}

func (s *status) queueFacts() (f queueFacts) {
	q := queue.New(s.w.oss, s.key)
	most := queue.Priority(0)
	for _, t := range s.file.Tasks {
		open := t.Status == queue.Pending || t.Status == queue.Executing
		switch {
		case open && !t.ExpiresAt.IsZero() && !s.Now.Before(t.ExpiresAt):
		case open && !q.Ours(t) && !s.w.settings.Queue.Foreign:
			f.Foreign++
		case open:
			f.Waiting++
			if t.Priority > most {
				most, f.urgent = t.Priority, t.Priority.String()
			}
		case t.Status == queue.Failed:
			f.Failed++
		case t.Status == queue.Completed:
			f.Delivered++
			if !t.SeenAt.IsZero() {
				f.Seen++
			}
		}
	}
	return f
}

func (s *status) show(out *term.Out) error {
	s.showProject(out)
	if err := s.showSessions(out); err != nil {
		return err
	}
	if s.hidden > 0 {
		fmt.Fprintln(out, out.Paint(term.Dim, term.Plural(int64(s.hidden), "older session")))
	}
	s.showIssues(out)
	return nil
}

func (s *status) showProject(out *term.Out) {
	line := func(name, text string) {
		if text != "" {
			fmt.Fprintf(out, "%-8s %s\n", name, text)
		}
	}
	var bytes int64
	for _, seg := range s.segments {
		bytes += seg.Size
	}
	line("project", fit(out, s.w.Root))
	line("here", fit(out, join(s.w.Wt, s.w.Branch())))
	line("log", term.Size(bytes)+" in "+term.Plural(int64(len(s.segments)), "segment"))
	switch {
	case s.watcher > 0:
		line("watched", fmt.Sprintf("by process %d", s.watcher))
	case s.watcher < 0:
		line("watched", "by another process")
	default:
		line("watched", "by nobody: silence and waiting are judged only when you look")
	}
	if len(s.State.Links) > 0 {
		line("chain", s.chainText(out, s.w.Wt, widthOf(out)-9))
	}
	line("queue", s.queue.text())
}

// fit cuts the beginning of a path that is too long for the line.
func fit(out *term.Out, text string) string {
	text = term.Clean(text)
	if out.Width() > 0 {
		text = term.CutStart(text, max(out.Width()-9, 20))
	}
	return text
}

func (f *queueFacts) text() string {
	var parts []string
	add := func(n int, what string) {
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, what))
		}
	}
	waiting := "waiting for a prompt"
	if f.urgent != "" {
		waiting += " (up to " + f.urgent + ")"
	}
	add(f.Waiting, waiting)
	add(f.Delivered, "delivered")
	add(f.Failed, "failed")
	add(f.Foreign, "foreign")
	return strings.Join(parts, ", ")
}

func (s *status) showSessions(out *term.Out) error {
	if len(s.shown) == 0 {
		_, err := fmt.Fprintln(out, "no session in the last 24 hours")
		return err
	}
	fmt.Fprintln(out)
	t := term.Table{Width: pageWidth, Columns: []term.Column{
		{Title: "session"}, {Title: "source"}, {Title: "does"}, {Title: "in", Flex: true, Min: 9}, {Title: "clock"}, {Title: "last entry", Flex: true, Min: 14}, {Title: "age", Right: true},
	}}
	for i := range s.shown {
		one := &s.shown[i]
		last := term.Cell{}
		if r := s.last[one.ID]; r != nil {
			words := describe(&r.Entry)
			detail := join(words.path, words.detail)
			if r.open {
				detail = join(detail, "no end")
			}
			last = term.Cell{Text: strings.TrimSpace(words.mark + " " + words.name + " " + detail), Style: words.style}
		}
		t.AddCells(term.Cell{Text: shortSession(one.ID, wideSession), Style: sessionStyle(one.ID)}, term.Cell{Text: one.Source},
			s.modeCell(one), term.Cell{Text: one.place()}, s.clockCell(one.Session), last,
			term.Cell{Text: brief(s.Now.Sub(one.Last.Time())), Style: term.Dim})
	}
	return t.Print(out, 0)
}

// shownIssues is how many issues fit on the screen.
const shownIssues = 8

func (s *status) showIssues(out *term.Out) {
	if len(s.Issues) == 0 {
		return
	}
	fmt.Fprintln(out)
	t := term.Table{Width: pageWidth, Columns: []term.Column{{Title: "issue"}, {Title: "session"}, {Title: "sure", Right: true}, {Title: "what", Flex: true, Min: 20}}}
	for i := range s.Issues[:min(shownIssues, len(s.Issues))] {
		is := &s.Issues[i]
		style := levelStyle(supervisor.LevelOf(is, s.model))
		session := shortSession(is.Session, wideSession)
		if is.OfChain() {
			session = "the chain"
		}
		t.AddCells(term.Cell{Text: string(is.Type), Style: style}, term.Cell{Text: session, Style: sessionStyle(is.Session)}, term.Cell{Text: percent(is.Confidence)}, term.Cell{Text: is.Says})
	}
	t.Print(out, 0)
	text := "aburn supervisor says more"
	if more := len(s.Issues) - shownIssues; more > 0 {
		text = term.Plural(int64(more), "more issue", "more issues") + ": aburn supervisor"
	}
	fmt.Fprintln(out, out.Paint(term.Dim, text))
}
