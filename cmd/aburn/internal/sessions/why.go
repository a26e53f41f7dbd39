package sessions

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"aburn/archive"
	"aburn/archive/lookup"
	"aburn/archive/names"
	"aburn/cmd/aburn/internal/chosen"
	"aburn/cmd/internal/kit"
	"aburn/history"
	"aburn/history/commits"
	"aburn/history/why"
	"aburn/internal/fault"
	"aburn/internal/plain"
	"aburn/internal/term"
	"aburn/internal/units"
)

// whyLimit is the default of --limit.
const whyLimit = 20

func WhyCommand(a *kit.App) *cli.Command {
	return &cli.Command{
		Name:      "why",
		Usage:     "find the session that made a line or a commit",
		ArgsUsage: "FILE[:LINE[-LINE]] | COMMIT | RANGE | BRANCH",
		Description: "For each commit: the agent's session, the prompt before it, the checks that ran, and what the turn cost. Lines are found with git blame.\n" +
			"aburn compares git's reflogs with the calls that agents saved, and says how sure it is:\n\n" +
			"  made       a call of the session made the commit\n" +
			"  rewritten  it has the same patch as a commit that a session made: rebased, reworded, squashed\n" +
			"  stated     its message names a session, or an agent as co-author\n" +
			"  during     it was made while the session worked in this worktree, maybe by somebody else\n" +
			"  none       no session that aburn knows made it\n\n" +
			"Merges are nobody's. Exit code 1 if no session was found.",
		Flags: []cli.Flag{
			&cli.IntFlag{Name: "limit", Aliases: []string{"n"}, Usage: "stop after `N` commits of a range or branch (default " + strconv.Itoa(whyLimit) + ")"},
			chosen.IngestFlag(),
			kit.JSONFlag(),
		},
		ArgValidator: whyArgument,
		Metadata: kit.Examples(
			"aburn why main.go:42",
			"aburn why main.go",
			"aburn why HEAD",
			"aburn why main..topic",
			"aburn why HEAD --json | jq -r '.commits[].sessions[].prompt'",
		),
		Action: a.Action(runWhy),
	}
}

func whyArgument(_ context.Context, cmd *cli.Command) error {
	if cmd.Args().Len() != 1 {
		return fault.Usage("give one file, line or commit", "aburn why HEAD")
	}
	return nil
}

// whyReport is `aburn why --json`: a file with its lines, or commits.
type whyReport struct {
	*why.File  `json:",omitempty"`
	Commits    []why.Commit `json:"commits"`
	More       bool         `json:"more"`
	Looked     why.Looked   `json:"looked"`
	Repository string       `json:"repository"`
}

func runWhy(ctx context.Context, a *kit.App, cmd *cli.Command) error {
	limit := whyLimit
	if cmd.IsSet("limit") {
		if limit = cmd.Int("limit"); limit < 1 {
			return fault.Usage("--limit: must be at least 1")
		}
	}
	c := chosen.CallerOf(a, cmd)
	folder, err := c.Folder()
	if err != nil {
		return err
	}
	repo, err := commits.Open(ctx, folder, os.Environ())
	if err != nil {
		return err
	}
	target, err := repo.Target(ctx, folder, cmd.Args().First(), limit)
	if err != nil {
		return err
	}
	if err := chosen.CatchUp(ctx, a, cmd, lookup.Choice{}); err != nil {
		return err
	}
	arch, err := lookup.View(ctx, c.Caller)
	if err != nil {
		return err
	}
	defer arch.Close()
	hashes, blamed := target.Commits, []commits.Blamed(nil)
	if target.Path != "" {
		if blamed, err = repo.Blame(ctx, target.Path, target.From, target.To); err != nil {
			return err
		}
		for _, b := range blamed {
			if b.Commit != "" {
				hashes = append(hashes, b.Commit)
			}
		}
	}
	asker, err := why.New(ctx, c, arch, repo, hashes)
	if err != nil {
		return err
	}
	report := whyReport{Looked: asker.Looked(), Repository: repo.Root, More: target.More, Commits: []why.Commit{}}
	if target.Path != "" {
		report.File = asker.File(ctx, target.Path, blamed)
		report.Commits = report.File.Commits
	} else {
		for _, hash := range hashes {
			report.Commits = append(report.Commits, asker.Commit(ctx, hash, ""))
		}
	}
	if n := asker.Unreadable(); n > 0 {
		a.Warn(plain.Plural(int64(n), "session") + " could not be read")
	}
	if cmd.Bool("json") {
		err = a.PrintJSON(report)
	} else {
		err = showWhy(ctx, a, cmd, arch, repo, &report)
	}
	if err == nil && !report.found() {
		return fault.Exit(1)
	}
	return err
}

func showWhy(ctx context.Context, a *kit.App, cmd *cli.Command, arch *archive.Archive, repo *commits.Repo, report *whyReport) error {
	short, err := names.Read(ctx, arch)
	if err != nil {
		return err
	}
	p := &whyPrinter{Out: a.Screen(cmd), short: short, now: chosen.CallerOf(a, cmd).Now}
	p.print(report)
	for _, commit := range report.Commits {
		if repo.Shallow(commit.Hash) {
			a.Note("the history of this clone begins at " + commit.Hash[:10] + ": older lines seem to come from it. git fetch --unshallow gets the rest")
		}
	}
	if report.More {
		a.Note("stopped after " + plain.Plural(int64(len(report.Commits)), "commit") + ": --limit shows more")
	}
	return nil
}

// found reports whether a session was found for anything.
func (r *whyReport) found() bool {
	if r.File != nil && len(r.File.Open) > 0 {
		return true
	}
	for i := range r.Commits {
		if len(r.Commits[i].Sessions) > 0 || r.Commits[i].Degree == history.Stated {
			return true
		}
	}
	return false
}

