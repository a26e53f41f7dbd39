package supervise

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"aburn/cmd/internal/kit"
	"aburn/internal/entries"
	"aburn/internal/fault"
	"aburn/internal/journal"
	"aburn/internal/plain"
	"aburn/internal/term"
	"aburn/internal/units"
	"aburn/internal/workspace"
	"aburn/logfmt"
	"aburn/supervisor"
	"aburn/supervisor/state"
	"aburn/supervisor/status"
)

// ExplainReport is `aburn supervisor --explain --json`.
type ExplainReport struct {
	Issue   status.AdviceReport `json:"issue"`
	Entries []json.RawMessage   `json:"entries"` // as they stand in the log, oldest first
	Missing []logfmt.Seq        `json:"missing"` // entries that are not in the log any more
}

func explain(a *kit.App, cmd *cli.Command, w *workspace.Workspace, v *status.View, text string) error {
	is, err := findIssue(text, v)
	if err != nil {
		return err
	}
	s := explanation{marks: marksOf(is, v.Advice(is))}
	if err := s.read(w.Log); err != nil {
		return err
	}
	if cmd.Bool("json") {
		r := ExplainReport{v.IssueReports([]*supervisor.Issue{is})[0], []json.RawMessage{}, s.missing()}
		for _, e := range s.entries {
			if e.Line != nil {
				r.Entries = append(r.Entries, e.Line)
			}
		}
		return a.PrintJSON(r)
	}
	return s.print(a.Screen(cmd), v, is)
}

// findIssue is the one shown issue whose type is text, or whose signature begins with it.
func findIssue(text string, v *status.View) (*supervisor.Issue, error) {
	var found []*supervisor.Issue
	var types []string
	for _, is := range v.ChosenIssues() {
		types = append(types, string(is.Type))
		if is.Signature == text {
			return is, nil
		}
		if text != "" && (string(is.Type) == text || strings.HasPrefix(is.Signature, text)) {
			found = append(found, is)
		}
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		hints := []string{"aburn supervisor"}
		if near := plain.Nearest(text, types); near != "" {
			hints = []string{"did you mean " + near + "?"}
		}
		when := " now"
		if v.At {
			when = " at that time"
		}
		if v.Session != "" {
			when += ", of that session"
		}
		return nil, fault.Failed("no issue is called "+fault.Quote(text)+when, hints...)
	}
	var hints []string
	for _, is := range found {
		hints = append(hints, "--explain "+status.ShortSignature(is.Signature)+"  # session "+entries.ShortSession(is.Session, entries.WideSession))
	}
	return nil, fault.Usage(plain.Plural(int64(len(found)), "issue")+" are called "+fault.Quote(text), hints...)
}

// marksOf are the entries that an explanation shows: the evidence, and what became of the advice, which is nil if there is none.
func marksOf(is *supervisor.Issue, advice *state.Advice) []state.Mark {
	marks := slices.Clone(is.Evidence)
	marks = append(marks, is.Since)
	if advice != nil {
		marks = append(marks, advice.Queued, advice.Delivered, advice.Seen)
	}
	marks = slices.DeleteFunc(marks, func(m state.Mark) bool { return !m.Is() })
	slices.SortFunc(marks, func(a, b state.Mark) int { return int(a.Ord) - int(b.Ord) })
	return slices.CompactFunc(marks, func(a, b state.Mark) bool { return a.Ord == b.Ord })
}

// explanation is the entries that prove an issue.
type explanation struct {
	marks   []state.Mark     // oldest first
	entries []entries.Record // of each mark; without a line where it was not found
}

// read finds the entries. It reads the log backwards, because they are mostly new.
func (s *explanation) read(log *journal.Journal) error {
	s.entries = make([]entries.Record, len(s.marks))
	left := len(s.marks)
	for line, err := range log.Backward(journal.BackwardOptions{}) {
		if err != nil {
			return err
		}
		h, ok := logfmt.ParseHeader(line.JSON)
		if !ok {
			continue
		}
		if left == 0 || h.Seq != 0 && !line.Carried && h.Seq < s.oldest() {
			break
		}
		if i := s.index(&h); i >= 0 && s.entries[i].Line == nil {
			e, err := logfmt.Parse(line.JSON)
			if err == nil {
				s.entries[i] = entries.Record{Entry: e, Line: slices.Clone(line.JSON)}
				left--
			}
		}
	}
	return nil
}

