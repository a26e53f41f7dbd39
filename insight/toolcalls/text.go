package toolcalls

import (
	"cmp"
	"fmt"
	"strconv"

	"aburn/archive"
	"aburn/internal/agentcli"
	"aburn/internal/entries"
	"aburn/internal/plain"
	"aburn/internal/term"
	"aburn/internal/units"
)

func (v *Answer) showTools(out *term.Out) error {
	narrow := out.Width() > 0 && out.Width() < entries.WideFrom
	t := v.tally
	n := v.rows(len(t.ordered))
	term.Title(out, true, "tools, by calls"+v.of(n, len(t.ordered)))
	rows := make([]toolLine, 0, n+1)
	for _, s := range t.ordered[:n] {
		rows = append(rows, toolLine{s, agentcli.ToolWord(s.tool)})
	}
	if len(t.ordered) > 1 {
		rows = append(rows, toolLine{&t.sum, "all"})
	}
	return term.TableOf(toolFields(narrow), rows).Print(out, 2)
}

// toolLine is the sums of one tool, or of all.
type toolLine struct {
	*toolSum
	name string
}

// toolFields are the columns of tools. A narrow terminal has no room for what the rate is of: calls less the open ones.
func toolFields(narrow bool) []term.Field[toolLine] {
	count := func(n int) term.Cell { return term.Count(n, term.Plain, term.Plain) }
	title := func(short, long string) string { return term.NarrowTitle(narrow, short, long) }
	return []term.Field[toolLine]{
		{Column: term.Column{Title: "tool", Flex: true, Min: 12}, Cell: func(l toolLine) term.Cell { return term.Cell{Text: l.name} }},
		{Column: term.Column{Title: "type", Spare: 3}, Cell: func(l toolLine) term.Cell { return term.Cell{Text: l.kind, Style: term.Dim} }},
		{Column: term.Column{Title: "calls", Right: true}, Cell: func(l toolLine) term.Cell { return count(l.calls) }},
		{Column: term.Column{Title: "failed", Right: true}, Cell: func(l toolLine) term.Cell { return term.Count(l.failed, term.Red, term.Plain) }},
		{Column: term.Column{Title: title("rate", "of ended"), Right: true}, Cell: func(l toolLine) term.Cell {
			rate := units.PercentOf(l.failed, l.ended())
			return term.Cell{Text: title(rate, rate+" of "+plain.Count(int64(l.ended())))}
		}},
		{Column: term.Column{Title: "denied", Right: true},
			Cell: func(l toolLine) term.Cell { return term.Cell{Text: title("", plain.Count(int64(l.denied)))} }},
		{Column: term.Column{Title: title("open", "no end"), Right: true}, Cell: func(l toolLine) term.Cell { return count(l.noResult) }},
		{Column: term.Column{Title: title("p50", "median"), Right: true, Spare: 1},
			Cell: func(l toolLine) term.Cell { return term.Cell{Text: l.percentile(50).text()} }},
		{Column: term.Column{Title: "p95", Right: true, Spare: 2}, Cell: func(l toolLine) term.Cell { return term.Cell{Text: l.percentile(95).text()} }},
		{Column: term.Column{Title: title("max", "longest"), Right: true},
			Cell: func(l toolLine) term.Cell { return term.Cell{Text: l.percentile(100).text()} }},
		{Column: term.Column{Title: "timed", Right: true}, Cell: func(l toolLine) term.Cell {
			return term.Cell{Text: title("", plain.Count(int64(len(l.durations))))}
		}},
	}
}

func (v *Answer) of(n, all int) string {
	if n == all {
		return ""
	}
	return fmt.Sprintf(" (%d of %s)", n, plain.Count(int64(all)))
}

func (v *Answer) showFailures(out *term.Out) error {
	t := v.tally
	n := v.rows(len(t.failed))
	term.Title(out, true, fmt.Sprintf("%s failed of %s that ended (%s)%s", plain.Plural(int64(t.sum.failed), "call"), plain.Count(int64(t.sum.ended())),
		units.PercentOf(t.sum.failed, t.sum.ended()), v.of(n, len(t.failed))))
	if n == 0 {
		return nil
	}
	table := term.Table{Width: term.TableWidth, Columns: []term.Column{
		{Title: "times", Right: true}, {Title: term.NarrowTitle(out.Width() > 0 && out.Width() < entries.WideFrom, "in", "sessions"), Right: true},
		{Title: "tool", Flex: true, Min: 8}, {Title: "how"}, {Title: "what", Flex: true, Min: 16},
		{Title: "last in"},
	}}
	for _, f := range t.failed[:n] {
		table.AddCells(term.Cell{Text: plain.Count(int64(f.n)), Style: term.Red}, term.Cell{Text: plain.Count(int64(f.sessions))},
			term.Cell{Text: agentcli.ToolWord(f.tool)},
			term.Cell{Text: f.how}, term.Cell{Text: f.what}, term.Cell{Text: v.where(&f.last), Style: term.Dim})
	}
	return table.Print(out, 2)
}

