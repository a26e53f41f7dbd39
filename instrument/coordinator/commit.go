package coordinator

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"aburn/instrument"
	"aburn/instrument/registry"
	"aburn/internal/git"
	"aburn/internal/plain"
	"aburn/internal/scrub"
)

// repository is the project's git, and what of it a run may change.
type repository struct {
	git      *git.Git
	dir      string // the project's folder; it may lie below the repository's top
	registry string // the registry's folder; "" for none
	hooks    bool   // a person permitted the repository's hooks
}

func newRepository(o Options) *repository {
	r := &repository{git: git.In(o.Dir, o.Environ), dir: o.Dir, hooks: o.Hooks}
	if o.Config.SchemaPath != "" {
		r.registry = path.Clean(filepath.ToSlash(o.Config.SchemaPath))
	}
	return r
}

// own are the registry's files that a run writes.
func (r *repository) own() (list []string) {
	if r.registry == "" {
		return nil
	}
	return []string{path.Join(r.registry, registry.AttributesFile), path.Join(r.registry, registry.SpansFile)}
}

// head is the branch, or the commit where there is none, and the commit.
func (r *repository) head(ctx context.Context) (branch, commit string, err error) {
	if commit, err = r.git.Out(ctx, "rev-parse", "--verify", "--quiet", "HEAD"); err != nil {
		return "", "", errors.New("the repository has no commit yet")
	}
	if branch, err = r.git.Out(ctx, "symbolic-ref", "--short", "--quiet", "HEAD"); err != nil {
		return commit, commit, nil
	}
	return branch, commit, nil
}

// on is what head says first, mostly from one process: a run asks at each of its steps.
func (r *repository) on(ctx context.Context) (branch string, err error) {
	if branch, err = r.git.Out(ctx, "symbolic-ref", "--short", "--quiet", "HEAD"); err == nil {
		return branch, nil
	}
	branch, _, err = r.head(ctx)
	return branch, err
}

// identity says who would commit.
func (r *repository) identity(ctx context.Context) error {
	_, err := r.git.Out(ctx, "var", "GIT_COMMITTER_IDENT")
	return err
}

// filesAtOnce bounds git's command line: Windows permits 32,767 characters.
const filesAtOnce = 100

// dirty are those of the files that git does not have as they are. Files of the
// registry that aburn would begin are none.
func (r *repository) dirty(ctx context.Context, files []string) (list []string, err error) {
	for some := range slices.Chunk(files, filesAtOnce) {
		// git names files from the repository's top: what is asked is whether there is any. Mostly there is none.
		out, err := r.git.List(ctx, append([]string{"status", "--porcelain=v1", "-z", "--untracked-files=all", "--ignored", "--"}, some...)...)
		switch {
		case err != nil:
			return nil, err
		case len(out) > 0 && len(some) == 1:
			list = append(list, some[0])
		case len(out) > 0:
			for half := range slices.Chunk(some, (len(some)+1)/2) {
				of, err := r.dirty(ctx, half)
				if err != nil {
					return nil, err
				}
				list = append(list, of...)
			}
		}
	}
	return list, nil
}

// withoutIgnored leaves out files that are there and that git ignores: a lock file of a library, often.
func (r *repository) withoutIgnored(ctx context.Context, files []string) ([]string, error) {
	if len(files) == 0 {
		return nil, nil
	}
	ignored, err := r.git.List(ctx, append([]string{"ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--"}, files...)...)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(slices.Clone(files), func(f string) bool { return slices.Contains(ignored, f) }), nil
}

// commit commits exactly these files, whatever else is staged. hash is "" where git has
// them already as they are.
func (r *repository) commit(ctx context.Context, message string, files []string) (hash string, err error) {
	var there []string
	for _, f := range files {
		if _, err := os.Lstat(filepath.Join(r.dir, filepath.FromSlash(f))); err == nil {
			there = append(there, f)
		}
	}
	if len(there) == 0 {
		return "", nil
	}
	g := r.git.Whole()
	if r.hooks {
		g = g.Hooked()
	}
	if _, err := g.Out(ctx, append([]string{"add", "--"}, there...)...); err != nil {
		return "", err
	}
	changed, err := r.git.List(ctx, append([]string{"diff", "--cached", "--name-only", "-z", "HEAD", "--"}, there...)...)
	if err != nil || len(changed) == 0 {
		return "", err
	}
	if _, err := g.Out(ctx, append([]string{"commit", "--quiet", "--only", "-m", message, "--"}, there...)...); err != nil {
		return "", err
	}
	return r.git.Out(ctx, "rev-parse", "HEAD")
}

