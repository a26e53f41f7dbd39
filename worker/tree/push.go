package tree

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"aburn/internal/git"
	"aburn/internal/snapshot"
)

// Remote is where branches are pushed to.
type Remote struct {
	Name string
	URL  string
	Base string // the address of the remote whose pull requests are meant, where a person told gh so; else URL
}

// Remote finds it as git does: the one that a person chose, else origin, else the only one.
func (r *Repo) Remote(ctx context.Context) (m Remote, err error) {
	out, err := r.g.Out(ctx, "remote")
	if err != nil {
		return m, err
	}
	names := strings.Fields(out)
	if m.Name, _ = r.g.Out(ctx, "config", "--get", "remote.pushDefault"); !slices.Contains(names, m.Name) {
		m.Name = "origin"
	}
	if !slices.Contains(names, m.Name) {
		if len(names) != 1 {
			return m, &Problem{"the repository has no remote to push to", "git remote add origin URL"}
		}
		m.Name = names[0]
	}
	if m.URL, err = r.g.Out(ctx, "remote", "get-url", "--push", m.Name); err != nil {
		return m, err
	}
	m.Base = m.URL
	for _, name := range names {
		if resolved, _ := r.g.Out(ctx, "config", "--get", "remote."+name+".gh-resolved"); resolved == "base" {
			if url, err := r.g.Out(ctx, "remote", "get-url", name); err == nil {
				m.Base = url
			}
		}
	}
	return m, nil
}

// Pushing is one push of a branch.
type Pushing struct {
	Remote string
	Branch string
	Head   string
	Env    []string // variables with which the network is reached
	Hooks  bool     // the repository's own, as a person asked
}

// RemoteHeads are the branches of the remote that have one of these names, and its default branch.
func RemoteHeads(ctx context.Context, r *Repo, p Pushing, names ...string) (heads map[string]string, fallback string, err error) {
	args := []string{"ls-remote", "--symref", "--end-of-options", p.Remote, "HEAD"}
	for _, n := range names {
		args = append(args, "refs/heads/"+n)
	}
	out, err := r.g.With(p.Env...).Out(ctx, args...)
	if err != nil {
		return nil, "", err
	}
	heads = map[string]string{}
	for line := range strings.Lines(out) {
		id, ref, _ := strings.Cut(strings.TrimSpace(line), "\t")
		if to, ok := strings.CutPrefix(id, "ref: refs/heads/"); ok && ref == "HEAD" {
			fallback = to
		}
		if name, ok := strings.CutPrefix(ref, "refs/heads/"); ok {
			heads[name] = id
		}
	}
	return heads, fallback, nil
}

// ErrForeign says that the remote branch has commits that the local one never had.
var ErrForeign = errors.New("the remote branch has commits of somebody else")

// Push brings the remote branch, which stands on there ("" is nowhere), to the head. It goes back on commits only if the local
// branch once stood where the remote one stands.
func Push(ctx context.Context, r *Repo, p Pushing, there string) error {
	g := r.g.With(p.Env...)
	if p.Hooks {
		g = g.Hooked()
	}
	args := []string{"push", "--quiet", "--no-follow-tags", "--recurse-submodules=no", "--no-signed"}
	if there != "" && !r.Contains(ctx, p.Head, there) {
		if !branchWasAt(ctx, r, p.Branch, there) {
			return ErrForeign
		}
		args = append(args, "--force-with-lease=refs/heads/"+p.Branch+":"+there)
	}
	_, err := g.Out(ctx, append(args, "--end-of-options", p.Remote, p.Head+":refs/heads/"+p.Branch)...)
	var failed *git.Error
	if errors.As(err, &failed) && (strings.Contains(failed.Text, "[rejected]") || strings.Contains(failed.Text, "stale info")) {
		return ErrMoved
	}
	return err
}

// branchWasAt reports whether a branch once was at a commit, as its reflog knows.
func branchWasAt(ctx context.Context, r *Repo, branch, commit string) bool {
	out, err := r.g.Out(ctx, "rev-list", "--walk-reflogs", "refs/heads/"+branch, "--")
	return err == nil && slices.Contains(strings.Fields(out), commit)
}

// RemoteRefs is the folder in which git notes where branches stand on remotes, one folder a remote.
func (r *Repo) RemoteRefs(ctx context.Context) (string, error) {
	return r.g.Out(ctx, "rev-parse", "--path-format=absolute", "--git-path", "refs/remotes")
}

// maxRef bounds a ref's file, in bytes.
const maxRef = 1 << 10

// RemoteTip is where a branch stands on a remote, by the folder of RemoteRefs; "" if no file there says it. A worker may write these files.
func RemoteTip(dir, branch string) string {
	remotes, _ := os.ReadDir(dir)
	for _, r := range remotes {
		if id, err := snapshot.ReadSmall(filepath.Join(dir, r.Name(), filepath.FromSlash(branch)), maxRef); err == nil {
			return strings.TrimSpace(id)
		}
	}
	return ""
}

// Pushed reports whether git notes that a branch stands on a remote.
func (r *Repo) Pushed(ctx context.Context, branch string) bool {
	out, err := r.g.Out(ctx, "for-each-ref", "--format=%(refname)", "refs/remotes/*/"+branch)
	return err == nil && out != ""
}
