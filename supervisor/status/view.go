package status

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"aburn/internal/entries"
	"aburn/internal/fault"
	"aburn/internal/plain"
	"aburn/internal/queue"
	"aburn/internal/term"
	"aburn/logfmt"
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
		c = term.Cell{Text: "heard", Style: term.Dim}
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

// Show prints a look, 80 cells wide where no terminal says otherwise.
func (v *View) Show(out *term.Out, wt string) error {
	if v.At {
		fmt.Fprintf(out, "as of %s, by the entries up to then\n", v.Now.Local().Format("2006-01-02 15:04:05"))
	}
	sessions, hidden := v.sessions()
	for i := range sessions {
		v.showSession(out, &sessions[i])
	}
	ofChain := v.issuesWhere((*supervisor.Issue).OfChain)
	if v.Session == "" && (len(v.Model.Commands) > 0 && len(v.State.Links) > 0 || len(ofChain) > 0) {
		fmt.Fprintf(out, "%s  %s\n", out.Paint(term.Bold, "chain"), v.ChainText(out, wt, term.TextWidth(out)-7))
		for _, is := range ofChain {
			v.showIssue(out, is, true)
		}
	}
	return v.showSummary(out, v.ChosenIssues(), len(sessions), hidden)
}

// showSession prints one line about a session, and its issues below.
func (v *View) showSession(out *term.Out, s *sessionView) {
	l := entries.NewColumns(out)
	l.Add(entries.SessionStyle(s.ID), entries.ShortSession(s.ID, entries.WideSession), entries.WideSession)
	line, used := l.Text()
	for _, c := range []term.Cell{{Text: s.Source}, v.modeCell(s), {Text: s.place(), Style: term.Bold}, v.clockCell(s.Session)} {
		if text := plain.Cut(plain.Line(c.Text), term.TextWidth(out)-used-2); text != "" && text != "-" {
			line += "  " + out.Paint(c.Style, text)
			used += 2 + plain.Width(text)
		}
	}
	fmt.Fprintln(out, line)
	for _, is := range s.issues {
		v.showIssue(out, is, s.mode != state.Ended && s.mode != state.Gone)
	}
}

// showIssue prints one issue. reachable says whether its session can still get advice.
func (v *View) showIssue(out *term.Out, is *supervisor.Issue, reachable bool) {
	level := supervisor.LevelOf(is, v.Limits)
	priority := is.Type.Priority()
	if priority == "critical" {
		priority = out.Paint(term.BoldRed, priority)
	}
	fmt.Fprintf(out, "  %s  %s  %s  %s\n", out.Paint(LevelStyle(level), string(is.Type)), Percent(is.Confidence), priority,
		out.Paint(term.Dim, EvidenceText(is.Evidence)))
	says := is.Says
	if is.Agent != "" {
		says = "in the sub-agent " + is.Agent + ": " + says
	}
	term.Paragraph(out, 4, "", says)
	term.Paragraph(out, 4, "healthy: ", is.Healthy)
	if level != supervisor.Notify {
		term.Paragraph(out, 4, "suggested: ", is.Suggest)
	}
	if text := v.AdviceText(is, level, reachable); text != "" {
		term.Paragraph(out, 4, "", text)
	}
	term.Paragraph(out, 4, "", "signature "+ShortSignature(is.Signature))
}

// AdviceText is what becomes of an issue that is sure enough for the queue.
func (v *View) AdviceText(is *supervisor.Issue, level supervisor.Level, reachable bool) string {
	ago := func(m state.Mark) string { return plain.Age(v.Now.Sub(m.Time())) }
	a := v.Advice(is)
	switch {
	case v.queuedAs(is) != "" && is.OfChain():
		return "queued: whichever session is prompted next gets it"
	case v.queuedAs(is) != "":
		return "queued: the agent gets it at its next prompt"
	case a != nil && a.Seen.Is():
		return "the agent saw it (delivered " + ago(a.Delivered) + ")"
	case a != nil && a.Untold != "":
		return "queued " + ago(a.Queued) + ", and ended untold: " + a.Untold
	case a != nil && a.Delivered.Is():
		return "delivered " + ago(a.Delivered) + ", not seen yet"
	case a != nil && v.taskStatus(a.Task) == taskGone:
		return "queued " + ago(a.Queued) + ", and not in the queue any more"
	case a != nil && v.taskStatus(a.Task) == string(queue.Failed):
		return "queued " + ago(a.Queued) + ", and given up: no hook confirmed that it printed the task"
	case a != nil && !reachable:
		return "queued " + ago(a.Queued) + ", and its session is over: it is told only if the session is taken up again"
	case a != nil:
		return "queued " + ago(a.Queued)
	case level == supervisor.Queue && !reachable:
		return "sure enough for the queue, but the session has ended"
	}
	return ""
}

func (v *View) showSummary(out *term.Out, issues []*supervisor.Issue, shown, hidden int) error {
	waits := v.Queue.waits()
	text := "nothing is wrong"
	if waits != "" {
		text = "no issue is open"
	}
	if n := len(issues); n > 0 {
		text = plain.Plural(int64(n), "issue")
		if c := Critical(issues); c > 0 {
			text += ", " + out.Paint(term.BoldRed, strconv.Itoa(c)+" critical")
		}
	}
	text += ", in " + plain.Plural(int64(shown), "session")
	if hidden > 0 {
		text += " (and " + strconv.Itoa(hidden) + " silent for a day)"
	}
	if shown+hidden == 0 {
		text = "no session yet"
	}
	if n := len(v.Resolved); n > 0 {
		text += "; " + plain.Plural(int64(n), "task") + " taken back: cleared"
	}
	if n := len(v.Untold); n > 0 {
		text += "; " + plain.Plural(int64(n), "task") + " ended untold"
	}
	if waits != "" {
		text += "\n" + waits + ": aburn queue list"
	}
	_, err := fmt.Fprintln(out, text)
	return err
}
