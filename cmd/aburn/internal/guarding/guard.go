// Package guarding is the commands of guard: what rules there are, what they would have hit, which count, and the decision that
// aburn-hook asks for. It prints answers; package guard works them out.
package guarding

import (
	"context"
	"errors"
	"os"

	"github.com/urfave/cli/v3"

	"aburn/cmd/internal/kit"
	"aburn/guard"
	"aburn/guard/ruleset"
	"aburn/internal/fault"
	"aburn/internal/project"
	"aburn/internal/term"
)

// Command is `aburn guard`.
func Command(a *kit.App) *cli.Command {
	ls := lsCommand(a)
	return a.ByDefault(&cli.Command{
		Name:  "guard",
		Usage: "test rules about calls on your own sessions, and enable them",
		Description: "A rule says which calls of tools it is about, and what to do about them: note, warn, tell, ask or deny. It counts once you enable it.\n" +
			"Rules are in ~/.config/aburn/guard.yaml, in a trusted project's .oss/guard.yaml, which may only tighten, and in packs that aburn brings\n" +
			"with it. Guard is a seat belt and no sandbox: what it can't know passes, and so does every call when guard itself fails.",
		Metadata: kit.Examples("aburn guard", "aburn guard test git --since 30d", "aburn guard enable git/hard-reset", "aburn guard why-not 'git reset --hard'"),
		Commands: []*cli.Command{
			ls, testCommand(a), whyNotCommand(a), enableCommand(a), disableCommand(a), reportCommand(a), explainCommand(a), decideCommand(a),
		},
	}, ls)
}

// load reads the rules for the folder that the command line names. p is nil outside of a project.
func load(a *kit.App, cmd *cli.Command) (s *ruleset.Set, p *project.Project, err error) {
	dir, err := kit.Folder(cmd)
	if err != nil {
		return nil, nil, err
	}
	s, p, err = loadAt(dir, a.Getenv)
	if err == nil {
		for _, problem := range s.Problems {
			a.Warn(problem.Error()+": no rule of this file counts", hintOf(problem)...)
		}
	}
	return s, p, err
}

func hintOf(err error) []string {
	var p *guard.Problem
	if errors.As(err, &p) && p.Fix != "" {
		return []string{p.Fix}
	}
	return nil
}

func loadAt(dir string, env func(string) string) (*ruleset.Set, *project.Project, error) {
	where := ruleset.Where{Config: project.ConfigDir(env), State: project.StateDir(env)}
	p, err := project.Find(dir, env)
	var oss *os.Root
	switch {
	case errors.Is(err, project.ErrNone):
		p = nil
	case err != nil:
		return nil, nil, fault.Usage(err.Error())
	case p.Marked:
		if oss, err = p.OpenOss(); err != nil {
			return nil, nil, fault.Failed(err.Error())
		}
		defer oss.Close()
		where.Oss, where.Root = oss, p.Root
	}
	return ruleset.Load(where), p, nil
}

// named are the rules that a name means; all if it is empty.
func named(s *ruleset.Set, name string) ([]guard.Rule, error) {
	if name == "" {
		return s.Rules, nil
	}
	list := s.Find(name)
	if len(list) == 0 {
		hints := []string{"aburn guard ls"}
		if near := s.Nearest(name); near != "" {
			hints = []string{"did you mean " + near + "?"}
		}
		return nil, fault.Usage("no rule or pack is called "+fault.Quote(name), hints...)
	}
	return list, nil
}

func completer(a *kit.App) cli.ShellCompleteFunc {
	return a.CommandCompleter(func(cmd *cli.Command, n int) []string {
		if n > 0 {
			return nil
		}
		s, _, err := load(a, cmd)
		if err != nil {
			return nil
		}
		return s.Names()
	})
}

// ListReport is `aburn guard ls --json`.
type ListReport struct {
	Rules    []RuleRow `json:"rules"`
	Problems []string  `json:"problems"`
}

// RuleRow is one rule.
type RuleRow struct {
	Rule    string           `json:"rule"`
	Do      guard.Action     `json:"do"`
	Why     string           `json:"why,omitempty"`
	File    string           `json:"file,omitempty"`
	State   string           `json:"state"` // on, off, or changed
	Enabled *ruleset.Enabled `json:"enabled,omitempty"`
}

func lsCommand(a *kit.App) *cli.Command {
	return &cli.Command{
		Name:         "ls",
		Usage:        "list the rules, and which of them count",
		Description:  "A rule is on, off, or changed: then it is not the rule that you enabled. A changed rule of a project doesn't count until you enable it again.",
		Flags:        []cli.Flag{kit.JSONFlag()},
		ArgValidator: kit.NoArguments,
		Metadata:     kit.Examples("aburn guard ls", "aburn guard ls --json | jq '.rules[] | select(.state == \"on\")'"),
		Action:       a.Action(runList),
	}
}

func runList(_ context.Context, a *kit.App, cmd *cli.Command) error {
	s, _, err := load(a, cmd)
	if err != nil {
		return err
	}
	if err := s.Refresh(); err != nil {
		a.Warn("hooks may not know the rules as they are now: " + err.Error())
	}
	rep := ListReport{Rules: []RuleRow{}, Problems: []string{}}
	for _, p := range s.Problems {
		rep.Problems = append(rep.Problems, p.Error())
	}
	for i := range s.Rules {
		r := &s.Rules[i]
		rep.Rules = append(rep.Rules, RuleRow{Rule: r.FullName(), Do: r.Do, Why: r.Why, File: r.File, State: stateOf(s, r), Enabled: s.Of(r)})
	}
	if cmd.Bool("json") {
		return a.PrintJSON(rep)
	}
	out := a.Screen(cmd)
	t := &term.Table{Width: term.TableWidth, Columns: []term.Column{{Title: "rule"}, {Title: "does"}, {Title: "is"}, {Title: "because", Flex: true, Min: 20}}}
	for _, r := range rep.Rules {
		t.Add(r.Rule, string(r.Do), r.State, r.Why)
	}
	if err := t.Print(out, 0); err != nil {
		return err
	}
	if len(s.Active()) == 0 {
		a.Note("no rule is enabled, so guard does nothing")
		a.Hint("aburn guard test git --since 30d")
	}
	return nil
}

func stateOf(s *ruleset.Set, r *guard.Rule) string {
	e := s.Of(r)
	switch {
	case e == nil:
		return "off"
	case e.Sum != ruleset.Sum(r):
		return "changed"
	}
	return "on"
}