// undo takes the last commit of a branch back, and leaves the files as they are on disk.
func (r *repository) undo(ctx context.Context, commit string, files []string) error {
	if _, err := r.git.Whole().Out(ctx, "update-ref", "HEAD", commit+"^", commit); err != nil {
		return err
	}
	_, reset := r.git.Out(ctx, append([]string{"reset", "--quiet", "HEAD", "--"}, files...)...)
	_ = reset // a file that HEAD does not have makes it fail
	return nil
}

// at is a file as git checks it out of a commit, with the ends of lines that it is configured
// for; nil where the commit has none.
func (r *repository) at(ctx context.Context, commit, file string) ([]byte, error) {
	text, failed := r.git.Bytes(ctx, "cat-file", "--filters", commit+":./"+file)
	if failed == nil {
		return text, nil
	}
	if code, _, err := r.git.Code(ctx, "cat-file", "-e", commit+":./"+file); err != nil || code != 0 {
		return nil, err
	}
	return nil, failed // a filter, not the commit
}

// restore makes a file what a commit has, in one step, if it still is what now says; else
// it is an instrument.ErrChanged.
func (r *repository) restore(ctx context.Context, commit, file string, now []byte) error {
	text, err := r.at(ctx, commit, file)
	if err != nil {
		return err
	}
	if text == nil {
		root, err := os.OpenRoot(r.dir)
		if err != nil {
			return err
		}
		defer root.Close()
		if err := root.Remove(filepath.FromSlash(file)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	}
	if have, err := os.ReadFile(filepath.Join(r.dir, filepath.FromSlash(file))); err == nil && bytes.Equal(have, text) {
		return nil
	}
	return instrument.Replace(r.dir, file, now, text)
}

// message explains a file's commit.
func message(run string, f *File) string {
	var b strings.Builder
	fmt.Fprintf(&b, "instrument: %s in %s\n\n", plural(f.SpansAdded, "span"), plain.OneLine(f.Path, 200))
	for _, fn := range f.Functions {
		line := fmt.Sprintf("%s: %s", plain.OneLine(fn.Name, 80), fn.Span)
		if len(fn.Attributes) > 0 {
			line += " (" + strings.Join(fn.Attributes, ", ") + ")"
		}
		if fn.Reason != "" {
			line += "; " + plain.OneLine(fn.Reason, 120)
		}
		fmt.Fprintf(&b, "- %s\n", line)
	}
	if len(f.SchemaExtensions) > 0 {
		fmt.Fprintf(&b, "\nNew in the registry: %s.\n", plain.OneLine(strings.Join(f.SchemaExtensions, ", "), 1000))
	}
	if len(f.Dropped) > 0 {
		fmt.Fprintf(&b, "\nLeft out:\n")
		for _, d := range f.Dropped[:min(len(f.Dropped), 10)] {
			fmt.Fprintf(&b, "- %s\n", plain.OneLine(d, 300))
		}
	}
	who := "aburn put the spans in. It took them"
	if f.Strategy == Rewrite {
		who = "A model wrote the file anew. aburn took the spans"
	}
	b.WriteString("\n" + who + " out of the syntax tree again, and the\noriginal was left: nothing else changed.\n")
	fmt.Fprintf(&b, "\nInstrument-Run: %s\n", run)
	text, _ := scrub.Text(b.String())
	return text
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// made are the choices of a plan that are in a file now.
func made(p instrument.Planned) (list []Function) {
	for _, c := range p.Functions {
		if c.Action != "span" {
			continue
		}
		fn := Function{ID: c.ID, Name: c.Name, Span: c.Span, Tier: c.Tier, Reason: c.Reason, Attributes: []string{}}
		for _, a := range c.Attributes {
			fn.Attributes = append(fn.Attributes, a.Key)
		}
		list = append(list, fn)
	}
	return list
}
