package tree

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"aburn/internal/git"
	"aburn/internal/snapshot"
)

// CurrentCheckout is the commit that is checked out, and the name of its branch, "" on none.
func CurrentCheckout(ctx context.Context, r *Repo) (commit, branch string, err error) {
	out, err := r.g.Out(ctx, "rev-parse", "HEAD^{commit}", "--symbolic-full-name", "HEAD")
	var failed *git.Error
	if errors.As(err, &failed) {
		commit, err = r.Commit(ctx, "HEAD") // says what is wrong
		return commit, "", err
	}
	commit, branch, _ = strings.Cut(out, "\n")
	return commit, named(branch), err
}

// named is the branch of a full name, "" if that is no branch. A name that git shortens is longer where a tag has it too.
func named(ref string) string {
	branch, ok := strings.CutPrefix(ref, "refs/heads/")
	if !ok {
		return ""
	}
	return branch
}

// CheckoutAtOpen is Stand at the time of Open, which has asked already.
func CheckoutAtOpen(ctx context.Context, r *Repo) (commit, branch string, err error) {
	if r.at == "" {
		return CurrentCheckout(ctx, r)
	}
	return r.at, r.on, nil
}

// Behind is how many commits the upstream of a branch has that the branch has not; 0 without an upstream too.
func Behind(ctx context.Context, r *Repo, branch string) (upstream string, n int) {
	if branch != "" && branch == r.on {
		l, err := r.checkout(ctx)
		if err != nil {
			return "", 0
		}
		return l.Upstream, l.Behind
	}
	const format = "--format=%(refname)%00%(upstream:short)%00%(upstream:track,nobracket)" // [ahead N, ][behind N]
	out, _ := r.g.Out(ctx, "for-each-ref", format, "refs/heads/"+branch)
	for line := range strings.Lines(out) {
		says := strings.Split(strings.TrimSpace(line), "\x00")
		if len(says) != 3 || says[0] != "refs/heads/"+branch { // one below that name
			continue
		}
		_, behind, _ := strings.Cut(says[2], "behind ")
		n, _ = strconv.Atoi(behind)
		return says[1], n
	}
	return "", 0
}

// Changed is how many files of the person's own checkout differ from its commit.
func (r *Repo) Changed(ctx context.Context) (int, error) {
	l, err := r.checkout(ctx)
	if err != nil {
		return 0, err
	}
	return len(l.Changes), nil
}

// checkout is the person's own checkout. It is asked once.
func (r *Repo) checkout(ctx context.Context) (*snapshot.Look, error) {
	r.once.Do(func() {
		var out string
		if out, r.lookFailed = r.g.Out(ctx, "status", "--porcelain=v2", "--branch", "-z", "--no-renames"); r.lookFailed == nil {
			r.looked, r.lookFailed = snapshot.ParseLook(out)
		}
	})
	return r.looked, r.lookFailed
}

// CheckoutWithChanges is Stand with the files that git knows and that differ from the commit. A merge touches no submodule's files.
func CheckoutWithChanges(ctx context.Context, r *Repo) (commit, branch string, changed []string, err error) {
	out, err := r.g.Out(ctx, "status", "--porcelain=v2", "--branch", "--no-ahead-behind", "-z", "--no-renames", "--untracked-files=no", "--ignore-submodules=all")
	if err != nil {
		return "", "", nil, err
	}
	l, err := snapshot.ParseLook(out)
	if err != nil || l.Unsure {
		commit, branch, err = CurrentCheckout(ctx, r) // says what is wrong
	} else {
		commit, branch = l.Head, l.Branch
	}
	if l != nil {
		changed = l.Changes
	}
	return commit, branch, changed, err
}
