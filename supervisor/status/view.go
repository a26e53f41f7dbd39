package status

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"aburn/internal/entries"
	"aburn/internal/plain"
	"aburn/internal/queue"
	"aburn/internal/term"
	"aburn/supervisor"
	"aburn/supervisor/limits"
	"aburn/supervisor/look"
	"aburn/supervisor/state"
	"aburn/workflow"
)

// sessionWindow is how old the newest entry of a session may be for it to be shown, if nothing is wrong in it and it asks nothing.
const sessionWindow = 24 * time.Hour

// View is the result of a look with what its printers need.
type View struct {
	look.Result
	Model   *workflow.Model
	Limits  *limits.Limits
	Session string                // the sessions that are shown, as --session names them; "" for all
	At      bool                  // judged as of an earlier time: observations are unknown
	key     []byte                // of the mark; nil without one
	file    queue.File            // the queue as it is now
	tasks   map[string]queue.Task // its tasks by id; nil where they are not known
	Queue   queueFacts            // of the chosen sessions; nothing where judged as of an earlier time
}

// sessionView is one session with what is wrong in it.
type sessionView struct {
	*state.Session
	mode   state.Mode
	since  state.Mark
	issues []*supervisor.Issue
}

// sessions are the chosen ones, those that wait for a person first. hidden counts the sessions that were silent for
// sessionWindow and have no issue.
func (v *View) sessions() (shown []sessionView, hidden int) {
	for _, s := range v.State.Sessions {
		if !v.chosen(s.ID) {
			continue
		}
		one := sessionView{Session: s}
		one.issues = v.issuesWhere(func(i *supervisor.Issue) bool { return i.Session == s.ID && !i.OfChain() })
		one.mode, one.since = v.modeOf(s)
		asks := one.mode == state.Permission || one.mode == state.Question // ended by an entry, never by time
		if v.Now.Sub(s.Last.Time()) > sessionWindow && len(one.issues) == 0 && !asks {
			hidden++
			continue
		}
		shown = append(shown, one)
	}
	slices.SortStableFunc(shown, func(a, b sessionView) int {
		return cmp.Or(cmp.Compare(modeRank(a.mode), modeRank(b.mode)), cmp.Compare(b.Last.Ord, a.Last.Ord))
	})
	return shown, hidden
}

// modeUnknown is the mode of a session without hooks, because only they log the end of a turn, and of a session of which the
// log has neither the beginning nor the end of a turn.
const modeUnknown state.Mode = "unknown"

func (v *View) modeOf(s *state.Session) (state.Mode, state.Mark) {
	mode, since := s.Mode(v.Now, v.Observed)
	if s.Source == "" && (mode == state.Working || mode == state.Idle) {
		return modeUnknown, s.Last
	}
	if mode == state.Idle && s.Middle && !s.Turn.Start.Is() && !s.Turn.Ended.Is() {
		return modeUnknown, s.Last
	}
	return mode, since
}

func (v *View) issuesWhere(keep func(*supervisor.Issue) bool) (list []*supervisor.Issue) {
	for i := range v.Issues {
		if keep(&v.Issues[i]) {
			list = append(list, &v.Issues[i])
		}
	}
	return list
}

// Advice is the unresolved task about an issue, nil if there is none.
func (v *View) Advice(i *supervisor.Issue) *state.Advice {
	for _, a := range slices.Backward(v.State.Advice) {
		if a.Signature == i.Signature && a.Task != "" && !a.Resolved.Is() {
			return a
		}
	}
	return nil
}

// taskStatus is the status of a task in the queue, taskGone if it was dropped, "" if that is unknown.
func (v *View) taskStatus(id string) string {
	t, ok := v.tasks[id]
	switch {
	case id == "" || v.tasks == nil:
		return ""
	case !ok:
		return taskGone
	}
	return string(t.Status)
}

// taskGone is the status of a task that is not in the queue any more.
const taskGone = "gone"

// queuedAs is the task that this look queued for an issue, "" for none.
func (v *View) queuedAs(i *supervisor.Issue) string {
	for _, q := range v.Queued {
		if q.Issue.Signature == i.Signature {
			return q.Task
		}
	}
	return ""
}

func modeRank(m state.Mode) int {
	return slices.Index([]state.Mode{
		state.Permission, state.Question, state.Working, state.Idle, modeUnknown, state.Gone, state.Ended,
	}, m)
}

// modeCell is the mode in a word, and since how long.
func (v *View) modeCell(s *sessionView) term.Cell {
	c := term.Cell{Text: string(s.mode)}
	switch s.mode {
	case state.Permission:
		c = term.Cell{Text: "permission?", Style: term.BoldYellow}
	case state.Question:
		c = term.Cell{Text: "asks you", Style: term.BoldYellow}
	case modeUnknown:
		c = term.Cell{Text: "last event", Style: term.Dim}
	case state.Working:
		c.Style = term.Green
	case state.Gone:
		c.Style = term.Red
	case state.Ended:
		c.Style = term.Dim
	}
	if s.since.Is() {
		c.Text += " " + ShortDuration(v.Now.Sub(s.since.Time()))
	}
	return c
}

