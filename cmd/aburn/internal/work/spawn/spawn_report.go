package spawn

import (
	"cmp"
	"context"
	"fmt"

	"github.com/urfave/cli/v3"

	"aburn/cmd/internal/kit"
	"aburn/internal/agentcli"
	"aburn/internal/plain"
	"aburn/internal/shell"
	"aburn/internal/term"
	"aburn/worker/launch"
	"aburn/worker/manager"
	"aburn/worker/projects"
	"aburn/worker/tree"
)

// Report is what `aburn spawn --json` prints.
type Report struct {
	Worker      string   `json:"worker"`
	Agent       string   `json:"agent"`
	Via         string   `json:"via"`
	Tree        string   `json:"tree"`
	Branch      string   `json:"branch"`
	Base        string   `json:"base"`
	BaseRef     string   `json:"base_ref,omitempty"`
	Session     string   `json:"session,omitempty"`
	Permissions string   `json:"permissions"`
	DryRun      bool     `json:"dry_run,omitempty"`
	Argv        []string `json:"argv,omitempty"`
	Exit        *int     `json:"exit,omitempty"`
	State       string   `json:"state,omitempty"`
	Issue       string   `json:"issue,omitempty"`
	From        string   `json:"from,omitempty"`
	Error       string   `json:"error,omitempty"`
}

func report(o *projects.Project, s *manager.Spawned, p manager.Plan) Report {
	r := Report{
		Worker: s.Name, Agent: p.Agent.Name(), Via: launch.ViaTerminal, Tree: s.Tree, Branch: s.Branch, Base: s.Base, BaseRef: s.BaseRef, Session: s.Session,
		Permissions: string(p.Permissions), Issue: p.Issue.ID,
	}
	if p.From != nil {
		r.From = p.From.Name()
	}
	if p.Runtime != nil {
		r.Via = p.Runtime.Name()
	}
	return r
}

// headline is the one line about a worker that begins.
func headline(ctx context.Context, o *projects.Project, repo *tree.Repo, s *manager.Spawned, p manager.Plan) string {
	r := report(o, s, p)
	from := plain.Cut(r.Base, 9)
	if r.BaseRef != "" {
		from = r.BaseRef + " " + r.Base[:min(len(r.Base), 8)]
	}
	if upstream, n := tree.Behind(ctx, repo, r.BaseRef); n > 0 {
		from += fmt.Sprintf(" (%d behind %s)", n, upstream)
	}
	branch := s.Branch
	if p.Tip != "" {
		n, _ := repo.Ahead(ctx, s.Base, p.Tip)
		branch = fmt.Sprintf("takes over %s with %s", s.Branch, plain.Plural(int64(n), "commit"))
	}
	line := fmt.Sprintf("%s  %s · %s · %s from %s", s.Name, r.Agent, r.Via, branch, from)
	if r.From != "" {
		line += " · continues " + r.From
	}
	for _, step := range s.Steps {
		line += " · " + step
	}
	return plain.Line(line)
}

// dryRun says what would be made. Names of workers that are made of the same are as if each were the only one.
func dryRun(ctx context.Context, o *projects.Project, a *kit.App, cmd *cli.Command, repo *tree.Repo, list []launch.Order) error {
	reports := []Report{}
	for _, one := range list {
		if one.Err != nil {
			return one.Err
		}
		p := one.Plan
		s, err := manager.Sketch(ctx, o.Manager, repo, p)
		if err != nil {
			return launch.SpawnFailure(p, err)
		}
		program := cmp.Or(p.Program, agentcli.Of(p.Agent.Name()).Program) // another machine's PATH says where it is
		if cmd.Bool("json") {
			r := report(o, s, p)
			r.DryRun, r.Argv = true, append([]string{program}, s.Launch.Args...)
			reports = append(reports, r)
			continue
		}
		line := shell.Quote(program)
		for _, arg := range s.Launch.Args {
			line += " " + shell.Quote(arg)
		}
		fmt.Fprintf(a.Stdout, "%s\n%s\n%s\n", headline(ctx, o, repo, s, p), plain.Line(s.Tree), plain.Text(line))
	}
	switch {
	case cmd.Bool("json") && len(list) == 1:
		return a.PrintJSON(reports[0])
	case cmd.Bool("json"):
		return a.PrintJSON(reports)
	}
	return nil
}

// PromptReport is what `aburn spawn --print-prompt --json` prints.
type PromptReport struct {
	Rules string `json:"rules"`
	Task  string `json:"task"`
}

func printPrompt(ctx context.Context, o *projects.Project, a *kit.App, cmd *cli.Command, repo *tree.Repo, one launch.Order) error {
	p := one.Plan
	if one.Err != nil {
		return one.Err
	}
	s, err := manager.Sketch(ctx, o.Manager, repo, p)
	if err != nil {
		return launch.SpawnFailure(p, err)
	}
	if cmd.Bool("json") {
		return a.PrintJSON(PromptReport{s.Rules, s.Task})
	}
	out := a.Screen(cmd)
	term.Title(out, true, "rules")
	fmt.Fprintln(out, plain.Text(s.Rules))
	term.Title(out, false, "task")
	_, err = fmt.Fprintln(out, plain.Text(s.Task))
	return err
}
