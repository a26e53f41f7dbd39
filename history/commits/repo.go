// Package commits reads what a git repository recorded of its commits: who made them, reflogs, patches, and who wrote a line.
package commits

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"aburn/history"
	"aburn/internal/fault"
	"aburn/internal/git"
)

// Repo is a repository, seen from one of its worktrees.
type Repo struct {
	Root      string            // of the worktree
	common    string            // git's folder that all worktrees share
	worktrees map[string]string // root → the folder with its HEAD
	git       *git.Git
	plain     *git.Git // without the repository's own filters
	patches   map[[2]string]string
	files     map[string][]string
}

// Open opens the repository around a folder.
func Open(ctx context.Context, dir string, environ []string) (*Repo, error) {
	g := git.In(dir, environ)
	out, err := g.Out(ctx, "rev-parse", "--path-format=absolute", "--show-toplevel", "--git-common-dir")
	var failed *git.Error
	switch {
	case errors.As(err, &failed) && strings.Contains(failed.Text, "dubious ownership"):
		return nil, fault.Failed("another user owns the repository "+fault.Quote(dir), "git config --global --add safe.directory "+fault.Quote(dir))
	case errors.As(err, &failed):
		return nil, fault.Failed(fault.Quote(dir) + " is not in a git worktree")
	case err != nil:
		return nil, err
	}
	root, common, _ := strings.Cut(out, "\n")
	r := &Repo{Root: filepath.Clean(root), common: filepath.Clean(common), worktrees: map[string]string{}, patches: map[[2]string]string{},
		files: map[string][]string{}}
	r.git = g.At(r.Root)
	if r.plain, err = r.git.Unfiltered(ctx); err != nil {
		return nil, err
	}
	return r, r.findWorktrees(ctx)
}

// findWorktrees lists the worktrees that still exist.
func (r *Repo) findWorktrees(ctx context.Context) error {
	list, err := r.git.List(ctx, "worktree", "list", "--porcelain", "-z")
	if err != nil {
		return err
	}
	for i, line := range list {
		if root, ok := strings.CutPrefix(line, "worktree "); ok && i == 0 {
			r.worktrees[filepath.Clean(root)] = r.common
		}
	}
	links, err := filepath.Glob(filepath.Join(r.common, "worktrees", "*", "gitdir"))
	for _, link := range links {
		if to, err := os.ReadFile(link); err == nil {
			r.worktrees[filepath.Dir(strings.TrimSpace(string(to)))] = filepath.Dir(link)
		}
	}
	return err
}

// Worktrees are the roots of all worktrees of the repository.
func (r *Repo) Worktrees() (roots []string) {
	for root := range r.worktrees {
		roots = append(roots, root)
	}
	return roots
}

// Moves reads the reflogs of every worktree's HEAD and of all branches. There is none where git keeps them in another form.
func (r *Repo) Moves() (moves []history.Move, err error) {
	for root, dir := range r.worktrees {
		found, err := readReflog(filepath.Join(dir, "logs", "HEAD"), root)
		if err != nil {
			return nil, err
		}
		moves = append(moves, found...)
	}
	heads := filepath.Join(r.common, "logs", "refs", "heads")
	err = filepath.WalkDir(heads, func(path string, d os.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return ignoreMissing(err)
		}
		found, err := readReflog(path, "")
		moves = append(moves, found...)
		return err
	})
	return moves, ignoreMissing(err)
}

func ignoreMissing(err error) error {
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return err
}

func readReflog(path, worktree string) (moves []history.Move, err error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, ignoreMissing(err)
	}
	for line := range strings.Lines(string(text)) {
		if m, ok := moveOf(strings.TrimSuffix(line, "\n")); ok {
			m.Worktree = worktree
			moves = append(moves, m)
		}
	}
	return moves, nil
}

// moveOf reads a line of a reflog: OLD NEW NAME <ADDRESS> SECONDS ZONE, a tab, ACTION: SUBJECT.
func moveOf(line string) (m history.Move, ok bool) {
	who, what, _ := strings.Cut(line, "\t")
	words := strings.Fields(who)
	if len(words) < 4 || len(words[0]) < 40 || len(words[1]) != len(words[0]) {
		return m, false
	}
	seconds, err := strconv.ParseInt(words[len(words)-2], 10, 64)
	if err != nil {
		return m, false
	}
	action, _, _ := strings.Cut(what, ":")
	return history.Move{Was: words[0], Now: words[1], Time: time.Unix(seconds, 0), Action: action}, true
}