// place is the active command and phase, and how many sub-agents are running.
func (s *sessionView) place() string {
	text := "-"
	if run := s.Own.Active(); run != nil {
		text = run.Cmd
		if p := run.Open(); p != nil {
			text += ":" + p.Name
		}
	}
	if n := s.running(); n > 0 {
		text += fmt.Sprintf(" ↳%d", n)
	}
	return text
}

func (s *sessionView) running() (n int) {
	for _, a := range s.Agents {
		if a.Running() {
			n++
		}
	}
	return n
}

// clock is how long the open phase has been worked on, and its timeout; phase is nil if none is open.
func (v *View) clock(s *state.Session) (worked, timeout time.Duration, phase *state.Phase) {
	run := s.Own.Active()
	if run == nil {
		return 0, 0, nil
	}
	if phase = run.Open(); phase == nil {
		return 0, 0, nil
	}
	return max(time.Duration(s.ClockAt(v.Now)-phase.At)*time.Millisecond, 0), v.Limits.PhaseTimeout(v.Model.TimeoutOf(phase.Name)), phase
}

func (v *View) clockCell(s *state.Session) term.Cell {
	worked, timeout, phase := v.clock(s)
	if phase == nil {
		return term.Cell{}
	}
	c := term.Cell{Text: ShortDuration(worked) + " of " + ShortDuration(timeout)}
	if !phase.Start.Is() { // it began before the log
		c.Text = "over " + c.Text
	}
	if worked > timeout {
		c.Style = term.BoldYellow
	}
	return c
}

// ShortDuration is a time in one unit, rounded down: 48s, 12m, 5h, 3d.
func ShortDuration(d time.Duration) string {
	switch {
	case d < 0:
		return "0s"
	case d < time.Minute:
		return fmt.Sprintf("%ds", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%dm", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%dh", int(d.Hours()))
	}
	return fmt.Sprintf("%dd", int(d.Hours()/24))
}

// links are the links of a worktree, one for each command of the model; nil where nothing is known.
func (v *View) links(wt string) []*state.Link {
	list := make([]*state.Link, len(v.Model.Commands))
	for i := range v.Model.Commands {
		for _, l := range v.State.Links {
			if l.Cmd == v.Model.Commands[i].Name && l.Wt == wt {
				list[i] = l
			}
		}
	}
	return list
}

// ChainText is the chain of a worktree in one line of at most width cells: the state of each command, and since when.
func (v *View) ChainText(out *term.Out, wt string, width int) string {
	text, used := "", 0
	for i, l := range v.links(wt) {
		mark, ago := linkMark(l, v.Now)
		name := v.Model.Commands[i].Name
		bare := strings.TrimRight(name+" "+mark.Text+" "+ago, " ")
		if i > 0 {
			text, used = text+out.Paint(term.Dim, " · "), used+3
		}
		if used += plain.Width(bare); used > width-4 && i < len(v.Model.Commands)-1 || used > width {
			return text + "…"
		}
		if l == nil {
			text += out.Paint(term.Dim, bare)
		} else {
			text += strings.Replace(bare, " "+mark.Text, " "+out.Paint(mark.Style, mark.Text), 1)
		}
	}
	return text
}

func linkMark(l *state.Link, now time.Time) (mark term.Cell, ago string) {
	since := func(m state.Mark) string { return ShortDuration(now.Sub(m.Time())) }
	switch linkState(l) {
	case "running":
		return term.Cell{Text: "▶", Style: term.Cyan}, since(l.Start)
	case "left":
		return term.Cell{Text: "left", Style: term.Yellow}, since(l.Left) + " ago by " + entries.ShortSession(l.By, entries.WideSession)
	case "failed":
		return term.Cell{Text: "✖", Style: term.Red}, since(l.Failed)
	case "done":
		return term.Cell{Text: "✔", Style: term.Green}, since(l.Complete)
	}
	return term.Cell{Text: "-", Style: term.Dim}, ""
}

// linkState is the newest thing that happened to a command of the chain.
func linkState(l *state.Link) string {
	switch {
	case l == nil:
		return "unknown"
	case l.Open && l.Left.Is():
		return "left"
	case l.Open:
		return "running"
	case l.Failed.Ord > l.Complete.Ord:
		return "failed"
	case l.Complete.Is():
		return "done"
	}
	return "unknown"
}

// Critical is how many issues have the priority critical.
func Critical(issues []*supervisor.Issue) (n int) {
	for _, i := range issues {
		if i.Type.Priority() == "critical" {
			n++
		}
	}
	return n
}
