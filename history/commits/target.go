package commits

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"aburn/internal/fault"
	"aburn/internal/plain"
)

// Target is what a question is about: lines of a file, or commits.
type Target struct {
	Path     string // from the worktree's root; "" for commits
	From, To int    // lines from 1; 0 for the whole file
	Commits  []string
	More     bool // there are more commits than were asked for
}

var lineRange = regexp.MustCompile(`^(.+):(\d+)(?:-(\d+))?$`)

// Target reads FILE, FILE:LINE, FILE:LINE-LINE, or a commit, range or branch, of which it lists at most limit commits. dir is the folder that
// a file's path starts from.
func (r *Repo) Target(ctx context.Context, dir, word string, limit int) (*Target, error) {
	if t, err := r.fileTarget(dir, word, "", ""); t != nil || err != nil {
		return t, err
	}
	if m := lineRange.FindStringSubmatch(word); m != nil {
		if t, err := r.fileTarget(dir, m[1], m[2], m[3]); t != nil || err != nil {
			return t, err
		}
	}
	if strings.HasPrefix(word, "-") {
		return nil, fault.Usage(fault.Quote(word) + " is neither a file nor a commit")
	}
	return r.commitTarget(ctx, word, limit)
}

// fileTarget is nil if the file doesn't exist.
func (r *Repo) fileTarget(dir, name, from, to string) (*Target, error) {
	path := name
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	info, err := os.Lstat(path)
	if err != nil {
		return nil, nil
	}
	if info.IsDir() {
		return nil, fault.Usage(fault.Quote(name)+" is a folder", "aburn why FILE")
	}
	if real, err := filepath.EvalSymlinks(filepath.Dir(path)); err == nil {
		path = filepath.Join(real, filepath.Base(path))
	}
	root := r.Root
	if real, err := filepath.EvalSymlinks(root); err == nil {
		root = real
	}
	rel, err := filepath.Rel(root, path)
	if err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return nil, fault.Usage(fault.Quote(name) + " is outside of the repository " + fault.Quote(r.Root))
	}
	if !info.Mode().IsRegular() {
		return nil, fault.Usage(fault.Quote(name) + " is not a regular file")
	}
	t := &Target{Path: filepath.ToSlash(rel)}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if bytes.IndexByte(text[:min(len(text), 8000)], 0) >= 0 {
		return nil, fault.Failed(fault.Quote(name)+" is binary and has no lines", "git log --oneline -- "+fault.Quote(name))
	}
	if from == "" {
		return t, nil
	}
	lines := bytes.Count(text, []byte("\n"))
	if len(text) > 0 && text[len(text)-1] != '\n' {
		lines++
	}
	if t.From, err = strconv.Atoi(from); err == nil {
		if t.To = t.From; to != "" {
			t.To, err = strconv.Atoi(to)
		}
	}
	switch {
	case err != nil || t.From < 1 || t.To < t.From:
		return nil, fault.Usage(fault.Quote(name+":"+from+"-"+to) + " is no range of lines")
	case t.To > lines:
		return nil, fault.Usage(fault.Quote(name) + " has only " + plain.Plural(int64(lines), "line"))
	}
	return t, nil
}

func (r *Repo) commitTarget(ctx context.Context, word string, limit int) (*Target, error) {
	revision := word
	isRange := strings.Contains(word, "..")
	if !isRange {
		code, _, err := r.git.Code(ctx, "rev-parse", "--verify", "--quiet", "--end-of-options", word+"^{commit}")
		if err != nil {
			return nil, err
		}
		if code != 0 {
			hint := "git log --oneline"
			if code, _, err := r.git.Code(ctx, "rev-parse", "--verify", "--quiet", "HEAD"); err == nil && code != 0 {
				return nil, fault.Failed("the repository " + fault.Quote(r.Root) + " has no commit yet")
			}
			return nil, fault.Failed(fault.Quote(word)+" is neither a file nor a commit of this repository", hint)
		}
		base, err := r.baseOf(ctx, word)
		if err != nil {
			return nil, err
		}
		if base == "" {
			limit = 1
		} else {
			revision = base + ".." + word
		}
	}
	out, err := r.git.Out(ctx, "rev-list", "--max-count="+strconv.Itoa(limit+1), "--end-of-options", revision, "--")
	if err != nil {
		return nil, fault.Failed(fault.Quote(word)+" is no range of commits of this repository", "aburn why main..HEAD")
	}
	t := &Target{Commits: strings.Fields(out)}
	if t.More = len(t.Commits) > limit && (isRange || revision != word); len(t.Commits) > limit {
		t.Commits = t.Commits[:limit]
	}
	if len(t.Commits) == 0 {
		return nil, fault.Failed(fault.Quote(word) + " has no commit of its own")
	}
	return t, nil
}

// baseOf is the default branch, of a name of another branch; else "".
func (r *Repo) baseOf(ctx context.Context, word string) (string, error) {
	if code, _, err := r.git.Code(ctx, "show-ref", "--verify", "--quiet", "refs/heads/"+word); err != nil || code != 0 {
		return "", err
	}
	code, remote, err := r.git.Code(ctx, "symbolic-ref", "--quiet", "--short", "refs/remotes/origin/HEAD")
	if err != nil {
		return "", err
	}
	candidates := []string{"main", "master", "trunk"}
	if code == 0 {
		candidates = append([]string{strings.TrimSpace(remote)}, candidates...)
	}
	for _, base := range candidates {
		if base == word || strings.TrimPrefix(base, "origin/") == word {
			return "", nil
		}
		if code, _, err := r.git.Code(ctx, "rev-parse", "--verify", "--quiet", "--end-of-options", base+"^{commit}"); err != nil || code == 0 {
			return base, err
		}
	}
	return "", nil
}
