package tree

import (
	"context"
	"os"
	"path/filepath"
	"strings"
)

// Exclude has the person's checkouts ignore the folder in which a worktree will lie, if it lies in one of them. The repository's
// own info/exclude says so, which no commit holds.
func (r *Repo) Exclude(ctx context.Context, path string) error {
	for _, root := range []string{r.Root, r.Main} {
		rel, err := filepath.Rel(root, filepath.Dir(path))
		if err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
			continue
		}
		rel = filepath.ToSlash(rel)
		if rel == "." || rel == ".git" || strings.HasPrefix(rel, ".git/") {
			return &Problem{"worktrees cannot lie in " + filepath.Dir(path) + " itself", "dir: a folder of their own, such as .trees"}
		}
		return r.exclude(ctx, root, rel)
	}
	return nil
}

func (r *Repo) exclude(ctx context.Context, root, rel string) error {
	g := r.g.At(root)
	tracked, err := g.List(ctx, "ls-files", "-z", "--", rel)
	if err != nil {
		return err
	}
	if len(tracked) > 0 {
		return &Problem{"git has files of " + rel + ", so no worktrees can lie there: " + tracked[0], "dir: a folder of their own, such as .trees"}
	}
	if done, err := ignores(ctx, g, []string{rel + "/"}); err != nil || len(done) > 0 {
		return err
	}
	file, err := g.Out(ctx, "rev-parse", "--path-format=absolute", "--git-path", "info/exclude")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	f, err := os.OpenFile(file, os.O_CREATE|os.O_APPEND|os.O_RDWR, 0o644)
	if err != nil {
		return err
	}
	defer f.Close()
	line := "/" + strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(rel) + "/\n"
	if st, err := f.Stat(); err == nil && st.Size() > 0 {
		last := make([]byte, 1)
		if _, err := f.ReadAt(last, st.Size()-1); err == nil && last[0] != '\n' {
			line = "\n" + line
		}
	}
	_, err = f.WriteString(line)
	return err
}
