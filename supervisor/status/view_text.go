package status

import (
	"fmt"
	"strconv"

	"aburn/internal/entries"
	"aburn/internal/plain"
	"aburn/internal/queue"
	"aburn/internal/term"
	"aburn/supervisor"
	"aburn/supervisor/state"
)

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
		return "queued " + ago(a.Queued) + ", never delivered: " + a.Untold
	case a != nil && a.Delivered.Is():
		return "delivered " + ago(a.Delivered) + ", not seen yet"
	case a != nil && v.taskStatus(a.Task) == taskGone:
		return "queued " + ago(a.Queued) + ", and not in the queue any more"
	case a != nil && v.taskStatus(a.Task) == string(queue.Failed):
		return "queued " + ago(a.Queued) + ", and given up: no hook confirmed that it printed the task"
	case a != nil && !reachable:
		return "queued " + ago(a.Queued) + ", and its session is over: it is delivered only when the session continues"
	case a != nil:
		return "queued " + ago(a.Queued)
	case level == supervisor.Queue && !reachable:
		return "sure enough for the queue, but the session has ended"
	}
	return ""
}

func (v *View) showSummary(out *term.Out, issues []*supervisor.Issue, shown, hidden int) error {
	waits := v.Queue.waits()
	text := "no issue is open"
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
		text += "; " + plain.Plural(int64(n), "task") + " withdrawn: cleared"
	}
	if n := len(v.Untold); n > 0 {
		text += "; " + plain.Plural(int64(n), "task") + " never delivered"
	}
	if waits != "" {
		text += "\n" + waits + ": aburn queue list"
	}
	_, err := fmt.Fprintln(out, text)
	return err
}
