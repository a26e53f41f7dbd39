package tree

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"aburn/internal/git"
)

// Elsewhere is a repository on another machine.
type Elsewhere struct {
	URL string
	Env []string // what git needs to get there
}

// PushCommit pushes a commit there, as a ref that only aburn uses. What is there already is not sent again.
func PushCommit(ctx context.Context, r *Repo, to Elsewhere, commit, ref string) error {
	_, err := r.g.With(to.Env...).Out(ctx, "push", "--quiet", "--no-verify", "--no-recurse-submodules", to.URL, "+"+commit+":"+ref)
	return err
}

// Identity is who commits here.
func (r *Repo) Identity(ctx context.Context) (name, email string) {
	name, _ = r.g.Out(ctx, "config", "user.name")
	email, _ = r.g.Out(ctx, "config", "user.email")
	return name, email
}

// ErrRewritten says that a branch here has commits that the one of the same name elsewhere has not.
var ErrRewritten = errors.New("the branch here has commits that the worker's has not")

// fetches is how often one is made that others, who bring the same, were faster than.
const fetches = 20

// FetchRefs brings all refs below a name here, and what else the specs say. Several may do so at once: git refuses to move a ref
// that somebody moved since it looked, and looks again then.
func FetchRefs(ctx context.Context, r *Repo, from Elsewhere, below string, specs ...string) error {
	args := []string{"fetch", "--quiet", "--no-tags", "--no-recurse-submodules", "--no-write-fetch-head", "--refmap=", from.URL,
		"+" + below + "/*:" + below + "/*"}
	var err error
	for range fetches {
		_, err = r.g.With(from.Env...).Out(ctx, append(args, specs...)...)
		var failed *git.Error
		if !errors.As(err, &failed) || !strings.Contains(failed.Text, "cannot lock ref") {
			break
		}
	}
	return err
}

// FetchBranch brings a branch of a remote to the ref where git notes it. Nothing else moves.
func FetchBranch(ctx context.Context, r *Repo, remote, branch string, env []string) (ref string, err error) {
	ref = "refs/remotes/" + remote + "/" + branch
	_, err = r.g.With(env...).Out(ctx, "fetch", "--quiet", "--no-tags", "--no-recurse-submodules", "--no-write-fetch-head", "--refmap=", remote,
		"+refs/heads/"+branch+":"+ref)
	return ref, err
}

// Fetch brings a branch here, and all refs below a name. The branch moves on, and never back: one here that has commits of its
// own stays, with ErrRewritten. What the other one is then stands at copied. It returns where the other one stands.
func Fetch(ctx context.Context, r *Repo, from Elsewhere, branch, copied, below string) (commit string, err error) {
	if err := FetchRefs(ctx, r, from, below, "+refs/heads/"+branch+":"+copied); err != nil {
		return "", err
	}
	if commit, err = r.Commit(ctx, copied); err != nil {
		return "", err
	}
	here := r.Tip(ctx, branch)
	switch {
	case here == commit:
		return commit, nil
	case here != "" && !r.Contains(ctx, commit, here):
		return commit, ErrRewritten
	}
	at, err := r.CheckedOut(ctx, branch)
	if err == nil && at != "" {
		err = fmt.Errorf("the branch %s is checked out in %s", branch, at)
	}
	if err == nil {
		old := here
		if old == "" {
			old = strings.Repeat("0", len(commit))
		}
		if _, err = r.g.Out(ctx, "update-ref", "refs/heads/"+branch, commit, old); err != nil && r.Tip(ctx, branch) == commit {
			err = nil // somebody else was faster
		}
	}
	return commit, err
}
