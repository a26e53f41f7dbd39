package commits

import (
	"context"
	"strconv"
	"strings"
	"time"

	"aburn/internal/fault"
)

// Log lists the newest commits that a revision or range reaches, without merges. more says that there are more than limit.
func (r *Repo) Log(ctx context.Context, revision string, since time.Time, limit int) (hashes []string, more bool, err error) {
	if strings.HasPrefix(revision, "-") {
		return nil, false, fault.Usage(fault.Quote(revision) + " is no commit")
	}
	args := []string{"rev-list", "--no-merges", "--max-count=" + strconv.Itoa(limit+1)}
	if !since.IsZero() {
		args = append(args, "--since="+since.Format(time.RFC3339))
	}
	out, err := r.git.Out(ctx, append(args, "--end-of-options", revision, "--")...)
	if err != nil {
		if code, _, err := r.git.Code(ctx, "rev-parse", "--verify", "--quiet", "HEAD"); err == nil && code != 0 {
			return nil, false, fault.Failed("the repository " + fault.Quote(r.Root) + " has no commit yet")
		}
		return nil, false, fault.Failed(fault.Quote(revision)+" is no commit, range or branch of this repository", "git log --oneline")
	}
	hashes = strings.Fields(out)
	return hashes[:min(len(hashes), limit)], len(hashes) > limit, nil
}

// TipAt is the commit at which a branch was at a time, by the committers' clocks; "" if it had none.
func (r *Repo) TipAt(ctx context.Context, revision string, t time.Time) (string, error) {
	return r.git.Out(ctx, "rev-list", "--max-count=1", "--first-parent", "--before="+t.Format(time.RFC3339), "--end-of-options", revision, "--")
}

// Added counts the lines that a commit added to each file, without binary ones.
func (r *Repo) Added(ctx context.Context, hash string) (map[string]int, error) {
	added := map[string]int{}
	list, err := r.plain.List(ctx, "diff-tree", "--root", "--no-commit-id", "-r", "--numstat", "--no-renames", "--no-ext-diff", "--no-textconv", "-z", hash)
	for _, line := range list {
		fields := strings.SplitN(line, "\t", 3)
		if n, err := strconv.Atoi(fields[0]); err == nil && n > 0 && len(fields) == 3 {
			added[fields[2]] = n
		}
	}
	return added, err
}

// Alive counts the lines of a file that git blames on a commit, in another commit. A file that isn't there has none.
func (r *Repo) Alive(ctx context.Context, hash, in, path string) (n int, err error) {
	code, _, err := r.git.Code(ctx, "cat-file", "-e", in+":"+path)
	if err != nil || code != 0 {
		return 0, err
	}
	out, err := r.plain.Out(ctx, "blame", "--porcelain", "-w", "-M", in, "--", path)
	for line := range strings.Lines(out) {
		if strings.HasPrefix(line, hash+" ") {
			n++
		}
	}
	return n, err
}
