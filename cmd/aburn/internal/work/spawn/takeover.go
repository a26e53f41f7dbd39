package spawn

import (
	"context"
	"fmt"

	"github.com/urfave/cli/v3"

	"aburn/cmd/aburn/internal/scope"
	"aburn/cmd/internal/kit"
	"aburn/internal/fault"
	"aburn/internal/plain"
	"aburn/internal/shell"
	"aburn/worker/manager"
	"aburn/worker/projects"
	"aburn/worker/tree"
)

// takeOver has the worker go on with a branch that is there, here or on the remote, or with that of a pull request.
func takeOver(ctx context.Context, o *projects.Project, a *kit.App, cmd *cli.Command, repo *tree.Repo, p *manager.Plan, source *manager.Member) error {
	byAgent := scope.AgentCalls(a.Getenv) || cmd.Bool("by-agent")
	if cmd.IsSet("pr") {
		if byAgent {
			return fault.Failed("an agent may not take over a pull request", "aburn ask: a person can")
		}
		if err := pullRequest(ctx, o, a, cmd, repo, p); err != nil {
			return err
		}
	} else if p.Branch != "" {
		p.Tip, p.Taken = repo.Tip(ctx, p.Branch), true
		if remote, err := repo.Remote(ctx); p.Tip == "" && err == nil {
			p.Tip, p.Taken = repo.RemoteCommit(ctx, "refs/remotes/"+remote.Name+"/"+p.Branch), false
		}
	}
	_, far := p.Runtime.(manager.Machine)
	switch {
	case p.Tip == "":
		return nil // the branch will be new
	case byAgent:
		return fault.Failed("the branch "+fault.Quote(p.Branch)+" is there, and an agent may not take over a branch", "--branch with a new name",
			"aburn ask: a person can")
	case source != nil:
		return fault.Usage("--from continues the branch of "+source.Name+", and "+fault.Quote(p.Branch)+" is another branch", "leave one out")
	case far:
		return fault.Usage("a branch is taken over in a worktree of this repository only", "--workspace worktree, without --runtime ssh:HOST")
	}
	return nil
}

// pullRequest finds the branch of the pull request that --pr names, and brings it here.
func pullRequest(ctx context.Context, o *projects.Project, a *kit.App, cmd *cli.Command, repo *tree.Repo, p *manager.Plan) error {
	number := cmd.Int("pr")
	pull, remote, err := projects.OpenPull(ctx, o, repo, number)
	if err != nil {
		return err
	}
	ref, err := manager.FetchBranch(ctx, o.Manager, repo, remote, pull.Branch)
	if err != nil {
		return fault.Failed(fmt.Sprintf("the branch %s of pull request #%d cannot be fetched: %s", fault.Quote(pull.Branch), number, plain.Line(err.Error())))
	}
	p.Branch, p.Tip = pull.Branch, repo.RemoteCommit(ctx, ref)
	here := repo.Tip(ctx, pull.Branch)
	if p.Taken = here != ""; p.Taken && here != p.Tip {
		return fault.Failed(fmt.Sprintf("your branch %s does not stand where pull request #%d does", fault.Quote(pull.Branch), number),
			"git log --left-right "+shell.Quote(pull.Branch+"..."+remote+"/"+pull.Branch), "aburn spawn --branch "+shell.Quote(pull.Branch)+"  # continues your branch")
	}
	if !cmd.IsSet("base") {
		base, err := manager.FetchBranch(ctx, o.Manager, repo, remote, pull.Base)
		if err != nil {
			return fault.Failed(fmt.Sprintf("the branch %s, into which pull request #%d goes, cannot be fetched: %s", fault.Quote(pull.Base), number,
				plain.Line(err.Error())))
		}
		if p.Base = pull.Base; repo.Tip(ctx, pull.Base) == "" {
			p.Base = base
		}
	}
	if p.Name == "" && !cmd.IsSet("name") {
		p.Stem, p.Number = fmt.Sprintf("pr-%d", number), false
	}
	p.Task = fmt.Sprintf("Continue pull request #%d. This is its branch: %s\n\n%s", number, plain.Line(pull.URL), p.Task)
	return nil
}
