package tree

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"aburn/internal/git"
)

// maxUntracked is the size in bytes above which an untracked file is left out of snapshots, diffs and comparisons. Its size is read
// before git is given the file: what is left out never reaches the repository's objects.
const maxUntracked = 10 << 20

// look is a tree as one git status shows it.
type look struct {
	head      string
	branch    string
	unsure    bool   // branch is not the name of a branch, as (detached) and (null), or may be none
	upstream  string // of the branch, and how many commits that has beside; if they were counted
	behind    int
	staged    bool     // the index differs from head
	edited    bool     // files differ from the index
	twice     bool     // a file differs both ways, and may be as head has it
	unmerged  []string // lines for update-index --index-info that give each path of an unfinished merge one entry
	changes   []string // paths that differ from head; repositories inside of the tree end in a slash
	untracked []string // those of them that are files which git does not know
	nested    []string // repositories inside of the tree that differ from head, or that git does not know
	ignored   []string // empty unless asked for
	says      string   // all of what git said
}

// look asks git for the state of the tree. The index is a copy, or "" for the tree's own one.
func (t *Tree) look(ctx context.Context, index string, ignored bool) (*look, error) {
	if st, err := os.Lstat(filepath.Join(t.Path, ".git")); err != nil || !st.Mode().IsRegular() {
		return nil, ErrGone
	}
	g := t.g
	if index != "" {
		g = g.With("GIT_INDEX_FILE=" + index)
	}
	args := []string{"status", "--porcelain=v2", "--branch", "--no-ahead-behind", "-z", "--no-renames", "--untracked-files=all", "--ignore-submodules=none"}
	if ignored {
		args = append(args, "--ignored=matching")
	}
	out, err := g.Out(ctx, args...)
	if err != nil {
		if _, gone := t.here(ctx, ""); gone != nil {
			err = gone
		}
		return nil, err
	}
	return t.parseLook(out)
}

func (t *Tree) parseLook(out string) (*look, error) {
	l := &look{says: out}
	for _, line := range git.SplitNul(out) {
		kind, rest, _ := strings.Cut(line, " ")
		ok := true
		switch kind {
		case "#":
			l.header(rest)
		case "1":
			ok = l.ordinary(rest)
		case "u":
			ok = l.conflicted(rest)
		case "?":
			if l.changes = append(l.changes, rest); strings.HasSuffix(rest, "/") { // of untracked files git gives only repositories as folders
				l.nested = append(l.nested, rest)
			} else {
				l.untracked = append(l.untracked, rest)
			}
		case "!":
			l.ignored = append(l.ignored, rest)
		default:
			ok = false
		}
		if !ok {
			return nil, fmt.Errorf("git's status is not understood: %q", line)
		}
	}
	if l.head == "" {
		return nil, &Problem{fmt.Sprintf("%s stands on no commit", t.Path), "git -C " + t.Path + " status"}
	}
	return l, nil
}

func (l *look) header(rest string) {
	if id, ok := strings.CutPrefix(rest, "branch.oid "); ok && id != "(initial)" {
		l.head = id
	}
	if name, ok := strings.CutPrefix(rest, "branch.head "); ok {
		l.branch, l.unsure = name, strings.HasPrefix(name, "(") || strings.HasPrefix(name, "refs/")
	}
	if name, ok := strings.CutPrefix(rest, "branch.upstream "); ok {
		l.upstream = name
	}
	if counts, ok := strings.CutPrefix(rest, "branch.ab "); ok {
		_, behind, _ := strings.Cut(counts, " -")
		l.behind, _ = strconv.Atoi(behind)
	}
}

// ordinary reads XY sub mH mI mW hH hI path.
func (l *look) ordinary(rest string) bool {
	part := strings.SplitN(rest, " ", 8)
	if len(part) != 8 || len(part[0]) != 2 {
		return false
	}
	staged, edited := part[0][0] != '.', part[0][1] != '.'
	l.staged, l.edited, l.twice = l.staged || staged, l.edited || edited, l.twice || staged && edited
	if part[1][0] == 'S' {
		l.nested = append(l.nested, part[7])
	}
	l.changes = append(l.changes, part[7])
	return true
}

// conflicted reads XY sub m1 m2 m3 mW h1 h2 h3 path.
func (l *look) conflicted(rest string) bool {
	part := strings.SplitN(rest, " ", 10)
	if len(part) != 10 {
		return false
	}
	for _, side := range []int{1, 2, 0} { // ours, theirs, the base
		if mode, id := part[2+side], part[6+side]; strings.Trim(mode, "0") != "" {
			l.unmerged = append(l.unmerged, mode+" "+id+" 0\t"+part[9])
			break
		}
	}
	l.edited, l.twice = true, true
	l.changes = append(l.changes, part[9])
	return true
}

// sized are the untracked files of at most most bytes, and those above; 0 takes all. One that went meanwhile is in neither.
func (t *Tree) sized(l *look, most int64) (small, large []string) {
	for _, path := range l.untracked {
		switch st, err := os.Lstat(filepath.Join(t.Path, filepath.FromSlash(path))); {
		case errors.Is(err, fs.ErrNotExist):
		case err == nil && most > 0 && st.Size() > most:
			large = append(large, path)
		default:
			small = append(small, path)
		}
	}
	return small, large
}

// key names the state that a look shows: what git said, and what the system says of the index and of each file that is not as the
// index has it. index is its stamp from before the look, now the time of that. Files that changed so lately that a further change
// might not show give "", which equals no key.
func (t *Tree) key(l *look, index string, now time.Time) string {
	link, err := small(filepath.Join(t.Path, ".git"), maxLink)
	if err != nil || index == "" {
		return ""
	}
	h := sha256.New()
	fmt.Fprintf(h, "%q %q %s\n", l.says, link, index)
	for _, path := range l.changes {
		says, ok := stamp(filepath.Join(t.Path, filepath.FromSlash(path)), now)
		if !ok {
			return ""
		}
		fmt.Fprintf(h, "%s\n", says)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// stamp is what the system says of a file, "" of one that is not there. ok is false if it may change and say the same, or if it is a
// folder, of whose files this says nothing.
func stamp(path string, now time.Time) (says string, ok bool) {
	st, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", true
	}
	if err != nil || st.IsDir() {
		return "", false
	}
	changed, inode, ok := identity(st)
	if !ok || fresh(changed, now) || fresh(st.ModTime(), now) {
		return "", false
	}
	return fmt.Sprint(st.Mode(), st.Size(), st.ModTime().UnixNano(), changed.UnixNano(), inode), true
}

// fresh reports whether a file with this time may be changed once more and get the same time. File systems count in ticks of at most
// 10 ms, or in seconds, or two of them.
func fresh(at, now time.Time) bool {
	tick := 20 * time.Millisecond
	if at.Nanosecond()%int(time.Millisecond) == 0 {
		tick = 2 * time.Second
	}
	return at.Add(tick).After(now)
}