// format is what log prints of a commit; names of changed files follow.
const format = "--format=%x01%H%x00%P%x00%an <%ae>%x00%at%x00%ct%x00%s%x00%(trailers:only=true,unfold=true)%x00"

// Commits reads commits with their changed files. It leaves out those that the repository doesn't have any more.
func (r *Repo) Commits(ctx context.Context, hashes []string) (map[string]*history.Commit, error) {
	found := map[string]*history.Commit{}
	there, err := r.existing(ctx, hashes)
	if err != nil || there == "" {
		return found, err
	}
	out, err := r.plain.Feed(ctx, there, "log", "--stdin", "--no-walk=unsorted", "--name-only", "--no-renames", "--diff-merges=off", "-z", format)
	if err != nil {
		return nil, err
	}
	for text := range strings.SplitSeq(out, "\x01") {
		fields := strings.Split(text, "\x00")
		if len(fields) < 8 {
			continue
		}
		authored, err1 := strconv.ParseInt(fields[3], 10, 64)
		committed, err2 := strconv.ParseInt(fields[4], 10, 64)
		if err1 != nil || err2 != nil {
			return nil, fmt.Errorf("git log: a commit has no time: %q", fields[0])
		}
		c := &history.Commit{Hash: fields[0], Parents: strings.Fields(fields[1]), Author: fields[2], Authored: time.Unix(authored, 0),
			Committed: time.Unix(committed, 0), Subject: fields[5]}
		for line := range strings.Lines(fields[6]) {
			if s, ok := history.StatementOf(line); ok {
				c.Stated = append(c.Stated, s)
			}
		}
		found[c.Hash] = c
		var files []string
		for _, f := range fields[7:] {
			if f = strings.TrimPrefix(f, "\n"); f != "" {
				files = append(files, f)
			}
		}
		r.files[c.Hash] = files
	}
	return found, r.addNotes(ctx, found)
}

// existing are those of the hashes that are commits which the repository has, a line each.
func (r *Repo) existing(ctx context.Context, hashes []string) (lines string, err error) {
	out, err := r.plain.Feed(ctx, strings.Join(hashes, "\n")+"\n", "cat-file", "--batch-check=%(objectname) %(objecttype)")
	for line := range strings.Lines(out) {
		if hash, ok := strings.CutSuffix(strings.TrimSpace(line), " commit"); ok {
			lines += hash + "\n"
		}
	}
	return lines, err
}

// Files are the paths that a commit which Commits has read changed against its parent; none of a merge.
func (r *Repo) Files(hash string) []string { return r.files[hash] }

// Patch is git's stable patch id of the changes between two commits, "" if there are none or it is unknown.
func (r *Repo) Patch(ctx context.Context, from, to string) string {
	key := [2]string{from, to}
	if id, known := r.patches[key]; known {
		return id
	}
	r.patches[key] = ""
	diff, err := r.plain.Bytes(ctx, "diff-tree", "-r", "-p", "--full-index", "--binary", "--no-renames", "--no-ext-diff", "--no-textconv", from, to)
	if err != nil || len(diff) == 0 {
		return ""
	}
	out, err := r.plain.Feed(ctx, string(diff)+"\n", "patch-id", "--stable")
	if err == nil {
		r.patches[key], _, _ = strings.Cut(out, " ")
	}
	return r.patches[key]
}

// Main is the main worktree's root, or git's folder of a bare repository.
func (r *Repo) Main() string {
	for root, dir := range r.worktrees {
		if dir == r.common {
			return root
		}
	}
	return r.common
}

// Linker returns a linker for the repository, which knows the commits of all reflogs and those given. Whoever uses it adds the sessions.
func (r *Repo) Linker(ctx context.Context, hashes []string) (*history.Linker, error) {
	moves, err := r.Moves()
	if err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	for _, m := range moves {
		for _, hash := range []string{m.Was, m.Now} {
			if !seen[hash] {
				seen[hash] = true
				hashes = append(hashes, hash)
			}
		}
	}
	found, err := r.Commits(ctx, hashes)
	if err != nil {
		return nil, err
	}
	return &history.Linker{Commits: found, Moves: moves, Files: r.Files,
		Patch: func(from, to string) string { return r.Patch(ctx, from, to) }}, nil
}