func (d duration) text() string { return units.Took(d.ms, d.gap) }

// where is the session and the number of the event, as `aburn show` takes them.
func (v *Answer) where(row *archive.CallRow) string {
	return v.names.Of(row.Source, row.Session) + " " + strconv.Itoa(row.Seq)
}

func (v *Answer) showRetries(out *term.Out) error {
	t := v.tally
	n, then := v.rows(len(t.retried)), 0
	for _, r := range t.retried {
		if r.succeeded {
			then++
		}
	}
	text := fmt.Sprintf("errored %d times or more: %s of %s that ever failed", retryFrom, plain.Count(int64(len(t.retried))),
		plain.Plural(int64(t.everFailed), "different call"))
	if len(t.retried) > 0 {
		text += fmt.Sprintf("; %s then succeeded, %s never did", plain.Count(int64(then)), plain.Count(int64(len(t.retried)-then)))
	}
	term.Title(out, v.Retries, text+v.of(n, len(t.retried)))
	if n == 0 {
		return nil
	}
	table := term.Table{Width: term.TableWidth, Columns: []term.Column{
		{Title: "errors", Right: true}, {Title: "then"}, {Title: "tool", Flex: true, Min: 8}, {Title: "what", Flex: true, Min: 16}, {Title: "session, event"},
	}}
	for i := range t.retried[:n] {
		r := &t.retried[i]
		end := term.Cell{Text: "succeeded", Style: term.Green}
		if !r.succeeded {
			end = term.Cell{Text: "never", Style: term.Red}
		}
		table.AddCells(term.Cell{Text: strconv.Itoa(r.failed)}, end, term.Cell{Text: agentcli.ToolWord(r.Tool)}, term.Cell{Text: r.Subject()},
			term.Cell{Text: v.where(&r.CallRow), Style: term.Dim})
	}
	return table.Print(out, 2)
}

func (v *Answer) showAgents(out *term.Out) error {
	t := v.tally
	if t.agentCalls+t.outcomes.Sessions == 0 {
		return nil
	}
	n := v.rows(len(t.agentsUnended))
	term.Title(out, false, fmt.Sprintf("sub-agents that never completed: %d of %s that start one, %d refused%s", len(t.agentsUnended),
		plain.Plural(int64(t.agentCalls), "call"), t.agentsRefused, v.of(n, len(t.agentsUnended))))
	if o := t.outcomes; o.Sessions > 0 {
		count := func(n int) string { return plain.Count(int64(n)) }
		term.Paragraph(out, 2, "", fmt.Sprintf("%s of %s in the archive completed, %s errored, %s gave up, %s interrupted, %s killed, %s crashed, "+
			"%s running, %s unknown", count(o.Completed), count(o.Sessions), count(o.Errored), count(o.GaveUp), count(o.Interrupted),
			count(o.Killed), count(o.Crashed), count(o.Running), count(o.Unknown)))
	}
	if n == 0 {
		return nil
	}
	table := term.Table{Width: term.TableWidth, Columns: []term.Column{{Title: "tool", Flex: true, Min: 8}, {Title: "became"}, {Title: "sub-agent"},
		{Title: "what", Flex: true, Min: 12}, {Title: "session, event"}}}
	for i := range t.agentsUnended[:n] {
		r := &t.agentsUnended[i]
		spawned := ""
		if r.Spawned != "" {
			spawned = v.names.Of(r.Source, r.Spawned)
		}
		table.AddCells(term.Cell{Text: agentcli.ToolWord(r.Tool)}, term.Cell{Text: r.became()}, term.Cell{Text: spawned},
			term.Cell{Text: r.Subject()}, term.Cell{Text: v.where(&r.CallRow), Style: term.Dim})
	}
	return table.Print(out, 2)
}

func (v *Answer) showLongest(out *term.Out) error {
	t := v.tally
	if len(t.longest) == 0 {
		return nil
	}
	term.Title(out, false, fmt.Sprintf("longest, of %s whose duration is known", plain.Plural(int64(len(t.sum.durations)), "call")))
	table := term.Table{Width: term.TableWidth, Columns: []term.Column{{Title: "took", Right: true}, {Title: "tool", Flex: true, Min: 8}, {Title: "became"},
		{Title: "what", Flex: true, Min: 16}, {Title: "session, event"}}}
	for i := range t.longest {
		r := &t.longest[i]
		became := cmp.Or(string(r.Status), "no result")
		if r.Failed {
			became = howFailed(r)
		}
		table.AddCells(term.Cell{Text: units.Took(r.DurationMS, r.Gap)}, term.Cell{Text: agentcli.ToolWord(r.Tool)}, term.Cell{Text: became},
			term.Cell{Text: r.Subject()}, term.Cell{Text: v.where(r), Style: term.Dim})
	}
	return table.Print(out, 2)
}
