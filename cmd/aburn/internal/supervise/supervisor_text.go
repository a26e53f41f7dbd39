package supervise

import (
	"fmt"
	"strconv"
	"strings"

	"aburn/cmd/aburn/internal/rows"
	"aburn/cmd/internal/kit"
	"aburn/internal/plain"
	"aburn/internal/queue"
	"aburn/internal/term"
	"aburn/logfmt"
	"aburn/supervisor"
	"aburn/supervisor/state"
)

// show prints a look for people, at most 80 columns wide where the screen does not say otherwise.
func (v *view) show(out *term.Out, wt string, only func(logfmt.SessionID) bool, some bool) error {
	if v.at {
		fmt.Fprintf(out, "as of %s, by the entries up to then\n", v.Now.Local().Format("2006-01-02 15:04:05"))
	}
	sessions, hidden := v.sessions(only)
	for i := range sessions {
		v.showSession(out, &sessions[i])
	}
	if !some && (len(v.model.Commands) > 0 && len(v.State.Links) > 0 || len(v.issuesOfChain()) > 0) {
		fmt.Fprintf(out, "%s  %s\n", out.Paint(term.Bold, "chain"), v.chainText(out, wt, kit.WidthOf(out)-7))
		for _, is := range v.issuesOfChain() {
			v.showIssue(out, is, true)
		}
	}
	return v.showSum(out, v.chosen(only, some), len(sessions), hidden)
}

// showSession prints one line about a session, and below it what is wrong.
func (v *view) showSession(out *term.Out, s *sessionView) {
	l := rows.Columns{Out: out}
	l.Add(rows.SessionStyle(s.ID), rows.ShortSession(s.ID, rows.WideSession), rows.WideSession)
	line := strings.TrimRight(l.B.String(), " ")
	used := l.Used
	for _, c := range []term.Cell{{Text: s.Source}, v.modeCell(s), {Text: s.place(), Style: term.Bold}, v.clockCell(s.Session)} {
		if text := plain.Cut(plain.Line(c.Text), kit.WidthOf(out)-used-2); text != "" && text != "-" {
			line += "  " + out.Paint(c.Style, text)
			used += 2 + plain.Width(text)
		}
	}
	fmt.Fprintln(out, line)
	for _, is := range s.issues {
		v.showIssue(out, is, s.mode != state.Ended && s.mode != state.Gone)
	}
}

// showIssue prints one issue. reachable says whether somebody is there who can be told.
func (v *view) showIssue(out *term.Out, is *supervisor.Issue, reachable bool) {
	level := supervisor.LevelOf(is, v.limits)
	priority := is.Type.Priority()
	if priority == "critical" {
		priority = out.Paint(term.BoldRed, priority)
	}
	fmt.Fprintf(out, "  %s  %s  %s  %s\n", out.Paint(levelStyle(level), string(is.Type)), percent(is.Confidence), priority, out.Paint(term.Dim, evidence(is.Evidence)))
	says := is.Says
	if is.Agent != "" {
		says = "in the sub-agent " + is.Agent + ": " + says
	}
	kit.Paragraph(out, 4, "", says)
	kit.Paragraph(out, 4, "healthy: ", is.Healthy)
	if level != supervisor.Notify {
		kit.Paragraph(out, 4, "suggested: ", is.Suggest)
	}
	if text := v.fate(is, level, reachable); text != "" {
		kit.Paragraph(out, 4, "", text)
	}
	kit.Paragraph(out, 4, "", "signature "+shortSignature(is.Signature))
}

// fate is what becomes of an issue that is sure enough for the queue.
func (v *view) fate(is *supervisor.Issue, level supervisor.Level, reachable bool) string {
	ago := func(m state.Mark) string { return plain.Age(v.Now.Sub(m.Time())) }
	a := v.advice(is)
	switch {
	case v.queued(is) != "" && is.OfChain():
		return "queued: whichever session is prompted next gets it"
	case v.queued(is) != "":
		return "queued: the agent gets it at its next prompt"
	case a != nil && a.Seen.Is():
		return "the agent saw it (delivered " + ago(a.Delivered) + ")"
	case a != nil && a.Delivered.Is():
		return "delivered " + ago(a.Delivered) + ", not seen yet"
	case a != nil && v.taskStatus(a.Task) == taskGone:
		return "queued " + ago(a.Queued) + ", and not in the queue any more"
	case a != nil && v.taskStatus(a.Task) == string(queue.Failed):
		return "queued " + ago(a.Queued) + ", and given up: no hook said that it had printed it"
	case a != nil:
		return "queued " + ago(a.Queued)
	case level == supervisor.Queue && !reachable:
		return "sure enough for the queue, but nobody is there any more who could be told"
	}
	return ""
}

// showSum ends a look.
func (v *view) showSum(out *term.Out, issues []*supervisor.Issue, shown, hidden int) error {
	text := "nothing is wrong"
	if n := len(issues); n > 0 {
		text = plain.Plural(int64(n), "issue")
		if c := critical(issues); c > 0 {
			text += ", " + out.Paint(term.BoldRed, strconv.Itoa(c)+" critical")
		}
	}
	text += ", in " + plain.Plural(int64(shown), "session")
	if hidden > 0 {
		text += " (and " + strconv.Itoa(hidden) + " that were silent for a day)"
	}
	if shown+hidden == 0 {
		text = "no session yet"
	}
	if n := len(v.Resolved); n > 0 {
		text += "; " + plain.Plural(int64(n), "task") + " taken back: cleared"
	}
	_, err := fmt.Fprintln(out, text)
	return err
}

// shortSignature is enough of a signature to name the issue.
func shortSignature(signature string) string {
	i := strings.LastIndexByte(signature, '-')
	return signature[:min(i+9, len(signature))]
}
