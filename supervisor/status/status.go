// Package status answers what a project is doing now: what waits for the user, its sessions, its chain and queue, and what is
// wrong, as a report for machines and as text.
package status

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"aburn/internal/entries"
	"aburn/internal/journal"
	"aburn/internal/plain"
	"aburn/internal/scrub"
	"aburn/internal/term"
	"aburn/internal/units"
	"aburn/internal/workspace"
	"aburn/logfmt"
	"aburn/supervisor"
	"aburn/supervisor/look"
	"aburn/supervisor/watchlock"
)

// StatusBytes is how far back `aburn status` looks for the newest entry of a session.
const StatusBytes = 16 << 20

// Standing is the workers of a project of whom the same is true, in a word of the board's columns.
type Standing struct {
	Zone  string   `json:"zone"`
	Names []string `json:"names"`
}

// StatusQuery is what is asked of the status.
type StatusQuery struct {
	Trusted bool // a project without the user's mark of trust is an error
}

// StatusAnswer is what the sessions of a project are doing.
type StatusAnswer struct {
	*View
	Project, wt, branch string
	marked              bool
	segments            []journal.Segment
	shown               []sessionView
	hidden              int                                  // older sessions
	last                map[logfmt.SessionID]*entries.Record // the newest entry of each
	asked               map[logfmt.Seq]string                // what waits are about, whole, where the state has a part of it
	Workers             []Standing
	Keeper              int
	watcher             int // its process; 0 = there is none, -1 = it did not say
}

// StatusOf looks at the project around the caller. It writes nothing but the derived state of a trusted project, after reading much.
func StatusOf(ctx context.Context, c *workspace.Caller, q StatusQuery) (*StatusAnswer, error) {
	w, err := workspace.Open(c)
	if err != nil {
		return nil, err
	}
	defer w.Close()
	if q.Trusted && !w.Marked {
		return nil, workspace.NotTrusted(w.Project)
	}
	return statusAt(ctx, c, w, nil, func(s *StatusAnswer) (err error) {
		if s.last, err = lastEntries(w.Log, s.shown); err == nil {
			s.asked, err = wholeInputs(w.Log, s.shown, nil)
		}
		return err
	})
}

// statusAt is the status of an open project. entries finds the entries of the log that it shows.
func statusAt(ctx context.Context, c *workspace.Caller, w *workspace.Workspace, with *look.Look, entries func(*StatusAnswer) error) (*StatusAnswer, error) {
	s := &StatusAnswer{Project: w.Root, wt: w.Wt, branch: w.Branch(), marked: w.Marked}
	var err error
	if s.segments, err = w.Log.Segments(); err != nil {
		return nil, err
	}
	if s.View, err = LookAt(ctx, c, w, LookMode{At: c.Now, Peek: true, with: with}); err != nil {
		return nil, err
	}
	s.Queue = s.FactsOfQueue(w)
	s.shown, s.hidden = s.sessions()
	if err := entries(s); err != nil {
		return nil, err
	}
	if pid, running := watchlock.Running(w.Oss); running {
		s.watcher = max(pid, -1)
		if pid == 0 {
			s.watcher = -1
		}
	}
	return s, nil
}

// lastEntries are the newest entries of the sessions that aburn did not write itself, within StatusBytes.
func lastEntries(log *journal.Journal, sessions []sessionView) (map[logfmt.SessionID]*entries.Record, error) {
	last := map[logfmt.SessionID]*entries.Record{}
	for _, s := range sessions {
		last[s.ID] = nil
	}
	left := len(last)
	for line, err := range log.Backward(journal.BackwardOptions{Limit: StatusBytes}) {
		if err != nil || left == 0 {
			return last, err
		}
		h, ok := lifeSign(&line)
		if !ok {
			continue
		}
		if known, wanted := last[logfmt.SessionID(h.Session)]; !wanted || known != nil {
			continue
		}
		if r := recordOf(&line); r != nil {
			last[r.Session] = r
			left--
		}
	}
	return last, nil
}

// lifeSign is the header of an entry that an agent, a person or another tool wrote now, and not aburn itself.
func lifeSign(line *journal.Line) (h logfmt.Header, ok bool) {
	h, ok = logfmt.ParseHeader(line.JSON)
	return h, ok && !line.Carried && string(h.Source) != "aburn"
}

// recordOf is the newest entry of its session: nothing came after it. Nil is a line that cannot be read.
func recordOf(line *journal.Line) *entries.Record {
	e, err := logfmt.Parse(line.JSON)
	if err != nil {
		return nil
	}
	return &entries.Record{Entry: e, Open: e.Event == logfmt.ToolStart}
}

// wholeInputs are the inputs of waits that the state keeps only a part of, by their entries. known are those of an earlier answer.
func wholeInputs(log *journal.Journal, sessions []sessionView, known map[logfmt.Seq]string) (map[logfmt.Seq]string, error) {
	whole, left := map[logfmt.Seq]string{}, 0
	for i := range sessions {
		for _, w := range sessions[i].Waits {
			if n := w.Since.Seq; n != 0 && strings.HasSuffix(w.Input, "…") {
				text, ok := known[n]
				if whole[n] = text; !ok {
					left++
				}
			}
		}
	}
	if left == 0 {
		return whole, nil
	}
	for line, err := range log.Backward(journal.BackwardOptions{Limit: StatusBytes}) {
		if err != nil || left == 0 {
			return whole, err
		}
		h, ok := logfmt.ParseHeader(line.JSON)
		if text, wanted := whole[h.Seq]; !ok || line.Carried || !wanted || text != "" {
			continue
		}
		var d logfmt.Details
		if e, err := logfmt.Parse(line.JSON); err == nil && logfmt.ReadDetails(e.Data, &d) {
			whole[h.Seq] = cmp.Or(d.Head.String(), d.Path.String(), d.Task.String())
		}
		left--
	}
	return whole, nil
}

