package sessions

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"aburn/archive"
	"aburn/archive/conversation"
	"aburn/archive/lookup"
	"aburn/archive/names"
	"aburn/cmd/aburn/internal/chosen"
	"aburn/cmd/internal/kit"
	"aburn/internal/agentcli"
	"aburn/internal/fault"
	"aburn/internal/plain"
	"aburn/internal/term"
	"aburn/internal/units"
	"aburn/trace/contents"
)

const (
	searchLimit   = 20 // sessions
	searchPerOne  = 3  // places of a session
	aroundFound   = 60 // bytes of a text before what was found
	foundLineSize = 400
)

func SearchCommand(a *kit.App) *cli.Command {
	return &cli.Command{
		Name:      "search",
		Usage:     "find words in what you and your agents said",
		ArgsUsage: "WORDS…",
		Description: "Searches the conversations of all agents, the newest first: prompts, answers, inputs and outputs of calls. A text matches if it\n" +
			"contains all words, in any case. Each place has the number of its event: `aburn show SESSION --raw N` prints it whole. The texts\n" +
			"come from the agents' own files, with secrets taken out.",
		Flags: append(chosen.ChoiceFlags(),
			&cli.IntFlag{Name: "limit", Aliases: []string{"n"}, Usage: "stop after `N` sessions; 0 for all (default " + strconv.Itoa(searchLimit) + ")"},
			kit.JSONFlag()),
		Metadata: kit.Examples(
			"aburn search rate limit",
			"aburn search flaky test --since 7d --project .",
			"aburn search ENOSPC --json | jq '.sessions[].session'",
		),
		Action: a.Action(runSearch),
	}
}

// SearchReport is `aburn search --json`.
type SearchReport struct {
	Searched   int           `json:"searched"`   // sessions that were looked through
	Gone       int           `json:"gone"`       // of those, sessions whose files are gone
	Unreadable int           `json:"unreadable"` // and sessions that could not be read
	More       bool          `json:"more"`       // it stopped at --limit
	Sessions   []searchFound `json:"sessions"`
}

type searchFound struct {
	Source  string        `json:"source"`
	Session string        `json:"session"`
	Project string        `json:"project"`
	End     *time.Time    `json:"end,omitempty"`
	Ask     string        `json:"ask,omitempty"`
	Places  []searchPlace `json:"places"`
}

type searchPlace struct {
	Event int    `json:"event"`
	Kind  string `json:"kind"`
	Text  string `json:"text"`
}

func runSearch(ctx context.Context, a *kit.App, cmd *cli.Command) error {
	words := strings.Join(strings.Fields(strings.Join(cmd.Args().Slice(), " ")), " ")
	if words == "" {
		return fault.Usage("give the words to find", "aburn search flaky test")
	}
	q := contents.NewQuery(words)
	if q == nil {
		return fault.Usage(fault.Quote(words) + " is too short: one word needs two letters or digits")
	}
	limit := searchLimit
	if cmd.IsSet("limit") {
		if limit = cmd.Int("limit"); limit < 0 {
			return fault.Usage("--limit: must not be negative")
		}
	}
	c := chosen.CallerOf(a, cmd)
	what := chosen.ChoiceOf(cmd)
	if err := chosen.CatchUp(ctx, a, cmd, what); err != nil {
		return err
	}
	arch, f, err := lookup.ViewChosen(ctx, c.Caller, what)
	if err != nil {
		return err
	}
	defer arch.Close()
	all, err := arch.Sessions(ctx, f)
	if err != nil {
		return err
	}
	short, err := names.Read(ctx, arch)
	if err != nil {
		return err
	}
	out := a.Screen(cmd)
	print := func(s *archive.Session, found *searchFound, more int) {
		printFound(out, words, short.Of(s.Source, s.ID), s, found, more, c.Now)
	}
	if cmd.Bool("json") {
		print = func(*archive.Session, *searchFound, int) {}
	}
	r := lookThrough(ctx, arch, archive.Dir(a.Getenv), q, all, limit, print)
	if err := ctx.Err(); err != nil {
		return err
	}
	if cmd.Bool("json") {
		return a.PrintJSON(r)
	}
	if r.Searched == 0 {
		return chosen.NoteNoneChosen(ctx, a, arch, "session")
	}
	if len(r.Sessions) == 0 {
		a.Note("no conversation of " + plain.Plural(int64(r.Searched), "session") + " has " + fault.Quote(words))
	}
	if r.More {
		a.Note("stopped after " + plain.Plural(int64(limit), "session") + ": --limit 0 finds all")
	}
	if r.Gone > 0 {
		a.Note("the files of " + plain.Plural(int64(r.Gone), "session") + " are gone")
	}
	if r.Unreadable > 0 {
		a.Note(plain.Plural(int64(r.Unreadable), "session") + " could not be read")
	}
	return nil
}

