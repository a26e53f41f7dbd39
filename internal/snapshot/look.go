package snapshot

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

// MaxUntracked is the size in bytes above which an untracked file is left out of snapshots, diffs and comparisons. Its size is read
// before git is given the file: what is left out never reaches the repository's objects.
const MaxUntracked = 10 << 20

// Look is a worktree as one git status shows it.
type Look struct {
	Head      string
	Branch    string
	Unsure    bool   // Branch is not the name of a branch, as (detached) and (null), or may be none
	Upstream  string // of the branch, and how many commits that has beside; if they were counted
	Behind    int
	Staged    bool     // the index differs from Head
	Edited    bool     // files differ from the index
	Twice     bool     // a file differs both ways, and may be as Head has it
	Unmerged  []string // lines for update-index --index-info that give each path of an unfinished merge one entry
	Changes   []string // paths that differ from Head; repositories inside of the tree end in a slash
	Untracked []string // those of them that are files which git does not know
	Nested    []string // repositories inside of the tree that differ from Head, or that git does not know
	Ignored   []string // empty unless asked for
	says      string   // all of what git said
}

// ErrNoCommit says that the worktree's branch has no commit yet.
var ErrNoCommit = errors.New("it stands on no commit")

// Look asks git for the state of the tree. The index is a copy, or "" for the tree's own one.
func (t *Tree) Look(ctx context.Context, index string, ignored bool) (*Look, error) {
	g := t.Git
	if index != "" {
		g = g.With("GIT_INDEX_FILE=" + index)
	}
	args := []string{"status", "--porcelain=v2", "--branch", "--no-ahead-behind", "-z", "--no-renames", "--untracked-files=all", "--ignore-submodules=none"}
	if ignored {
		args = append(args, "--ignored=matching")
	}
	out, err := g.Out(ctx, args...)
	if err != nil {
		return nil, err
	}
	return ParseLook(out)
}

// ParseLook reads the output of git status --porcelain=v2 --branch -z. The error is ErrNoCommit on a branch without one.
func ParseLook(out string) (*Look, error) {
	l := &Look{says: out}
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
			if l.Changes = append(l.Changes, rest); strings.HasSuffix(rest, "/") { // of untracked files git gives only repositories as folders
				l.Nested = append(l.Nested, rest)
			} else {
				l.Untracked = append(l.Untracked, rest)
			}
		case "!":
			l.Ignored = append(l.Ignored, rest)
		default:
			ok = false
		}
		if !ok {
			return nil, fmt.Errorf("git's status is not understood: %q", line)
		}
	}
	if l.Head == "" {
		return nil, ErrNoCommit
	}
	return l, nil
}

func (l *Look) header(rest string) {
	if id, ok := strings.CutPrefix(rest, "branch.oid "); ok && id != "(initial)" {
		l.Head = id
	}
	if name, ok := strings.CutPrefix(rest, "branch.head "); ok {
		l.Branch, l.Unsure = name, strings.HasPrefix(name, "(") || strings.HasPrefix(name, "refs/")
	}
	if name, ok := strings.CutPrefix(rest, "branch.upstream "); ok {
		l.Upstream = name
	}
	if counts, ok := strings.CutPrefix(rest, "branch.ab "); ok {
		_, behind, _ := strings.Cut(counts, " -")
		l.Behind, _ = strconv.Atoi(behind)
	}
}

// ordinary reads XY sub mH mI mW hH hI path.
func (l *Look) ordinary(rest string) bool {
	part := strings.SplitN(rest, " ", 8)
	if len(part) != 8 || len(part[0]) != 2 {
		return false
	}
	staged, edited := part[0][0] != '.', part[0][1] != '.'
	l.Staged, l.Edited, l.Twice = l.Staged || staged, l.Edited || edited, l.Twice || staged && edited
	if part[1][0] == 'S' {
		l.Nested = append(l.Nested, part[7])
	}
	l.Changes = append(l.Changes, part[7])
	return true
}

// conflicted reads XY sub m1 m2 m3 mW h1 h2 h3 path.
func (l *Look) conflicted(rest string) bool {
	part := strings.SplitN(rest, " ", 10)
	if len(part) != 10 {
		return false
	}
	for _, side := range []int{1, 2, 0} { // ours, theirs, the base
		if mode, id := part[2+side], part[6+side]; strings.Trim(mode, "0") != "" {
			l.Unmerged = append(l.Unmerged, mode+" "+id+" 0\t"+part[9])
			break
		}
	}
	l.Edited, l.Twice = true, true
	l.Changes = append(l.Changes, part[9])
	return true
}

// tracked are the files that git knows and that differ.
func (l *Look) tracked() (list []string) {
	loose := map[string]bool{}
	for _, p := range l.Untracked {
		loose[p] = true
	}
	for _, p := range l.Changes {
		if !loose[p] && !strings.HasSuffix(p, "/") {
			list = append(list, p)
		}
	}
	return list
}

// Sized are the untracked files of at most most bytes, and those above; 0 takes all. One that went meanwhile is in neither.
func (t *Tree) Sized(l *Look, most int64) (small, large []string) {
	for _, path := range l.Untracked {
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

// Key names the state that a look shows: what git said, and what the system says of the index and of each file that is not as the
// index has it. index is its stamp from before the look, now the time of that. Files that changed so lately that a further change
// might not show give "", which equals no key.
func (t *Tree) Key(l *Look, index string, now time.Time) string {
	link := "" // of the main checkout, which has a folder there
	st, err := os.Lstat(filepath.Join(t.Path, ".git"))
	if err == nil && !st.IsDir() {
		link, err = ReadSmall(filepath.Join(t.Path, ".git"), maxLink)
	}
	if err != nil || index == "" {
		return ""
	}
	h := sha256.New()
	fmt.Fprintf(h, "%q %q %s\n", l.says, link, index)
	for _, path := range l.Changes {
		says, ok := Stamp(filepath.Join(t.Path, filepath.FromSlash(path)), now)
		if !ok {
			return ""
		}
		fmt.Fprintf(h, "%s\n", says)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// Stamp is what the system says of a file, "" of one that is not there. ok is false if it may change and say the same, or if it is a
// folder, of whose files this says nothing.
func Stamp(path string, now time.Time) (says string, ok bool) {
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

// Changed is when a file or what is known of it changed last; no program can set that. false where the system does not say.
func Changed(info fs.FileInfo) (time.Time, bool) {
	changed, _, ok := identity(info)
	return changed, ok
}
