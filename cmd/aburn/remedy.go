package main

import (
	"cmp"
	"context"
	"strings"

	"github.com/urfave/cli/v3"

	"aburn/archive"
	"aburn/archive/tried"
	"aburn/insight"
	"aburn/insight/remedy"
	"aburn/internal/plain"
)

func (a *app) remedyCommand() *cli.Command {
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
			jsonFlag(),
		},
		ArgValidator:  remedyArguments,
		ShellComplete: a.completeTargets,
		Metadata: examples(
			"aburn remedy 5b0c2f91",
			"aburn remedy --current --json | jq .tier",
			"aburn remedy --applied e1-3fa9 --note \"pinned node 22\"",
		),
		Action: a.remedy,
	}
}

func remedyArguments(ctx context.Context, cmd *cli.Command) error {
	switch {
	case cmd.IsSet("applied") && (cmd.NArg() > 0 || cmd.Bool("current")):
		return usageError("--applied names the key, and takes neither a session nor --current")
	case cmd.IsSet("applied") && strings.TrimSpace(cmd.String("note")) == "":
		return usageError("--applied needs a note of what was tried", "aburn remedy --applied "+cmd.String("applied")+` --note "pinned node 22"`)
	case cmd.IsSet("note") && !cmd.IsSet("applied"):
		return usageError("--note goes with --applied")
	case cmd.Bool("current") && cmd.NArg() > 0:
		return usageError("--current is a session, and takes no other")
	case cmd.IsSet("applied") || cmd.Bool("current"):
		return nil
	case cmd.NArg() == 0:
		return usageError("one key or session has to be named", "aburn remedy --current", "aburn report")
	}
	return targetArgument(ctx, cmd)
}

func (a *app) remedy(ctx context.Context, cmd *cli.Command) error {
	if cmd.IsSet("applied") {
		return a.applyRemedy(ctx, cmd)
	}
	answer, err := remedyOf(ctx, a.caller(cmd), remedyQuery{Target: cmd.Args().First(), Current: cmd.Bool("current")})
	if err != nil {
		return err
	}
	if cmd.Bool("json") {
		return a.printJSON(answer)
	}
	out := a.screen(cmd)
	if err := showMarkdown(out, answer.Markdown()); err != nil {
		return err
	}
	sayNext(out, afterRemedy(&answer.Subject)...)
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

// remedyQuery is what a remedy is asked for.
type remedyQuery struct {
	Target  string // a key, or a session
	Current bool   // the caller's own session instead
}

// remedyOf is what once helped in a comparable case.
func remedyOf(ctx context.Context, c *caller, q remedyQuery) (*remedy.Answer, error) {
	arch, err := viewArchive(ctx, c.Env)
	if err != nil {
		return nil, err
	}
	defer arch.Close()
	all, err := c.digests(ctx, archive.Filter{})
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
		return remedy.ForSession(d, digestsOnly(all), rules), nil
	}
	t, err := targetOf(ctx, arch, all, q.Target)
	if err != nil {
		return nil, err
	}
	if t.session != nil {
		return remedy.ForSession(t.session.Digest, digestsOnly(all), rules), nil
	}
	return remedy.ForKey(t.key, digestsOnly(all), rules), nil
}

// applyRemedy records that a remedy was tried, and prints that.
func (a *app) applyRemedy(ctx context.Context, cmd *cli.Command) error {
	r, err := recordRemedy(ctx, a.caller(cmd), cmd.String("applied"), cmd.String("note"))
	if err != nil {
		return err
	}
	if cmd.Bool("json") {
		return a.printJSON(r)
	}
	return showMarkdown(a.screen(cmd), "Recorded that a remedy was tried against "+r.Key+", which "+plain.Plural(int64(r.Failing), "failed session has", "failed sessions have")+
		". From now on `aburn report` shows how often it came before and after.\n")
}

// appliedReport is what `aburn remedy --applied --json` prints.
type appliedReport struct {
	remedy.Applied
	Failing int `json:"failing"` // sessions that fail and have the key, as of now
}

// recordRemedy records that something was tried against the failure that a word means.
func recordRemedy(ctx context.Context, c *caller, word, note string) (*appliedReport, error) {
	arch, err := viewArchive(ctx, c.Env)
	if err != nil {
		return nil, err
	}
	defer arch.Close()
	all, err := c.digests(ctx, archive.Filter{})
	if err != nil {
		return nil, err
	}
	t, err := targetOf(ctx, arch, all, word)
	if err != nil {
		return nil, err
	}
	if t.session != nil {
		return nil, usageError("--applied takes a key, and "+quote(word)+" is a session", keyHints(&t.session.Keys)...)
	}
	failing := 0
	for _, d := range t.members(all) {
		if d.Verdict.Failing() && !d.Live {
			failing++
		}
	}
	if failing == 0 {
		return nil, badNews("no session that failed has the key "+t.key+": there is nothing to measure", "aburn replay "+t.key)
	}
	written, err := tried.Append(archive.Dir(c.Env), t.key, note, c.Now)
	if err != nil {
		return nil, err
	}
	return &appliedReport{written, failing}, nil
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
