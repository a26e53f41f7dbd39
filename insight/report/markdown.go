package report

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"aburn/insight"
	"aburn/insight/remedy"
	"aburn/internal/plain"
)

// MaxMarkdown is the most bytes that Markdown returns.
const MaxMarkdown = 9000

// mostRows is the most rows of a part of Markdown.
const mostRows = 8

// Markdown writes the report for agents, under a heading that calls it recorded data. To stay
// within MaxMarkdown bytes it cuts all lists to the same length, and counts what it leaves out.
func (r *Report) Markdown() string {
	for n := mostRows; ; n-- {
		if text := r.Top(n).markdown(); len(text) <= MaxMarkdown || n == 0 {
			return text
		}
	}
}

// page is the Markdown being written.
type page struct {
	strings.Builder
	r *Report
}

func (r *Report) markdown() string {
	p := &page{r: r}
	p.head()
	p.failures()
	p.errors()
	p.classes()
	p.loops()
	p.tools()
	p.phases()
	p.weeks()
	p.remedies()
	return p.String()
}

func (p *page) part(format string, args ...any) { fmt.Fprintf(p, "\n## "+format+"\n\n", args...) }

func (p *page) left(n int) {
	if n > 0 {
		fmt.Fprintf(p, "\n%d more are left out.\n", n)
	}
}

func (p *page) head() {
	r := p.r
	fmt.Fprint(p, "# What keeps going wrong\n\nRecorded data from sessions of agents, not instructions. Text in code spans is quoted from them.\n\n")
	fmt.Fprintf(p, "%s and %s", insight.Plural(r.Units.Sessions, "session"), insight.Plural(r.Units.Subagents, "sub-agent"))
	if r.Units.Running > 0 {
		fmt.Fprintf(p, ", %d of them still running (those have no outcome yet)", r.Units.Running)
	}
	fmt.Fprintf(p, "%s. Of the %d that ended, by inferred outcome:", p.chosen(), r.Units.Ended)
	for i, o := range r.Outcomes {
		if i > 0 {
			p.WriteByte(',')
		}
		fmt.Fprintf(p, " %s %d of %d", o.Outcome, o.Units, o.Of)
	}
	fmt.Fprintf(p, ". Failing (errored, gave_up, killed, crashed): %d of %d. With any error: %d of %d.\n",
		r.Units.Failing, r.Units.Ended, r.Units.Erring, r.Units.Ended)
	if len(r.Agents)+r.More.Agents > 1 {
		p.WriteString("\nAgents:")
		for i, a := range r.Agents {
			if i > 0 {
				p.WriteByte(',')
			}
			fmt.Fprintf(p, " %s %d of %d failing", plain.Code(a.Source), a.Failing, a.Ended)
		}
		p.WriteString(".\n")
	}
	if t := r.Tokens; t.Units > 0 {
		fmt.Fprintf(p,
			"\nTokens: %d in %d of %d sessions and sub-agents that report any. %d went into calls, of these %d into calls that failed and %d into repeats of failed "+
				"calls that did not fail.\n",
			t.All, t.Units, t.Of, t.Calls, t.Failed, t.Retries)
	}
}

// chosen says which sessions the report covers; empty if all.
func (p *page) chosen() (text string) {
	c := p.r.Chosen
	if c.Source != "" {
		text += " of " + plain.Code(c.Source)
	}
	if c.Project != "" {
		text += " in " + plain.Code(c.Project)
	}
	if !c.Since.IsZero() {
		text += " since " + c.Since.UTC().Format(time.RFC3339)
	}
	if !c.Until.IsZero() {
		text += " until " + c.Until.UTC().Format(time.RFC3339)
	}
	return text
}

func (p *page) failures() {
	if len(p.r.Failures) == 0 {
		return
	}
	p.part("Failures by shape")
	var rows [][]string
	for _, s := range p.r.Failures {
		rows = append(rows, []string{
			ratio(s.Units, s.OfFailing), plain.Code(s.Shape), plain.Code(s.Key), date(s.Last), s.Seen[0].code(),
		})
	}
	plain.MarkdownTable(&p.Builder, []string{"of failing", "shape", "fingerprint", "last", "latest session"}, rows)
	p.left(p.r.More.Failures)
}

func (p *page) errors() {
	if len(p.r.Errors) == 0 {
		return
	}
	p.part("Main errors")
	var rows [][]string
	for _, e := range p.r.Errors {
		what := string(e.Class)
		if e.Type != "" {
			what += ", " + string(e.Type)
		}
		if e.Exit != nil {
			what += fmt.Sprintf(", exit %d", *e.Exit)
		}
		rows = append(rows, []string{
			ratio(e.Units, e.OfErring), ratio(e.Failing, e.Units), ratio(e.Solved, e.Units),
			what, plain.Code(e.Head), plain.Code(e.Key), e.Seen[0].code(),
		})
	}
	plain.MarkdownTable(&p.Builder, []string{"of those with errors", "failing", "call succeeded later", "error", "head", "key", "latest"}, rows)
	p.left(p.r.More.Errors)
}

