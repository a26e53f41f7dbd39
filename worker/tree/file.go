package tree

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
)

// ErrLong says that a file of a commit has more bytes than anybody wants to read.
var ErrLong = errors.New("it is too long")

// FileAt is a regular file of a commit, by its path from the repository's root. The error is fs.ErrNotExist if the commit has none
// there, ErrLong above most bytes.
func (r *Repo) FileAt(ctx context.Context, commit, path string, most int) (string, error) {
	list, err := r.g.List(ctx, "ls-tree", "-l", "-z", "--full-tree", commit, "--", path)
	if err != nil {
		return "", err
	}
	for _, entry := range list {
		about, name, _ := strings.Cut(entry, "\t")
		part := strings.Fields(about) // mode, type, id, size
		if name != path || len(part) != 4 {
			continue
		}
		if part[1] != "blob" || part[0] == "120000" {
			return "", fmt.Errorf("%s is no regular file", path)
		}
		if size, err := strconv.Atoi(part[3]); err != nil || size > most {
			return "", ErrLong
		}
		return r.g.Out(ctx, "cat-file", "blob", part[2])
	}
	return "", fs.ErrNotExist
}
