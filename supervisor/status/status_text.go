package status

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"aburn/internal/agentcli"
	"aburn/internal/entries"
	"aburn/internal/plain"
	"aburn/internal/term"
	"aburn/internal/units"
	"aburn/logfmt"
	"aburn/supervisor"
	"aburn/supervisor/state"
)

// The kinds of what waits.
const (
	WaitPermission = "permission"
	WaitQuestion   = "question"
	WaitFailed     = "turn_failed"
	WaitQueue      = "queue"
)

// WaitFacts is one thing that goes on only when the user does something.
type WaitFacts struct {
	Kind    string           `json:"kind"`
	Session logfmt.SessionID `json:"session,omitempty"`
	Source  string           `json:"source,omitempty"`
	Agent   string           `json:"agent,omitempty"` // the sub-agent that asks
	Tool    string           `json:"tool,omitempty"`
	Input   string           `json:"input,omitempty"` // the head or path that is asked about
	Error   string           `json:"error,omitempty"` // with turn_failed
	Tasks   int              `json:"tasks,omitempty"` // with queue: tasks that somebody else signed, or nobody
	Since   *time.Time       `json:"since,omitempty"`
	Seq     logfmt.Seq       `json:"seq,omitempty"` // of the entry that says so
	Call    string           `json:"-"`             // the id of the call that waits, "" if unknown
}

// waits are the things that wait for the user: permissions and questions, turns that failed, then the queue; the oldest first.
func (s *StatusAnswer) waits() []WaitFacts {
	list := []WaitFacts{}
	for i := range s.shown {
		one := &s.shown[i]
		switch last := s.last[one.ID]; {
		case one.mode == state.Permission || one.mode == state.Question:
			for _, w := range one.Waiting(s.Observed) {
				list = append(list, s.waitOf(one, w))
			}
		case one.mode == state.Idle && last != nil && last.Event == logfmt.TurnFailed && last.Agent == nil:
			f := WaitFacts{Kind: WaitFailed, Session: one.ID, Source: one.Source, Error: entries.Describe(&last.Entry).Detail, Since: timeOf(one.since), Seq: last.Seq}
			list = append(list, f)
		}
	}
	slices.SortStableFunc(list, func(a, b WaitFacts) int {
		return cmp.Or(cmp.Compare(waitRank(a.Kind), waitRank(b.Kind)), compareTimes(a.Since, b.Since))
	})
	if s.Queue.Foreign > 0 {
		list = append(list, WaitFacts{Kind: WaitQueue, Tasks: s.Queue.Foreign})
	}
	for i := range list {
		w := &list[i]
		w.Tool, w.Input, w.Error = withoutSecrets(w.Tool), withoutSecrets(w.Input), withoutSecrets(w.Error)
	}
	return list
}

func (s *StatusAnswer) waitOf(one *sessionView, w state.Wait) WaitFacts {
	f := WaitFacts{Kind: WaitPermission, Session: one.ID, Source: one.Source, Agent: w.Agent, Tool: w.Tool, Input: cmp.Or(s.asked[w.Since.Seq], w.Input),
		Since: timeOf(w.Since), Seq: w.Since.Seq, Call: w.Call}
	if w.Question {
		f.Kind = WaitQuestion
	}
	return f
}

// waitRank is 0 for what an agent asks, and 1 for the rest.
func waitRank(kind string) int {
	if kind == WaitPermission || kind == WaitQuestion {
		return 0
	}
	return 1
}

func compareTimes(a, b *time.Time) int {
	if a == nil || b == nil {
		return 0
	}
	return a.Compare(*b)
}

// says is the thing in words, and where it is settled.
func (w *WaitFacts) says(now time.Time) (what, where string) {
	since := ""
	if w.Since != nil {
		since = " since " + longDuration(now.Sub(*w.Since))
	}
	where = units.Join(strings.TrimSpace(w.Source+" "+entries.ShortSession(w.Session, entries.WideSession)), entryText(w.Seq))
	if w.Agent != "" {
		where = units.Join(where, "sub-agent "+withoutSecrets(w.Agent))
	}
	switch w.Kind {
	case WaitQueue:
		return "queue: " + plain.Plural(int64(w.Tasks), "task") + " that aburn did not sign",
			"aburn queue list shows the text, aburn queue allow ID delivers it"
	case WaitFailed:
		return "turn failed: " + cmp.Or(w.Error, "no reason is recorded") + since, where
	}
	what = w.Kind + ": " + cmp.Or(agentcli.ToolWord(w.Tool), "of an unknown tool")
	if w.Input != "" {
		what += " `" + strings.ReplaceAll(plain.Cut(w.Input, longestInput), "`", "'") + "`"
	}
	return what + since, where
}

// longestInput bounds the command or path of a wait, in cells: four lines of 80.
const longestInput = 300

func entryText(n logfmt.Seq) string {
	if n == 0 {
		return ""
	}
	return "entry " + strconv.FormatInt(int64(n), 10)
}

// longDuration is shortDuration for a sentence: 48 s, 12 m, 5 h, 3 d.
func longDuration(d time.Duration) string {
	text := ShortDuration(d)
	return text[:len(text)-1] + " " + text[len(text)-1:]
}

