package learn

import (
	"cmp"
	"context"
	"strings"

	"github.com/urfave/cli/v3"

	"aburn/archive"
	"aburn/archive/tried"
	"aburn/cmd/aburn/internal/scope"
	"aburn/cmd/internal/kit"
	"aburn/insight"
	"aburn/insight/remedy"
	"aburn/internal/plain"
)

func RemedyCommand(a *kit.App) *cli.Command {
	return &cli.Command{
		Name:      "remedy",
		Usage:     "say what once helped in a comparable case, or that nothing is comparable",
		ArgsUsage: "[KEY|SESSION]",
		Description: "A cascade that cannot say more than it has: a known fix, if a rule's class and gate are proved by an error of the session; else sessions that came to their end with\n" +
			"the same classes of errors (medium from 3 of them on, low below), with what changed in them, which is not a fix; else none. Numbers are counts of sessions, and\n" +
			"evidence is paths, actions, line counts and hashes. KEY is one of `aburn report`, whole or 4 of its digits. On a pipe it is Markdown.\n\n" +
			"--applied records that you tried something against the failure with this key: from then on `aburn report` shows how often it came before and after.",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "current", Usage: "the session that asks, else the newest one that goes on in this project"},
			&cli.StringFlag{Name: "applied", Usage: "record that a remedy was tried against the failure with this `KEY`"},
			&cli.StringFlag{Name: "note", Usage: "what was tried: a line of `TEXT`, with --applied"},
			kit.JSONFlag(),
		},
		ArgValidator:  remedyArguments,
		ShellComplete: a.DoComplete(scope.CompleteTargets),
		Metadata: kit.Examples(
			"aburn remedy 5b0c2f91",
			"aburn remedy --current --json | jq .tier",
			"aburn remedy --applied e1-3fa9 --note \"pinned node 22\"",
		),
		Action: a.Do(runRemedy),
	}
}

func remedyArguments(ctx context.Context, cmd *cli.Command) error {
	switch {
	case cmd.IsSet("applied") && (cmd.NArg() > 0 || cmd.Bool("current")):
		return kit.UsageError("--applied names the key, and takes neither a session nor --current")
	case cmd.IsSet("applied") && strings.TrimSpace(cmd.String("note")) == "":
		return kit.UsageError("--applied needs a note of what was tried", "aburn remedy --applied "+cmd.String("applied")+` --note "pinned node 22"`)
	case cmd.IsSet("note") && !cmd.IsSet("applied"):
		return kit.UsageError("--note goes with --applied")
	case cmd.Bool("current") && cmd.NArg() > 0:
		return kit.UsageError("--current is a session, and takes no other")
	case cmd.IsSet("applied") || cmd.Bool("current"):
		return nil
	case cmd.NArg() == 0:
		return kit.UsageError("one key or session has to be named", "aburn remedy --current", "aburn report")
	}
	return scope.TargetArgument(ctx, cmd)
}

func runRemedy(ctx context.Context, a *kit.App, cmd *cli.Command) error {
	if cmd.IsSet("applied") {
		return runApplyRemedy(ctx, a, cmd)
	}
	answer, err := RemedyOf(ctx, scope.CallerOf(a, cmd), RemedyQuery{Target: cmd.Args().First(), Current: cmd.Bool("current")})
	if err != nil {
		return err
	}
	if cmd.Bool("json") {
		return a.PrintJSON(answer)
	}
	out := a.Screen(cmd)
	if err := kit.ShowMarkdown(out, answer.Markdown()); err != nil {
		return err
	}
	kit.SayNext(out, afterRemedy(&answer.Subject)...)
	return nil
}

// afterRemedy is what can be done next about a failure: look at it, and note what was tried against it.
func afterRemedy(s *remedy.Subject) []string {
	key := cmp.Or(s.Key, s.Fine, s.Coarse)
	if !s.Verdict.Failing() || s.Live || key == "" {
		return nil
	}
	return []string{"aburn replay " + key, "aburn remedy --applied " + key + ` --note "what you tried"`}
}

// RemedyQuery is what a remedy is asked for.
type RemedyQuery struct {
	Target  string // a key, or a session
	Current bool   // the caller's own session instead
}

// RemedyOf is what once helped in a comparable case.
func RemedyOf(ctx context.Context, c *scope.Caller, q RemedyQuery) (*remedy.Answer, error) {
	arch, err := scope.ViewArchive(ctx, c.Env)
	if err != nil {
		return nil, err
	}
	defer arch.Close()
	all, err := c.Digests(ctx, archive.Filter{})
	if err != nil {
		return nil, err
	}
	rules, err := remedyRules(c)
	if err != nil {
		return nil, err
	}
	if q.Current {
		d, err := currentSession(ctx, c, arch, all)
		if err != nil {
			return nil, err
		}
		return remedy.ForSession(d, scope.DigestsOnly(all), rules), nil
	}
	t, err := scope.TargetOf(ctx, arch, all, q.Target)
	if err != nil {
		return nil, err
	}
	if t.Session != nil {
		return remedy.ForSession(t.Session.Digest, scope.DigestsOnly(all), rules), nil
	}
	return remedy.ForKey(t.Key, scope.DigestsOnly(all), rules), nil
}

// runApplyRemedy records that a remedy was tried, and prints that.
func runApplyRemedy(ctx context.Context, a *kit.App, cmd *cli.Command) error {
	r, err := recordRemedy(ctx, scope.CallerOf(a, cmd), cmd.String("applied"), cmd.String("note"))
	if err != nil {
		return err
	}
	if cmd.Bool("json") {
		return a.PrintJSON(r)
	}
	return kit.ShowMarkdown(a.Screen(cmd), "Recorded that a remedy was tried against "+r.Key+", which "+plain.Plural(int64(r.Failing), "failed session has", "failed sessions have")+
		". From now on `aburn report` shows how often it came before and after.\n")
}

// AppliedReport is what `aburn remedy --applied --json` prints.
type AppliedReport struct {
	remedy.Applied
	Failing int `json:"failing"` // sessions that fail and have the key, as of now
}

// recordRemedy records that something was tried against the failure that a word means.
func recordRemedy(ctx context.Context, c *scope.Caller, word, note string) (*AppliedReport, error) {
	arch, err := scope.ViewArchive(ctx, c.Env)
	if err != nil {
		return nil, err
	}
	defer arch.Close()
	all, err := c.Digests(ctx, archive.Filter{})
	if err != nil {
		return nil, err
	}
	t, err := scope.TargetOf(ctx, arch, all, word)
	if err != nil {
		return nil, err
	}
	if t.Session != nil {
		return nil, kit.UsageError("--applied takes a key, and "+kit.Quote(word)+" is a session", keyHints(&t.Session.Keys)...)
	}
	failing := 0
	for _, d := range t.Members(all) {
		if d.Verdict.Failing() && !d.Live {
			failing++
		}
	}
	if failing == 0 {
		return nil, kit.BadNews("no session that failed has the key "+t.Key+": there is nothing to measure", "aburn replay "+t.Key)
	}
	written, err := tried.Append(archive.Dir(c.Env), t.Key, note, c.Now)
	if err != nil {
		return nil, err
	}
	return &AppliedReport{written, failing}, nil
}

// keyHints are the keys of a session as arguments.
func keyHints(k *insight.Keys) (hints []string) {
	for _, key := range [...]string{k.Fine, k.Sub, k.Coarse} {
		if key != "" {
			hints = append(hints, "aburn remedy --applied "+key+" --note …")
		}
	}
	return hints
}
