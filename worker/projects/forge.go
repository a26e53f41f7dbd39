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

// OpenPull asks the forge for an open pull request whose branch is pushed to the repository's own remote.
func OpenPull(ctx context.Context, o *Project, repo *tree.Repo, number int) (*forge.Pull, string, error) {
	pull, remote, err := Pull(ctx, o, repo, number)
	switch {
	case errors.Is(err, forge.ErrElsewhere):
		return nil, "", fault.Failed(fmt.Sprintf("pull request #%d: %v, where aburn does not push", number, err),
			fmt.Sprintf("gh pr checkout %d, then aburn spawn --branch NAME", number))
	case err != nil:
		return nil, "", err
	case pull.Is != worker.PullOpen:
		return nil, "", fault.Failed(fmt.Sprintf("pull request #%d is %s", number, pull.Is), "aburn spawn --branch "+shell.Quote(pull.Branch))
	}
	return pull, remote, nil
}

// Pull asks the forge for a pull request, and returns the name of the remote. With forge.ErrElsewhere comes a pull request whose branch is
// in another repository.
func Pull(ctx context.Context, o *Project, repo *tree.Repo, number int) (*forge.Pull, string, error) {
	c, err := o.Config("")
	if err != nil {
		return nil, "", err
	}
	return pullOf(ctx, c, o.Environ, repo, number)
}

// PullOfRepository is Pull for a repository that may be no project of aburn's: the forge is then the one that the remote's address names.
func PullOfRepository(ctx context.Context, environ []string, repo *tree.Repo, number int) (*forge.Pull, string, error) {
	return pullOf(ctx, &config.Config{}, environ, repo, number)
}

func pullOf(ctx context.Context, c *config.Config, environ []string, repo *tree.Repo, number int) (pull *forge.Pull, remote string, err error) {
	f, there, owner, err := forgeOf(ctx, c, environ, repo)
	var problem *tree.Problem
	if errors.As(err, &problem) {
		return nil, "", fault.Usage(problem.Text, problem.Advice)
	}
	if err == nil {
		pull, err = f.Numbered(ctx, owner, number)
	}
	if err != nil && !errors.Is(err, forge.ErrElsewhere) {
		return nil, "", fault.Failed(fmt.Sprintf("pull request #%d: %s", number, plain.Line(err.Error())))
	}
	return pull, there.Name, err
}

// Forge is the forge of a repository's remote, and the owner of the branches that are pushed there.
func Forge(ctx context.Context, o *Project, c *config.Config, repo *tree.Repo) (f forge.Forge, remote tree.Remote, owner string, err error) {
	return forgeOf(ctx, c, o.Environ, repo)
}

func forgeOf(ctx context.Context, c *config.Config, environ []string, repo *tree.Repo) (f forge.Forge, remote tree.Remote, owner string, err error) {
	if remote, err = repo.Remote(ctx); err != nil {
		return nil, remote, "", err
	}
	f, owner, err = forge.Find(forge.Remote{Name: remote.Name, Push: remote.URL, Base: remote.Base}, forge.Access{
		Plugin: c.Word("scm.plugin"), Host: c.Word("scm.host"), URL: c.Word("scm.url"), TokenEnv: c.Word("scm.token_env"),
		TokenFile: c.Word("scm.token_file"), Dir: repo.Root, Environ: environ,
	})
	if p := (*forge.Problem)(nil); errors.As(err, &p) {
		err = &tree.Problem{Text: p.Text, Advice: p.Advice}
	}
	return f, remote, owner, err
}
