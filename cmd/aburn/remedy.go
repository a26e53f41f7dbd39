package main

import (
	"cmp"
	"context"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"aburn/archive"
	"aburn/archive/digests"
	"aburn/archive/tried"
	"aburn/insight"
	"aburn/insight/remedy"
	"aburn/internal/term"
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
	arch, err := a.viewArchive(ctx)
	if err != nil {
		return err
	}
	defer arch.Close()
	all, err := a.digests(ctx, archive.Filter{})
	if err != nil {
		return err
	}
	if cmd.IsSet("applied") {
		return a.applyRemedy(ctx, cmd, arch, all)
	}
	answer, err := a.answer(ctx, cmd, arch, all)
	if err != nil {
		return err
	}
	if done, err := a.asJSON(cmd, answer); done || err != nil {
		return err
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

// answer is what is known about what the command line asks.
func (a *app) answer(ctx context.Context, cmd *cli.Command, arch *archive.Archive, all []digests.Session) (*remedy.Answer, error) {
	rules, err := a.remedyRules(cmd)
	if err != nil {
		return nil, err
	}
	if cmd.Bool("current") {
		d, err := a.currentSession(ctx, cmd, arch, all)
		if err != nil {
			return nil, err
		}
		return remedy.ForSession(d, pure(all), rules), nil
	}
	t, err := a.targetOf(ctx, arch, all, cmd.Args().First())
	if err != nil {
		return nil, err
	}
	if t.session != nil {
		return remedy.ForSession(t.session.Digest, pure(all), rules), nil
	}
	return remedy.ForKey(t.key, pure(all), rules), nil
}

// appliedReport is what `aburn remedy --applied --json` prints.
type appliedReport struct {
	remedy.Applied
	Failing int `json:"failing"` // sessions that fail and have the key, as of now
}

// applyRemedy records that a remedy was tried.
func (a *app) applyRemedy(ctx context.Context, cmd *cli.Command, arch *archive.Archive, all []digests.Session) error {
	word := cmd.String("applied")
	t, err := a.targetOf(ctx, arch, all, word)
	if err != nil {
		return err
	}
	if t.session != nil {
		return usageError("--applied takes a key, and "+quote(word)+" is a session", keyHints(&t.session.Keys)...)
	}
	failing := 0
	for _, d := range t.members(all) {
		if d.Verdict.Failing() && !d.Live {
			failing++
		}
	}
	if failing == 0 {
		return badNews("no session that failed has the key "+t.key+": there is nothing to measure", "aburn replay "+t.key)
	}
	written, err := tried.Append(archive.Dir(a.env), t.key, cmd.String("note"), time.Now())
	if err != nil {
		return err
	}
	if done, err := a.asJSON(cmd, appliedReport{written, failing}); done || err != nil {
		return err
	}
	return showMarkdown(a.screen(cmd), "Recorded that a remedy was tried against "+t.key+", which "+term.Plural(int64(failing), "failed session has", "failed sessions have")+
		". From now on `aburn report` shows how often it came before and after.\n")
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