// StatusReport is what agents are told too.
type StatusReport struct {
	Project  string          `json:"project"`
	Marked   bool            `json:"marked"`
	Wt       string          `json:"wt"`
	Branch   string          `json:"branch,omitempty"`
	Bytes    int64           `json:"bytes"`
	Segments int             `json:"segments"`
	Watcher  int             `json:"watcher,omitempty"` // its process; -1 = it did not say
	At       time.Time       `json:"at"`
	Waits    []WaitFacts     `json:"waits"`
	Sessions []SessionStatus `json:"sessions"`
	Chain    []linkFacts     `json:"chain"`
	Issues   []AdviceReport  `json:"issues"`
	Queue    queueFacts      `json:"queue"`
}

// StatusPrinted is what `aburn status --json` prints: agents are told of their own project's sessions, not for workers.
type StatusPrinted struct {
	StatusReport
	Workers []Standing `json:"workers,omitempty"`
	Keeper  int        `json:"keeper,omitempty"` // the process of `aburn daemon start`, which judges the work of workers
}

// SessionStatus is a session with its newest entry.
type SessionStatus struct {
	sessionFacts
	Last *lastEntry `json:"last,omitempty"`
}

type lastEntry struct {
	Cmd   string       `json:"cmd"`
	Phase string       `json:"phase,omitempty"`
	Event logfmt.Event `json:"event"`
	Seq   logfmt.Seq   `json:"seq,omitempty"`
	Time  time.Time    `json:"ts"`
	Open  bool         `json:"open"` // it is the start of a call, and nothing came after it
	Text  string       `json:"-"`    // in words
}

// Report is the status as --json prints it.
func (s *StatusAnswer) Report() StatusReport {
	r := StatusReport{
		Project: s.Project, Marked: s.marked, Wt: s.wt, Branch: s.branch, Segments: len(s.segments), Watcher: s.watcher, At: s.Now.UTC().Truncate(time.Millisecond),
		Waits: s.waits(), Sessions: []SessionStatus{}, Chain: s.linkFacts(s.wt), Queue: s.Queue,
	}
	for _, seg := range s.segments {
		r.Bytes += seg.Size
	}
	for i := range s.shown {
		one := SessionStatus{sessionFacts: s.factsOf(&s.shown[i])}
		if e := s.last[s.shown[i].ID]; e != nil {
			words := entries.Describe(&e.Entry)
			one.Last = &lastEntry{e.Cmd, e.Phase, e.Event, e.Seq, e.Time, e.Open,
				withoutSecrets(strings.TrimSpace(words.Name + " " + units.Join(words.Path, words.Detail)))}
		}
		r.Sessions = append(r.Sessions, one)
	}
	var issues []*supervisor.Issue
	for i := range s.Issues {
		issues = append(issues, &s.Issues[i])
	}
	r.Issues = s.IssueReports(issues)
	return r
}

// Print prints the status for a person: first what waits for them.
func (s *StatusAnswer) Print(out *term.Out) error { return s.print(out, "you") }

// PrintForAgent prints the status for an agent, which is not the one that something waits for.
func (s *StatusAnswer) PrintForAgent(out *term.Out) error { return s.print(out, "the user") }

func (s *StatusAnswer) print(out *term.Out, whom string) error {
	s.showWaits(out, whom)
	s.showProject(out)
	if err := s.showSessions(out); err != nil {
		return err
	}
	if s.hidden > 0 {
		fmt.Fprintln(out, out.Paint(term.Dim, plain.Plural(int64(s.hidden), "older session")))
	}
	s.showIssues(out)
	return nil
}

func (s *StatusAnswer) showProject(out *term.Out) {
	line := func(name, text string) {
		if text != "" {
			fmt.Fprintf(out, "%-8s %s\n", name, text)
		}
	}
	said := func(name, text string) {
		if text != "" {
			term.HangingParagraph(out, 9, name, text)
		}
	}
	var bytes int64
	for _, seg := range s.segments {
		bytes += seg.Size
	}
	line("project", fit(out, s.Project))
	line("here", fit(out, units.Join(s.wt, s.branch)))
	said("log", plain.Size(bytes)+" in "+plain.Plural(int64(len(s.segments)), "segment"))
	switch {
	case s.watcher > 0:
		said("watcher", fmt.Sprintf("process %d", s.watcher))
	case s.watcher < 0:
		said("watcher", "another process")
	case s.Keeper > 0:
		said("watcher", fmt.Sprintf("the daemon (process %d), for workers; other sessions are checked only when you run a command", s.Keeper))
	default:
		said("watcher", "none: stuck and waiting sessions show up only when you run a command")
	}
	said("workers", workersText(s.Workers))
	if len(s.State.Links) > 0 {
		line("chain", s.ChainText(out, s.wt, term.TextWidth(out)-9))
	}
	said("queue", s.Queue.text())
}

// withoutSecrets comes before every cut, as agents are shown this text too: what a cut leaves of a secret is not found any
// more. Characters that a model is not shown go first, as one could stand in a secret and hide it.
func withoutSecrets(text string) string {
	text, _ = scrub.Text(plain.ModelLine(text))
	return text
}

// fit cuts the beginning of a path that is longer than the rest of the line.
func fit(out *term.Out, text string) string {
	text = withoutSecrets(text)
	if out.Width() > 0 {
		text = plain.CutStart(text, max(out.Width()-9, 20))
	}
	return text
}
