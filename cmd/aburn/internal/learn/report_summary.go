package learn

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"aburn/insight/queries"
	"aburn/insight/remedy"
	"aburn/insight/report"
	"aburn/internal/plain"
	"aburn/internal/shell"
	"aburn/internal/term"
	"aburn/internal/units"
)

// advice is a sentence, and the command that shows more.
type advice struct{ text, command string }

// summary prints what a report says first: five sentences.
type summary struct {
	*reportView
	facts *queries.ReportSummary
}

// print prints the sentences, each with its command.
func (s *summary) print() {
	term.Title(s.out, true, s.title())
	for _, a := range []advice{s.most(), s.often(), s.cost(), s.fresh(), s.first()} {
		if a.text == "" {
			continue
		}
		fmt.Fprintln(s.out)
		term.Paragraph(s.out, 0, "", a.text)
		fmt.Fprintln(s.out, "  "+s.out.Paint(term.Cyan, a.command))
	}
	fmt.Fprintln(s.out)
	term.Paragraph(s.out, 0, "", "Results are inferred from the agents' records. All tables: aburn report --full")
}

// units is "3 sessions", or "3 sessions and sub-agents" where sub-agents are among them.
func (s *summary) units(n int) string {
	if s.r.Units.Subagents > 0 {
		return plain.Plural(int64(n), "session or sub-agent", "sessions and sub-agents")
	}
	return plain.Plural(int64(n), "session")
}

// flags choose the same sessions in another command.
func (s *summary) flags() (text string) {
	c := &s.r.Chosen
	for _, f := range []struct{ flag, value string }{{" --source ", c.Source}, {" --project ", c.Project}} {
		if f.value != "" {
			text += f.flag + shell.Quote(f.value)
		}
	}
	for _, bound := range []struct {
		flag string
		t    time.Time
	}{{" --since ", c.Since}, {" --until ", c.Until}} {
		if !bound.t.IsZero() {
			text += bound.flag + bound.t.Local().Format("2006-01-02T15:04:05")
		}
	}
	return text
}

// errorWords is an error as a sentence quotes it.
func errorWords(e *report.Error) string {
	return "`" + plain.Cut(plain.Line(cmp.Or(e.Head, e.Text)), 60) + "` (" + strings.ReplaceAll(string(e.Class), "_", " ") + ")"
}

// most says what went wrong most.
func (s *summary) most() advice {
	e, failing := s.facts.Main, s.r.Units.Failing
	switch {
	case s.r.Units.Ended == 0:
		return advice{"No session has ended yet.", "aburn status"}
	case failing == 0 && e == nil:
		return advice{"Nothing went wrong.", "aburn sessions"}
	case failing == 0:
		return advice{fmt.Sprintf("Nothing failed. The most frequent main error is %s, in %s.", errorWords(e), s.units(e.Units)),
			"aburn replay " + e.Key}
	case e == nil || e.Failing == 0:
		f := &s.r.Failures[0]
		return advice{fmt.Sprintf("Most often an agent failed without an error in its records: %s, %s.", f.Shape, units.Share(f.Units, f.OfFailing)),
			"aburn replay " + f.Key}
	}
	return advice{fmt.Sprintf("The most frequent failure is %s. It is the main error in %s that failed.", errorWords(e), s.of(e.Failing, failing)),
		"aburn replay " + e.Key}
}

// of is "3 of 12 sessions".
func (s *summary) of(n, all int) string { return plain.Count(int64(n)) + " of " + s.units(all) }

// often says how often something failed.
func (s *summary) often() advice {
	r := s.r
	if r.Units.Ended == 0 {
		return advice{}
	}
	text := fmt.Sprintf("%s failed (%s)", s.of(r.Units.Failing, r.Units.Ended), units.PercentOf(r.Units.Failing, r.Units.Ended))
	if t := &r.AllTools; t.Ended > 0 {
		text += fmt.Sprintf(", and %s tool calls (%s)", units.Share(t.Failed, t.Ended), units.PercentOf(t.Failed, t.Ended))
	}
	command := "aburn sessions --outcome failed"
	switch {
	case r.Units.Failing == 0:
		command = "aburn tools --failed"
	case r.Units.Subagents > 0:
		command += " --subagents"
	}
	return advice{text + ".", command + s.flags()}
}

// cost says what the failures cost, in money and in tokens, as far as either is known.
func (s *summary) cost() advice {
	var sentences []string
	if s.facts.All.Amount > 0 && s.r.Units.Failing > 0 {
		sentences = append(sentences, fmt.Sprintf("The failures cost %s of %s at list prices.",
			s.facts.Currency.Says(&s.facts.Failed), s.facts.Currency.Says(&s.facts.All)))
	}
	if t := &s.r.Tokens; t.Calls > 0 {
		sentences = append(sentences, fmt.Sprintf("Failed calls took %s of %s tokens (%s).", units.Amount(t.Failed), units.Amount(t.Calls),
			units.PercentOf(t.Failed, t.Calls)))
	}
	if len(sentences) == 0 {
		sentences = append(sentences, "Nobody knows what it cost, because the records have no tokens.")
	}
	return advice{strings.Join(sentences, " "), "aburn cost outcomes" + s.flags()}
}

// fresh says what is new since the last report. A report of a span of time can't know what was there before.
func (s *summary) fresh() advice {
	if !s.r.Chosen.Since.IsZero() || !s.r.Chosen.Until.IsZero() {
		return advice{}
	}
	since := s.facts.Since.Local()
	text := "Since your last report (" + units.Date(since, s.now.Local()) + since.Format(" 15:04") + "), "
	if s.facts.FirstReport {
		text = "In the last 7 days, "
	}
	if s.facts.Ended == 0 {
		return advice{text + "no session ended.", "aburn status"}
	}
	text += fmt.Sprintf("%s failed. ", s.of(s.facts.Failing, s.facts.Ended))
	switch n := len(s.facts.New); n {
	case 0:
		text += "No error is new."
	case 1:
		text += "One error is new: " + errorWords(&s.facts.New[0]) + "."
	default:
		text += fmt.Sprintf("%s are new, most often %s.", plain.Plural(int64(n), "error"), errorWords(&s.facts.New[0]))
	}
	return advice{text, "aburn report --full --since " + since.Format("2006-01-02T15:04") + s.flags()}
}

// first says where to begin. It promises a fix only where a rule or a comparable session gives one.
func (s *summary) first() advice {
	e := s.facts.Main
	switch {
	case s.r.Units.Ended == 0:
		return advice{}
	case s.r.Units.Failing == 0:
		return advice{"There is nothing to mend first.", "aburn lessons"}
	case e == nil || e.Failing == 0:
		return advice{"Begin with the latest of these sessions.", "aburn show " + s.name(s.r.Failures[0].Seen[0])}
	case s.facts.Remedy != nil && s.facts.Remedy.Tier == remedy.KnownFix:
		return advice{"Begin with the main error, because a fix is known: " + s.facts.Remedy.Fix.Text, "aburn remedy " + e.Key}
	case s.facts.Remedy != nil && s.facts.Remedy.Tier != remedy.None:
		return advice{fmt.Sprintf("Begin with the main error: %s had it and completed, and you can see what changed.",
			s.units(s.facts.Remedy.Shared)), "aburn remedy " + e.Key}
	}
	return advice{"Begin with the main error. No comparable session got past it, so look at the latest one.", "aburn show " + s.name(e.Seen[0])}
}

func (s *summary) name(p report.Place) string { return s.names.Of(p.Source, p.Session) }
