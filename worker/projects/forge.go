package projects

import (
	"context"
	"errors"
	"fmt"

	"aburn/internal/fault"
	"aburn/internal/plain"
	"aburn/internal/shell"
	"aburn/worker"
	"aburn/worker/config"
	"aburn/worker/forge"
	"aburn/worker/tree"
)

// OpenPull is the open pull request with a number, and the name of the remote that has its branch.
func OpenPull(ctx context.Context, o *Project, repo *tree.Repo, number int) (pull *forge.Pull, remote string, err error) {
	c, err := o.Config("")
	if err != nil {
		return nil, "", err
	}
	f, there, owner, err := Forge(ctx, o, c, repo)
	var problem *tree.Problem
	if errors.As(err, &problem) {
		return nil, "", fault.Usage(problem.Text, problem.Advice)
	}
	if err == nil {
		pull, err = f.Numbered(ctx, owner, number)
	}
	switch {
	case errors.Is(err, forge.ErrElsewhere):
		return nil, "", fault.Failed(fmt.Sprintf("pull request #%d: %v, where aburn does not push", number, err),
			fmt.Sprintf("gh pr checkout %d, then aburn spawn --branch NAME", number))
	case err != nil:
		return nil, "", fault.Failed(fmt.Sprintf("pull request #%d: %s", number, plain.Line(err.Error())))
	case pull.Is != worker.PullOpen:
		return nil, "", fault.Failed(fmt.Sprintf("pull request #%d is %s", number, pull.Is), "aburn spawn --branch "+shell.Quote(pull.Branch))
	}
	return pull, there.Name, nil
}

// Forge is the forge of a repository's remote, and the owner of the branches that are pushed there.
func Forge(ctx context.Context, o *Project, c *config.Config, repo *tree.Repo) (f forge.Forge, remote tree.Remote, owner string, err error) {
	if remote, err = repo.Remote(ctx); err != nil {
		return nil, remote, "", err
	}
	f, owner, err = forge.Find(forge.Remote{Name: remote.Name, Push: remote.URL, Base: remote.Base}, forge.Access{
		Plugin: c.Word("scm.plugin"), Host: c.Word("scm.host"), URL: c.Word("scm.url"), TokenEnv: c.Word("scm.token_env"),
		TokenFile: c.Word("scm.token_file"), Dir: repo.Root, Environ: o.Environ,
	})
	if p := (*forge.Problem)(nil); errors.As(err, &p) {
		err = &tree.Problem{Text: p.Text, Advice: p.Advice}
	}
	return f, remote, owner, err
}