// whyPrinter prints a report on a screen.
type whyPrinter struct {
	*term.Out
	short *names.Sessions
	now   time.Time
}

func (p *whyPrinter) print(r *whyReport) {
	none := 0
	file := ""
	for i := range r.Commits {
		if i > 0 {
			fmt.Fprintln(p)
		}
		c := &r.Commits[i]
		lines := ""
		if r.File != nil {
			file, lines = r.File.Path, linesOf(r.File, i)
		}
		p.commit(c, file, lines)
		if c.Degree == history.None {
			none++
		}
	}
	if r.File != nil {
		if lines := linesOf(r.File, -1); lines != "" {
			if len(r.Commits) > 0 {
				fmt.Fprintln(p)
			}
			fmt.Fprintln(p, p.Paint(term.Bold, lines+" not committed"))
			for i := range r.File.Open {
				s := &r.File.Open[i]
				p.fact("", s.Agent+", session "+p.short.Of(s.Source, s.Session)+": "+s.Evidence)
				p.about(s, r.File.Path)
			}
			if len(r.File.Open) == 0 {
				p.fact("", "no session that aburn knows changed the file since its last commit")
			}
		}
	}
	switch {
	case none > 0 && r.Looked.Sessions == 0:
		fmt.Fprintln(p, p.Paint(term.Dim, "\naburn knows no session of this repository in "+plain.Line(r.Repository)+"."))
	case none > 0:
		fmt.Fprintln(p, p.Paint(term.Dim, "\naburn looked at "+plain.Plural(int64(r.Looked.Sessions), "session")+" of this repository and "+
			plain.Plural(int64(r.Looked.Moves), "reflog entry", "reflog entries")+"."))
	}
}

// linesOf are the lines of a file that came with one of its commits: "lines 3–5, 9".
func linesOf(f *why.File, commit int) string {
	var list []string
	total := 0
	for _, l := range f.Lines {
		if l.Commit != commit {
			continue
		}
		total += l.To - l.From + 1
		if l.From == l.To {
			list = append(list, strconv.Itoa(l.From))
		} else {
			list = append(list, strconv.Itoa(l.From)+"–"+strconv.Itoa(l.To))
		}
	}
	const most = 6
	switch {
	case len(list) == 0:
		return ""
	case len(list) > most:
		return strings.Join(list[:most], ", ") + ", … (" + plain.Plural(int64(total), "line") + ")"
	case total == 1:
		return "line " + list[0]
	}
	return "lines " + strings.Join(list, ", ")
}

func (p *whyPrinter) commit(c *why.Commit, file, lines string) {
	head := c.Hash[:min(len(c.Hash), 10)] + " " + c.Subject
	fmt.Fprintln(p, p.Paint(term.Bold, plain.Cut(head, term.TextWidth(p.Out))))
	when := ""
	if !c.Time.IsZero() {
		when = c.Time.Local().Format(units.DateLayout(false, c.Time, p.now))
	}
	p.fact("", units.Join(lines, when, c.Author))
	switch c.Degree {
	case history.Merge:
		p.fact("", "a merge, which is nobody's: ask about its parents")
	case history.Stated:
		for _, said := range c.Stated {
			p.fact("stated", said)
		}
	case history.None:
		p.fact("", "no session that aburn knows made this commit")
	}
	for i := range c.Sessions {
		s := &c.Sessions[i]
		name := "session " + p.short.Of(s.Source, s.Session)
		if s.Subagent {
			name = "sub-agent " + p.short.Of(s.Source, s.Session)
		}
		switch c.Degree {
		case history.Made:
			p.fact("made by", s.Agent+", "+name+": "+s.Evidence)
		case history.Rewritten:
			p.fact("made by", s.Agent+", "+name+", as "+s.Original[:min(len(s.Original), 10)]+" ("+s.Evidence+")")
		case history.Stated:
			p.fact("maybe", s.Agent+", "+name+": "+s.Evidence)
		case history.During:
			p.fact("during", s.Agent+", "+name+": "+s.Evidence)
		}
		p.about(s, file)
	}
}

// about prints what is known of a session's part.
func (p *whyPrinter) about(s *why.Session, file string) {
	if file != "" && s.Edit == 0 {
		p.fact("", "the session recorded no change of "+plain.Line(file))
	}
	if s.Prompt != "" {
		p.fact("prompt", plain.Cut("“"+plain.Line(s.Prompt)+"”", max(term.TextWidth(p.Out)-11, 30)))
	}
	var checks []string
	for _, c := range s.Checks {
		when := "before"
		if c.After {
			when = "after"
		}
		checks = append(checks, plain.Line(c.Command)+" "+c.Result+" "+when+" it")
	}
	if len(checks) > 0 {
		p.fact("checks", strings.Join(checks, ", "))
	} else if s.PromptEvent != 0 {
		p.fact("checks", "none seen in this turn")
	}
	if s.Cost != "" {
		p.fact("turn", units.Join(s.Cost, s.Model))
	}
	at := s.PromptEvent
	if at == 0 {
		at = s.Event
	}
	if at != 0 {
		p.fact("read it", "aburn show "+p.short.Of(s.Source, s.Session)+" --at "+strconv.Itoa(at))
	}
}

// fact prints lines under a commit.
func (p *whyPrinter) fact(name, text string) {
	if text == "" {
		return
	}
	for _, line := range p.Fold(text, 11) {
		fmt.Fprintln(p, "  "+p.Paint(term.Dim, plain.Pad(name, 8))+" "+line)
		name = ""
	}
}
