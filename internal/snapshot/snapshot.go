// Package snapshot keeps the whole state of a git worktree in one commit, and brings it back. Workers' trees and the turns of sessions are
// kept by the same code.
//
// # Invariants
//
//   - Looking and keeping change neither the index nor a file of the tree.
//   - A kept state is a commit in the shape of a stash. Plain git takes it: git stash apply --index COMMIT.
//   - Files that git ignores are never put into git's objects, as they hold secrets.
//
// What git itself does not keep is not kept: empty folders, modes other than the executable bit, times. Line ends and
// filters (git-lfs) are applied as in every commit.
package snapshot

import (
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"

	"aburn/internal/git"
)

// Tree is the worktree at Path, in which Git works.
type Tree struct {
	Git  *git.Git
	Path string
}

// maxLink bounds a file that names a folder, in bytes.
const maxLink = 8 << 10

// ReadSmall reads a regular file of at most so many bytes. An agent, or a repository, may have put anything there.
func ReadSmall(path string, most int64) (string, error) {
	st, err := os.Lstat(path)
	if err != nil {
		return "", err
	}
	if !st.Mode().IsRegular() || st.Size() > most {
		return "", fmt.Errorf("%s is no regular file of at most %d bytes", path, most)
	}
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0) // a pipe may stand there by now
	if err != nil {
		return "", err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, most))
	return string(text), err
}

// Entry is one line of git ls-files -v --stage --others -z.
type Entry struct {
	Path      string
	Mode      string // "" of what is not in the index
	Untracked bool
	Hidden    bool // a mark hides its changes from git
	Unmerged  bool
}

// Entries reads the lines of git ls-files -v --stage --others -z.
func Entries(list []string) []Entry {
	found := make([]Entry, 0, len(list))
	for _, line := range list {
		tag, rest, _ := strings.Cut(line, " ")
		if tag == "?" {
			found = append(found, Entry{Path: rest, Untracked: true})
			continue
		}
		about, path, _ := strings.Cut(rest, "\t") // mode, content, stage
		mode, _, _ := strings.Cut(about, " ")
		found = append(found, Entry{Path: path, Mode: mode, Hidden: tag == "S" || tag != strings.ToUpper(tag), Unmerged: !strings.HasSuffix(about, " 0")})
	}
	return found
}
