package commits

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"aburn/internal/git"
)

// Blamed are following lines of a file that came with one commit.
type Blamed struct {
	From, To int
	Commit   string // "" if they aren't committed
	Path     string // in that commit
}

// Blame says with which commit each line of a file came, without changes of white space. From 0 means the whole file.
func (r *Repo) Blame(ctx context.Context, path string, from, to int) (list []Blamed, err error) {
	args := []string{"blame", "--porcelain", "-w"}
	if from > 0 {
		args = append(args, fmt.Sprintf("-L%d,%d", from, to))
	}
	out, err := r.plain.Out(ctx, append(args, "--", path)...)
	var failed *git.Error
	if errors.As(err, &failed) && (strings.Contains(failed.Text, "no such path") || strings.Contains(failed.Text, "no such ref")) {
		return []Blamed{{From: max(from, 1), To: to}}, nil // not in HEAD, or no commit yet
	}
	if err != nil {
		return nil, err
	}
	paths := map[string]string{}
	commit := ""
	for line := range strings.Lines(out) {
		line = strings.TrimSuffix(line, "\n")
		if strings.HasPrefix(line, "\t") {
			commit = ""
			continue
		}
		if name, ok := strings.CutPrefix(line, "filename "); ok && commit != "" {
			paths[commit] = unquote(name)
			continue
		}
		words := strings.Fields(line)
		if commit != "" || len(words) < 3 || len(words[0]) < 40 {
			continue
		}
		n, err := strconv.Atoi(words[2])
		if err != nil {
			return nil, fmt.Errorf("git blame: %q", line)
		}
		commit = words[0]
		if last := len(list) - 1; last >= 0 && list[last].Commit == commit && list[last].To == n-1 {
			list[last].To = n
		} else {
			list = append(list, Blamed{From: n, To: n, Commit: commit})
		}
	}
	for i := range list {
		list[i].Path = paths[list[i].Commit]
		if strings.Trim(list[i].Commit, "0") == "" {
			list[i].Commit = ""
		}
	}
	return list, nil
}

// unquote reads a path as git prints it: in quotes, with C's escapes, if it has unusual characters.
func unquote(name string) string {
	if text, err := strconv.Unquote(name); err == nil && strings.HasPrefix(name, `"`) {
		return text
	}
	return name
}

// Shallow reports whether a commit is where a shallow clone's history is cut: its lines may be older.
func (r *Repo) Shallow(hash string) bool {
	text, err := os.ReadFile(filepath.Join(r.common, "shallow"))
	return err == nil && slices.Contains(strings.Fields(string(text)), hash)
}