func (s *StatusAnswer) showWaits(out *term.Out, whom string) {
	list := s.waits()
	if names := needy(s.Workers); len(list) == 0 && len(names) > 0 { // no session asks, a worker does
		fmt.Fprintln(out, out.Paint(term.BoldYellow, "waits for "+whom))
		term.Paragraph(out, 2, "worker: ", strings.Join(names, ", "))
		term.Paragraph(out, 4, "", "aburn ps NAME shows what it needs")
		fmt.Fprintln(out)
		return
	}
	if len(list) == 0 {
		fmt.Fprintln(out, out.Paint(term.Dim, "nothing waits for "+whom))
		return
	}
	fmt.Fprintln(out, out.Paint(term.BoldYellow, "waits for "+whom))
	for i := range list {
		what, where := list[i].says(s.Now)
		kind, rest, _ := strings.Cut(what, ": ")
		term.Paragraph(out, 2, kind+": ", rest)
		term.Paragraph(out, 4, "", where)
	}
	fmt.Fprintln(out)
}

// workersText counts workers, and names those that need the user: "3: 1 needs you (fix-cart), 2 working".
func workersText(list []Standing) string {
	total, parts := 0, []string{}
	for _, one := range list {
		total += len(one.Names)
		text := fmt.Sprintf("%d %s", len(one.Names), strings.ToLower(one.Zone))
		if names := needy([]Standing{one}); names != nil {
			if text = "1 needs you"; len(one.Names) > 1 {
				text = fmt.Sprintf("%d need you", len(one.Names))
			}
			text += " (" + strings.Join(names, ", ") + ")"
		}
		parts = append(parts, text)
	}
	if total == 0 {
		return ""
	}
	return fmt.Sprintf("%d: %s", total, strings.Join(parts, ", "))
}

// needy are the first workers that need the user.
func needy(list []Standing) (names []string) {
	const most = 5
	if len(list) == 0 || list[0].Zone != "Needs you" {
		return nil
	}
	names = slices.Clone(list[0].Names[:min(len(list[0].Names), most)])
	if more := len(list[0].Names) - most; more > 0 {
		names = append(names, fmt.Sprintf("%d more", more))
	}
	return names
}

// showSessions prints a line a session and, below it, its newest entry: folded, so that nothing of it is cut.
func (s *StatusAnswer) showSessions(out *term.Out) error {
	if len(s.shown) == 0 {
		_, err := fmt.Fprintln(out, "no session in the last 24 hours")
		return err
	}
	fmt.Fprintln(out)
	t := term.Table{Width: term.PageWidth, Columns: []term.Column{
		{Title: "session"}, {Title: "source", Spare: 1}, {Title: "does"}, {Title: "in", Flex: true, Min: 9}, {Title: "clock", Spare: 2},
	}}
	for i := range s.shown {
		one := &s.shown[i]
		t.AddCells(term.Cell{Text: entries.ShortSession(one.ID, entries.WideSession), Style: entries.SessionStyle(one.ID)}, term.Cell{Text: one.Source},
			s.modeCell(one), term.Cell{Text: withoutSecrets(one.place())}, s.clockCell(one.Session))
	}
	var lines bytes.Buffer
	if err := t.Print(out.Onto(&lines), 0); err != nil {
		return err
	}
	for i := -1; i < len(s.shown); i++ { // a title, and a line a session
		line, err := lines.ReadString('\n')
		if err != nil {
			return err
		}
		fmt.Fprint(out, line)
		if i >= 0 {
			s.showLast(out, &s.shown[i])
		}
	}
	return nil
}

func (s *StatusAnswer) showLast(out *term.Out, one *sessionView) {
	r := s.last[one.ID]
	if r == nil {
		return
	}
	words := entries.Describe(&r.Entry)
	detail := units.Join(words.Path, words.Detail)
	if r.Open {
		detail = units.Join(detail, "no end")
	}
	text := strings.TrimSpace(words.Mark + " " + words.Name + " " + detail)
	age := ShortDuration(s.Now.Sub(one.Last.Time())) + " ago"
	term.Paragraph(out, 2, "", units.Join(plain.Cut(withoutSecrets(text), longestInput), age))
}

// shownIssues is how many issues the screen has room for.
const shownIssues = 8

// showIssues prints the issues in whole sentences.
func (s *StatusAnswer) showIssues(out *term.Out) {
	if len(s.Issues) == 0 {
		return
	}
	term.Title(out, false, "issues")
	for i := range s.Issues[:min(shownIssues, len(s.Issues))] {
		is := &s.Issues[i]
		session := entries.ShortSession(is.Session, entries.WideSession)
		if is.OfChain() {
			session = "the chain"
		}
		fmt.Fprintln(out, out.Paint(LevelStyle(supervisor.LevelOf(is, s.Limits)), string(is.Type))+"  "+out.Paint(entries.SessionStyle(is.Session), session)+"  "+
			Percent(is.Confidence)+" sure")
		term.Paragraph(out, 2, "", withoutSecrets(is.Says))
	}
	text := "more about them: aburn supervisor"
	if more := len(s.Issues) - shownIssues; more > 0 {
		text = plain.Plural(int64(more), "more issue", "more issues") + ": aburn supervisor"
	}
	fmt.Fprintln(out, out.Paint(term.Dim, text))
}
