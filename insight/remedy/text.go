package remedy

import (
	"fmt"
	"strconv"
	"strings"

	"aburn/insight"
	"aburn/internal/plain"
)

// Markdown writes the answer for agents and people, under a heading that calls it recorded data.
func (a *Answer) Markdown() string {
	var b strings.Builder
	b.WriteString("# Remedy: " + a.heading() + "\n\nRecorded data, not instructions.\n\n")
	a.about(&b)
	fmt.Fprintf(&b, "\n%s\n", a.Why())
	if a.Fix != nil {
		a.Fix.write(&b)
	}
	if len(a.Siblings) > 0 {
		a.evidence(&b)
	}
	return b.String()
}

// heading is the tier and its meaning.
func (a *Answer) heading() string {
	text := string(a.Tier)
	switch {
	case a.Tier == KnownFix:
		return text + " (a rule applies, and the data prove it)"
	case a.Tier == Medium:
		return fmt.Sprintf("%s (%d or more comparable sessions completed)", text, MediumFrom)
	case a.Tier == Low:
		return fmt.Sprintf("%s (fewer than %d comparable sessions completed)", text, MediumFrom)
	case a.Reason == NotFailing:
		return text + " (it does not fail)"
	}
	return text + " (nothing is comparable)"
}

func (a *Answer) about(b *strings.Builder) {
	s := &a.Subject
	if s.Key != "" {
		fmt.Fprintf(b, "- asked about: %s, which %s\n", plain.Code(s.Key), haveIt(s.Sessions))
		which := "the newest, as none of them fails"
		if fails(s.Verdict, s.Live) {
			which = fmt.Sprintf("the newest that fails of the %d with its sub-signature", s.Alike)
		}
		fmt.Fprintf(b, "- looked at: %s, %s\n", insight.SessionCode(s.Source, s.Session), which)
	} else {
		fmt.Fprintf(b, "- asked about: %s\n", insight.SessionCode(s.Source, s.Session))
	}
	fmt.Fprintf(b, "- inferred outcome: %s\n", VerdictWords(s.Verdict, s.Live))
	if s.Live && !s.End.IsZero() {
		fmt.Fprintf(b, "- read up to: %s UTC\n", s.End.UTC().Format("2006-01-02 15:04:05"))
	}
	if len(s.Classes) > 0 {
		var list []string
		for _, c := range s.Classes {
			list = append(list, string(c.Class)+" "+strconv.Itoa(c.Count))
		}
		fmt.Fprintf(b, "- errors by class: %s\n", strings.Join(list, ", "))
	}
	for _, k := range []struct{ what, key string }{{"fingerprint", s.Coarse}, {"sub-signature", s.Sub}, {"error key", s.Fine}} {
		if k.key != "" {
			fmt.Fprintf(b, "- %s: %s\n", k.what, plain.Code(k.key))
		}
	}
}

func haveIt(n int) string {
	if n == 1 {
		return insight.Members(n, true) + " has"
	}
	return insight.Members(n, true) + " have"
}

// VerdictWords words an outcome with its rule and events: "errored (failing_tail, events 12,
// 17)". For a live session it adds that the verdict holds if nothing more comes.
func VerdictWords(v insight.Verdict, live bool) string {
	text := string(v.Outcome) + " (" + v.Rule
	for i, seq := range v.Events {
		switch {
		case i > 0:
			text += ","
		case len(v.Events) == 1:
			text += ", event"
		default:
			text += ", events"
		}
		text += " " + strconv.Itoa(seq)
	}
	text += ")"
	if v.Refined != "" {
		text += ", " + plain.Code(v.Refined)
	}
	if live {
		return string(insight.Running) + "; were this its end: " + text
	}
	return text
}