// oldest is the lowest wanted number, where the search ends; 0 if an entry without a number is wanted.
func (s *explanation) oldest() (seq logfmt.Seq) {
	for _, m := range s.marks {
		if m.Seq == 0 {
			return 0
		}
		if seq == 0 || m.Seq < seq {
			seq = m.Seq
		}
	}
	return seq
}

// index is the index of the mark of an entry, found by number or time; -1 if it has none.
func (s *explanation) index(h *logfmt.Header) int {
	return slices.IndexFunc(s.marks, func(m state.Mark) bool {
		if m.Seq != 0 || h.Seq != 0 {
			return m.Seq == h.Seq
		}
		t, err := time.Parse(time.RFC3339Nano, string(h.Time))
		return err == nil && t.UnixMilli() == m.At
	})
}

func (s *explanation) missing() []logfmt.Seq {
	list := []logfmt.Seq{}
	for i := range s.entries {
		if s.entries[i].Line == nil {
			list = append(list, s.marks[i].Seq)
		}
	}
	return list
}

// print prints the issue, its entries with the gaps between them, and what would have been healthy.
func (s *explanation) print(out *term.Out, v *status.View, is *supervisor.Issue) error {
	who := "session " + entries.ShortSession(is.Session, entries.WideSession)
	if is.OfChain() {
		who = "the chain"
	}
	fmt.Fprintf(out, "%s  %s  %s  %s\n", out.Paint(status.LevelStyle(supervisor.LevelOf(is, v.Limits)), string(is.Type)), status.Percent(is.Confidence),
		is.Type.Priority(), plain.Line(who))
	term.Paragraph(out, 2, "", is.Says)
	fmt.Fprintln(out)
	list := entries.NewList(out, time.Local)
	list.Seq = true
	for i := range s.entries {
		if i > 0 {
			s.printGap(out, i)
		}
		e := &s.entries[i]
		if e.Line == nil {
			fmt.Fprintf(out, "%s is no longer in the log\n", nameOf(s.marks[i]))
			continue
		}
		if err := list.Print(e, v.Now); err != nil {
			return err
		}
	}
	if n := len(s.marks); n > 0 {
		if d := v.Now.Sub(s.marks[n-1].Time()); d >= time.Second {
			fmt.Fprintln(out, out.Paint(term.Dim, fmt.Sprintf("%*s … %s until this check", entries.SeqWidth, "", plain.Duration(d))))
		}
	}
	fmt.Fprintln(out)
	term.Paragraph(out, 2, "healthy: ", is.Healthy)
	term.Paragraph(out, 2, "suggested: ", is.Suggest)
	term.Paragraph(out, 2, "", v.AdviceText(is, supervisor.Notify, true))
	_, err := fmt.Fprintf(out, "  signature %s\n", is.Signature)
	return err
}

// printGap prints how many entries and how much time lie between an entry and the one before it.
func (s *explanation) printGap(out *term.Out, i int) {
	was, is := s.marks[i-1], s.marks[i]
	n := int64(is.Ord-was.Ord) - 1
	if was.Seq != 0 && is.Seq > was.Seq {
		n = int64(is.Seq-was.Seq) - 1
	}
	text := ""
	if n > 0 {
		text = plain.Plural(n, "entry", "entries")
	}
	if d := is.Time().Sub(was.Time()); d >= time.Minute {
		text = units.Join(text, plain.Duration(d))
	}
	if text != "" {
		fmt.Fprintln(out, out.Paint(term.Dim, fmt.Sprintf("%*s … %s", entries.SeqWidth, "", text)))
	}
}

func nameOf(m state.Mark) string {
	if m.Seq == 0 {
		return "an entry of " + m.Time().Local().Format("2006-01-02 15:04:05")
	}
	return "entry " + entries.SeqText(m.Seq)
}