// lookThrough looks through sessions, and prints each in which it found something.
func lookThrough(ctx context.Context, arch *archive.Archive, dir string, q *contents.Query, all []archive.Session, limit int,
	print func(s *archive.Session, found *searchFound, more int)) *SearchReport {
	list := make([]*archive.Session, len(all))
	for i := range all {
		list[i] = &all[i]
	}
	r := &SearchReport{Sessions: []searchFound{}}
	conversation.Search(ctx, q, arch, dir, list, func(i int, f conversation.Found) bool {
		r.Searched++
		switch {
		case errors.Is(f.Err, fs.ErrNotExist):
			r.Gone++
		case f.Err != nil:
			r.Unreadable++
		}
		if len(f.Matches) == 0 {
			return true
		}
		if limit > 0 && len(r.Sessions) == limit {
			r.More = true
			return false
		}
		s := list[i]
		found := searchFound{Source: s.Source, Session: s.ID, Project: s.Project.Path, Ask: s.Ask, Places: []searchPlace{}}
		if !s.End.IsZero() {
			found.End = &s.End
		}
		for _, m := range f.Matches {
			from := max(m.At-aroundFound, 0)
			text := strings.ToValidUTF8(m.Text[from:min(m.At+foundLineSize, len(m.Text))], "")
			if from > 0 {
				text = "…" + text
			}
			found.Places = append(found.Places, searchPlace{m.Event, m.Kind, plain.Line(text)})
		}
		r.Sessions = append(r.Sessions, found)
		print(s, &found, max(len(found.Places)-searchPerOne, 0))
		return true
	})
	return r
}

func printFound(out *term.Out, words, name string, s *archive.Session, found *searchFound, more int, now time.Time) {
	when := ""
	if !s.End.IsZero() {
		when = s.End.Local().Format(units.DateLayout(false, s.End, now))
	}
	width := term.TextWidth(out)
	fmt.Fprintln(out, out.Paint(term.Bold, plain.Cut(units.Join(name, agentcli.Of(s.Source).Title, when, plain.Line(found.Project)), width)))
	for _, p := range found.Places[:len(found.Places)-more] {
		lead := plain.PadLeft(strconv.Itoa(p.Event), 6) + " " + plain.Pad(p.Kind, 7)
		text := plain.Cut(p.Text, max(width-plain.Width(lead)-1, 20))
		fmt.Fprintln(out, out.Paint(term.Dim, lead)+" "+painted(out, text, strings.Fields(strings.ToLower(words))))
	}
	if more > 0 {
		fmt.Fprintln(out, out.Paint(term.Dim, "       "+plain.Plural(int64(more), "more place", "more places")))
	}
}

// painted is a text with all places of the words in colour.
func painted(out *term.Out, text string, words []string) string {
	low := strings.ToLower(text)
	if len(low) != len(text) { // other cases of some letters have other lengths
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); {
		n := 0
		for _, w := range words {
			if strings.HasPrefix(low[i:], w) {
				n = max(n, len(w))
			}
		}
		if n > 0 {
			b.WriteString(out.Paint(term.BoldYellow, text[i:i+n]))
			i += n
			continue
		}
		b.WriteByte(text[i])
		i++
	}
	return b.String()
}
