package sessions

import (
	"fmt"
	"strconv"
	"strings"

	"aburn/archive/lookup"
	"aburn/archive/story"
	"aburn/insight/cost/bill"
	"aburn/internal/plain"
	"aburn/internal/term"
	"aburn/internal/units"
	"aburn/trace"
)

// printHead prints the facts about the whole session.
func (v *storyView) printHead(out *term.Out) {
	line := func(name, value string) {
		if value = plain.Line(value); value != "" {
			term.HangingParagraph(out, 11, name, value)
		}
	}
	s, t := &v.Session, v.Joined.SessionTrace
	line("session", s.Source+"/"+s.ID)
	line("agent", strings.TrimSpace(s.Agent.Name+" "+s.Agent.Version))
	line("project", s.Project.Path)
	if s.Project.Key != s.Project.Path {
		line("", "a worktree of "+s.Project.Key)
	}
	line("time", v.time())
	line("outcome", v.outcome())
	for i := range t.Relationships {
		line("relation", v.relation(&t.Relationships[i]))
	}
	for _, r := range v.related {
		became := "continued in "
		if r.Kind == trace.Fork {
			became = "forked to "
		}
		line("", became+v.Name(r.Session)+provenance(&r.SessionRelationship))
	}
	line("counts", countWords(s.Counts))
	line("tokens", tokenWords(s.Usage))
	line(bill.Title, v.cost)
	if command := v.continued(); command != "" {
		fmt.Fprintln(out, plain.Pad("continue", 11)+command) // in one line, to be copied
	}
	for i := range t.Sources {
		line("read from", fileWords(&t.Sources[i], s.Gone && i < v.Files))
	}
	if v.Hooks != nil {
		line("recorded", "also by aburn's hooks, "+differWords(len(v.Differences)))
	}
	if n := len(t.Damaged); n > 0 {
		line("damaged", plain.Plural(int64(n), "place")+" could not be read, the first: "+t.Damaged[0].Reason+" ("+place(t, t.Damaged[0].Ref)+")")
	}
	if n := t.Scrub.Redacted; n > 0 {
		line("scrubbed", plain.Plural(int64(n), "secret")+" taken out")
	}
}

// continued is the command that continues the session, "" for a sub-agent, which has none.
func (v *storyView) continued() string {
	if v.Session.Relation == trace.Subagent {
		return ""
	}
	return story.ContinueCommand(v.Session.Source, v.Session.ID, v.Session.Project.Path)
}

func (v *storyView) time() string {
	if v.Session.Start.IsZero() {
		return "unknown"
	}
	start, end := v.Session.Start.Local(), v.Session.End.Local()
	layout := "2006-01-02 15:04:05"
	text := start.Format(layout)
	if start.Format("2006-01-02") == end.Format("2006-01-02") {
		layout = "15:04:05"
	}
	return units.Join(text+" to "+end.Format(layout), "active "+units.Milliseconds(max(v.Session.ActiveMS, 1)))
}

func (v *storyView) outcome() string {
	mark, _ := lookup.OutcomeMark(v.verdict.Outcome)
	return mark + " " + string(v.verdict.Outcome) + ": " + v.verdict.Reason
}

func (v *storyView) relation(r *trace.SessionRelationship) string {
	text := string(r.Kind)
	switch r.Kind {
	case trace.Root:
		return text
	case trace.Fork:
		text += " of " + v.Name(r.Related)
		if n := v.copies(); n > 0 {
			text += ", " + plain.Plural(int64(n), "event") + " copied from it"
		}
	default:
		text += " of " + v.Name(r.Related)
	}
	for _, more := range []string{r.AgentType, r.Description} {
		if more != "" {
			text += ", " + more
		}
	}
	return text + provenance(r)
}

func provenance(r *trace.SessionRelationship) string {
	if r.Provenance != trace.Inferred {
		return ""
	}
	if r.Evidence == "" {
		return " (inferred)"
	}
	return " (inferred from " + r.Evidence + ")"
}

func (v *storyView) copies() (n int) {
	for i := range v.Events {
		if v.Events[i].Copied != "" {
			n++
		}
	}
	return n
}

func differWords(n int) string {
	if n == 0 {
		return "without a difference"
	}
	return "with " + plain.Plural(int64(n), "difference") + ": --differences lists them"
}

func countWords(c trace.Counts) string {
	calls := plain.Plural(int64(c.Calls), "call")
	var of []string
	for _, part := range []struct {
		n    int
		what string
	}{{c.Failed, "failed"}, {c.Denied, "of them denied"}, {c.NoResult, "without an end"}} {
		if part.n > 0 {
			of = append(of, strconv.Itoa(part.n)+" "+part.what)
		}
	}
	if len(of) > 0 {
		calls += " (" + strings.Join(of, ", ") + ")"
	}
	parts := []string{plain.Plural(int64(c.Prompts), "prompt"), plain.Plural(int64(c.Responses), "response"), calls}
	for _, part := range []struct {
		n    int
		what string
	}{{c.Subagents, "sub-agent"}, {c.Changes, "file change"}, {c.Errors, "error"}, {c.Interrupts, "interrupt"}, {c.Compacted, "compaction"}} {
		if part.n > 0 {
			parts = append(parts, plain.Plural(int64(part.n), part.what))
		}
	}
	return strings.Join(parts, ", ")
}

func tokenWords(u trace.Usage) string {
	text := fmt.Sprintf("%s: %s in, %s cache read, %s cache write, %s out", plain.Count(u.Total()), plain.Count(u.Input), plain.Count(u.CacheRead),
		plain.Count(u.CacheWrite), plain.Count(u.Output))
	if u.Reasoning > 0 {
		text += " (" + plain.Count(u.Reasoning) + " reasoning)"
	}
	if u.CostUSD > 0 {
		text += fmt.Sprintf(", $%.4f by its own count", u.CostUSD)
	}
	return text
}

func fileWords(f *trace.File, gone bool) string {
	text := f.Path
	if f.How != "" {
		text += " (" + f.How + ")"
	}
	if gone {
		text += ", gone: the archive has the only trace"
	}
	return text
}

func place(t *trace.SessionTrace, r trace.Ref) string {
	path := ""
	if r.File >= 0 && r.File < len(t.Sources) {
		path = t.Sources[r.File].Path
	}
	if r.Table != "" {
		return path + ", " + r.Table + " " + r.Key
	}
	return path + ":" + strconv.FormatInt(r.Line, 10)
}