// Why explains the tier by its numbers, in a sentence or two.
func (a *Answer) Why() string {
	numbers := fmt.Sprintf("%d failed, %d completed", a.Failed, a.Resolved)
	switch a.Reason {
	case RuleMatched:
		return "A rule matched. Sessions and sub-agents with this sub-signature: " + numbers + "."
	case NotFailing:
		if a.Subject.Live {
			return "The session does not fail so far: " + numbers + "."
		}
		return "The session did not fail: " + numbers + "."
	case NoErrors:
		return "The session failed without a recorded error, so nothing is comparable: " + numbers + "."
	case Unclassified:
		return "Its errors are of no known class, so nothing is comparable: " + numbers + "."
	case NoResolvedSibling:
		return "Sessions and sub-agents with this sub-signature: " + numbers + ". None of them completed, so nothing is comparable."
	}
	if a.Reason == NoSharedError {
		return "Sessions and sub-agents with this sub-signature: " + numbers + ". None of the completed ones had the same error, so nothing is comparable."
	}
	return fmt.Sprintf("Sessions and sub-agents with this sub-signature: %s, of which %d had the same error", numbers, a.Shared) +
		". What changed in the completed ones is evidence, not a fix: nobody has shown that it helped."
}

func (f *Fix) write(b *strings.Builder) {
	from := "built in"
	if f.User {
		from = "of your own settings"
	}
	fmt.Fprintf(b, "\n## Known fix\n\n%s\n\n- rule: %s, %s\n- proved by: class %s", f.Text, plain.Code(f.Rule), from, f.Class)
	for _, p := range f.Proved {
		b.WriteString(", " + p)
	}
	fmt.Fprintf(b, "\n- seen: %s, the first at event %d\n- see: %s\n", insight.Times(f.Count), f.Event, f.Pointer)
}

func (a *Answer) evidence(b *strings.Builder) {
	b.WriteString("\n## Completed siblings\n\nFirst those that share most errors; tie-break: the one that ended later, then the name.\n")
	for i := range a.Siblings {
		a.Siblings[i].write(b, i+1)
	}
	if a.More > 0 {
		fmt.Fprintf(b, "\n%d more completed siblings are left out.\n", a.More)
	}
}

func (s *Sibling) write(b *strings.Builder, number int) {
	fmt.Fprintf(b, "\n%d. %s", number, insight.SessionCode(s.Source, s.Session))
	if s.Project != "" {
		b.WriteString(" in " + plain.CodePath(s.Project))
	}
	fmt.Fprintf(b, ": %s in common, the first at event %d", insight.Plural(s.Overlap, "error"), s.Error)
	if s.Solved > 0 {
		fmt.Fprintf(b, ", the same call succeeded at event %d", s.Solved)
	}
	b.WriteString("\n")
	switch {
	case !s.Known:
		b.WriteString("   - changed: unknown, its records tell of no file changes\n")
	case len(s.Changes) == 0:
		b.WriteString("   - changed: nothing that its records tell of " + s.when() + "\n")
	}
	for _, c := range s.Changes {
		b.WriteString("   - " + changeWords(&c) + "\n")
	}
	if s.More > 0 {
		fmt.Fprintf(b, "   - %d more are left out\n", s.More)
	}
}

// when is the span in which changes are evidence.
func (s *Sibling) when() string {
	if s.Solved > 0 {
		return fmt.Sprintf("between the events %d and %d", s.Error, s.Solved)
	}
	return "after event " + strconv.Itoa(s.Error)
}

// changeWords words a change: path, action, line counts, hash.
func changeWords(c *insight.Change) string {
	text := plain.CodePath(c.Path) + " " + plain.Code(c.Action)
	if c.Times > 1 {
		text += " " + strconv.Itoa(c.Times) + " times"
	}
	if c.Added != nil && c.Removed != nil {
		text += fmt.Sprintf(", +%d −%d lines", *c.Added, *c.Removed)
	} else {
		text += ", lines unknown"
	}
	if c.Hash != "" {
		text += ", sha256 " + plain.Code(c.Hash[:min(len(c.Hash), 12)])
	}
	return text + ", event " + strconv.Itoa(c.Event)
}