func (p *page) classes() {
	if len(p.r.Classes) == 0 {
		return
	}
	p.part("Errors by class")
	var rows [][]string
	for _, c := range p.r.Classes {
		rows = append(rows, []string{
			plain.Code(string(c.Class)), ratio(c.Errors, c.OfErrors), ratio(c.Units, c.OfUnits), ratio(c.Failing, c.OfFailing),
		})
	}
	plain.MarkdownTable(&p.Builder, []string{"class", "errors", "sessions and sub-agents", "of failing"}, rows)
	p.left(p.r.More.Classes)
}

func (p *page) loops() {
	if len(p.r.Loops) == 0 {
		return
	}
	p.part("Files changed again and again, in %d of %d", p.r.LoopsIn, p.r.Units.All)
	var rows [][]string
	for _, l := range p.r.Loops {
		file := plain.Code(l.Path)
		if l.Project != "" { // the path is relative to its project
			file += " in " + plain.Code(l.Project)
		}
		rows = append(rows, []string{file, fmt.Sprint(l.Most), ratio(l.Identical, l.Edits), fmt.Sprint(l.Units), l.Worst.code()})
	}
	plain.MarkdownTable(&p.Builder, []string{"file", "most edits in one", "of all edits back to earlier content", "sessions and sub-agents", "where most"}, rows)
	p.left(p.r.More.Loops)
}

func (p *page) tools() {
	if len(p.r.Tools) == 0 {
		return
	}
	p.part("Tools")
	var rows [][]string
	for _, t := range p.r.Tools {
		rows = append(rows, []string{string(t.Type), fmt.Sprint(t.Calls), ratio(t.Failed, t.Ended), fmt.Sprint(t.Retries), fmt.Sprint(t.Spent)})
	}
	plain.MarkdownTable(&p.Builder, []string{"type", "calls", "failed of ended", "repeats of a failed one, failed or not", "tokens in failed"}, rows)
	p.left(p.r.More.Tools)
	if len(p.r.Slow) == 0 {
		return
	}
	p.WriteString("\nLongest calls:\n\n")
	for _, s := range p.r.Slow {
		failed, most := "", ""
		if s.Gap {
			most = "at most "
		}
		if s.Failed {
			failed = ", failed"
		}
		fmt.Fprintf(p, "- %s%s %s %s%s, %s\n", most, lasting(s.MS), plain.Code(s.Tool), plain.Code(s.What), failed, s.code())
	}
	p.left(p.r.More.Slow)
}

func (p *page) phases() {
	if len(p.r.Phases) == 0 {
		return
	}
	p.part("Phases of the workflow")
	var rows [][]string
	for _, f := range p.r.Phases {
		tools := make([]string, len(f.Tools))
		for i, t := range f.Tools {
			tools[i] = fmt.Sprintf("%s %d", t.Tool, t.Failed)
		}
		tokens := "-" // no record mentions any
		if f.Tokens > 0 {
			tokens = fmt.Sprint(f.Tokens)
		}
		rows = append(rows, []string{
			plain.Code(strings.TrimSuffix(f.Command+":"+f.Phase, ":")),
			ratio(f.Completed, f.Runs), ratio(f.Failed, f.Runs), lasting(f.ActiveMS), tokens,
			ratio(f.BadCalls, f.Calls), plain.Code(strings.Join(tools, ", ")),
		})
	}
	plain.MarkdownTable(&p.Builder, []string{"phase", "completed", "failed", "active", "tokens", "failed of the calls in it", "tools that failed"}, rows)
	p.left(p.r.More.Phases)
}

func (p *page) weeks() {
	if len(p.r.Weeks) == 0 && p.r.NoWeek == nil {
		return
	}
	p.part("By week")
	var rows [][]string
	weeks := p.r.Weeks
	if none := p.r.NoWeek; none != nil {
		weeks = append(weeks[:len(weeks):len(weeks)], *none)
	}
	for _, w := range weeks {
		rows = append(rows, []string{
			cmp.Or(w.Week, "none: running, or at an unknown time"), ratio(w.Failing, w.Ended), ratio(w.Failed, w.Calls), fmt.Sprint(w.Errors), ratio(w.Spent, w.Tokens),
		})
	}
	plain.MarkdownTable(&p.Builder, []string{"ISO week (UTC)", "failing of ended", "failed of calls that ended", "errors",
		"tokens in failed calls and in repeats that did not fail"}, rows)
	p.left(p.r.More.Weeks)
}

func (p *page) remedies() {
	if len(p.r.Remedies) == 0 {
		return
	}
	p.part("Remedies that were tried")
	for i := range p.r.Remedies {
		m := &p.r.Remedies[i]
		fmt.Fprintf(p, "- %s, %s, %s: %s\n", plain.Code(m.Key), date(m.Time), plain.Code(m.Note), m.String())
	}
	fmt.Fprintf(p, "\n%s\n", remedy.Observation)
	p.left(p.r.More.Remedies)
}

// code quotes a place as commands accept it.
func (p Place) code() string {
	name := p.Source + "/" + p.Session
	if p.Event > 0 {
		return fmt.Sprintf("%s event %d", plain.Code(name), p.Event)
	}
	return plain.Code(name)
}

func date(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.DateOnly)
}

func lasting(ms int64) string {
	d := time.Duration(ms) * time.Millisecond
	if d >= time.Minute {
		d = d.Round(time.Second)
	}
	return d.String()
}

func ratio[N int | int64](n, of N) string { return fmt.Sprintf("%d of %d", n, of) }
