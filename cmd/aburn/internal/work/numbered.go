package work

import (
	"context"
	"errors"
	"fmt"

	"aburn/internal/fault"
	"aburn/internal/plain"
	"aburn/internal/shell"
	"aburn/worker"
	"aburn/worker/forge"
	"aburn/worker/tree"
)

// OpenPull is the open pull request with a number, and the name of the remote that has its branch.
func OpenPull(ctx context.Context, o *Office, repo *tree.Repo, number int) (pull *forge.Pull, remote string, err error) {
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
