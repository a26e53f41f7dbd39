// Package turns keeps a snapshot of a session's worktree around each of its turns, so that `aburn undo` can take back what the session
// changed.
//
// # Promises
//
//   - Taking one changes no file of the worktree and not its index. What git ignores, and aburn's own folder, are in none.
//   - A snapshot of a prompt holds the state before the turn's first call that may write, or there is none. Hook and helper agree by one
//     file (hooks/pending.go): whoever removes it decides. The helper removes it when the objects are written, the hook when it waits no longer.
//   - The newest ten stay, and no other stays for more than 30 days or once all of them take more than 1 GiB.
//
// # Order
//
// One helper of a worktree works at a time (lock), and calls record before the next one begins. So the order of SNAPSHOT entries in the log is
// the order of the states.
package turns

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"aburn/internal/atomicfile"
	"aburn/internal/git"
	"aburn/internal/lockfile"
	"aburn/internal/snapshot"
)

// Refs is the name below which the snapshots of all sessions are: Refs/SESSION/NUMBER.
const Refs = "refs/aburn/turns"

const (
	lockName = "lock"
	lockWait = 30 * time.Second
	tooOld   = 30 * 24 * time.Hour
	tooLarge = 1 << 30 // bytes that only snapshots need
	always   = 10      // snapshots that stay whatever their age and size
	litter   = time.Hour
)

// Place is a worktree of a project.
type Place struct {
	Files *os.Root // the project's folder for snapshots
	Dir   string   // a folder in the worktree
	Git   *git.Git
	Now   time.Time
}

// Taken is a snapshot.
type Taken struct {
	Commit, Ref string
	Same        bool // an earlier snapshot's state
	Skipped     []string
	At          time.Time // when aburn began to look
}

// last is the newest snapshot of a worktree, in a file of Dir.
type last struct {
	Commit  string `json:"commit"`
	Ref     string `json:"ref"`
	Trees   string `json:"trees"`
	Head    string `json:"head"`
	Tree    string `json:"tree"`
	Plain   string `json:"plain,omitempty"`
	Key     string `json:"key,omitempty"`
	Skipped []string
	Expired time.Time `json:"expired"` // when old ones were last dropped
}

// ErrLate says that somebody removed the pending file before the snapshot was complete.
var ErrLate = errors.New("the turn went on before the snapshot was complete")

// Take takes a snapshot of the worktree and names it below session. inTime, unless nil, is called when the state is written and before it gets
// a name; false drops it with ErrLate. record is called before another helper may begin.
func Take(ctx context.Context, p Place, session string, inTime func() bool, record func(Taken) error) (t Taken, err error) {
	lock, err := lockfile.Acquire(p.Files, lockName, lockWait)
	if err != nil {
		return t, err
	}
	defer lock.Release()
	scratch := p.Files.Name()
	p.sweep()
	tree, index, err := Open(ctx, p.Git.At(p.Dir))
	if err != nil {
		return t, err
	}
	name := "last-" + snapshot.ObjectID(40, "blob", tree.Path)[:16] + ".json"
	before := p.read(name)
	t.At = time.Now()
	x, err := snapshot.CopyIndex(scratch, index)
	if err != nil {
		return t, err
	}
	defer x.Remove()
	if x.Look, err = tree.Look(ctx, x.Work, false); err != nil {
		return t, err
	}
	x.Look.Untracked, x.Look.Changes = withoutOwn(x.Look.Untracked), withoutOwn(x.Look.Changes)
	now := last{Commit: before.Commit, Ref: before.Ref, Head: x.Look.Head, Expired: before.Expired}
	known := before.Commit != "" && snapshot.Taken(ctx, tree.Git, before.Ref)
	if known && before.Key != "" && before.Head == x.Look.Head && before.Key == tree.Key(x.Look, x.Stamp, x.At) {
		now, t.Same = before, true
	} else if err := p.write(ctx, tree, x, &before, &now, &t, known, scratch); err != nil {
		return t, err
	}
	t.Commit, t.Skipped = now.Commit, now.Skipped
	if inTime != nil && !inTime() {
		return t, ErrLate
	}
	if t.Same {
		now.Ref = before.Ref
	} else if now.Ref, err = tree.Name(ctx, snapshot.Refs{Below: Refs + "/" + RefName(session), Next: next(ctx, tree.Git, session)}, now.Commit); err != nil {
		return t, err
	}
	t.Ref = now.Ref
	if err := record(t); err != nil {
		return t, err
	}
	if p.Now.Sub(now.Expired) > 24*time.Hour {
		Expire(ctx, tree.Git, p.Now, now.Ref)
		now.Expired = p.Now
	}
	return t, p.keep(name, &now)
}

// write puts the state into the objects, unless the last snapshot has it.
func (p *Place) write(ctx context.Context, tree *snapshot.Tree, x *snapshot.Index, before, now *last, t *Taken, known bool, scratch string) error {
	treeID := ""
	if before.Head == x.Look.Head {
		treeID = before.Tree
	}
	w, err := tree.Write(ctx, x, x.Look.Head, treeID, snapshot.MaxUntracked, before.Plain)
	if err != nil {
		return err
	}
	now.Trees, now.Tree, now.Plain, now.Key, now.Skipped = w.Trees.String(), w.Commit, w.Plain, w.Key, w.Skipped()
	if t.Same = known && before.Trees == now.Trees; t.Same {
		return nil // now has the commit of before
	}
	kept, err := tree.Keep(ctx, scratch, snapshot.Refs{}, w)
	now.Commit = kept.Commit
	return err
}

// withoutOwn takes aburn's own files off a list.
func withoutOwn(paths []string) []string {
	return slices.DeleteFunc(paths, IsOwn)
}

// IsOwn reports whether a path is in aburn's own folder of a project.
func IsOwn(path string) bool {
	return strings.HasPrefix(path, ".oss/") || strings.Contains(path, "/.oss/")
}

// Open opens the worktree around the folder of g, and finds its index. The errors say why there can be no snapshot.
func Open(ctx context.Context, g *git.Git) (*snapshot.Tree, string, error) {
	out, err := g.Out(ctx, "rev-parse", "--path-format=absolute", "--show-toplevel", "--git-path", "index")
	var failed *git.Error
	switch {
	case errors.As(err, &failed) && strings.Contains(failed.Text, "dubious ownership"):
		return nil, "", fmt.Errorf("%w: %s", ErrOwner, g.Dir)
	case errors.As(err, &failed):
		return nil, "", fmt.Errorf("%w: %s", ErrNoWorktree, g.Dir)
	case err != nil:
		return nil, "", err
	}
	root, index, ok := strings.Cut(out, "\n")
	if !ok || strings.Contains(index, "\n") {
		return nil, "", fmt.Errorf("%w: %s", ErrNoWorktree, g.Dir)
	}
	return &snapshot.Tree{Git: g.At(filepath.Clean(root)), Path: filepath.Clean(root)}, index, nil
}

// Why a folder can have no snapshots.
var (
	ErrNoWorktree = errors.New("not in a git worktree")
	ErrOwner      = errors.New("another user owns the repository")
)

// RefName is a session's id as a part of a ref's name.
func RefName(session string) string {
	name := []byte(session)
	for i, c := range name {
		if (c < '0' || c > '9') && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z') && (c != '-' || i == 0) {
			name[i] = '_'
		}
	}
	return string(name[:min(len(name), 128)])
}

// next is the number after the newest snapshot of a session.
func next(ctx context.Context, g *git.Git, session string) int {
	out, _ := g.Out(ctx, "for-each-ref", "--format=%(refname)", Refs+"/"+RefName(session))
	most := 0
	for line := range strings.Lines(out) {
		n, _ := strconv.Atoi(strings.TrimSpace(line[strings.LastIndexByte(line, '/')+1:]))
		most = max(most, n)
	}
	return most + 1
}

func (p *Place) read(name string) (l last) {
	data, err := p.Files.ReadFile(name)
	if err != nil || json.Unmarshal(data, &l) != nil {
		return last{}
	}
	return l
}

func (p *Place) keep(name string, l *last) error {
	data, err := json.Marshal(l)
	if err != nil {
		return err
	}
	return atomicfile.WriteRoot(p.Files, name, data, 0o600, atomicfile.Options{})
}

// sweep removes what a killed helper left.
func (p *Place) sweep() {
	list, _ := fs.ReadDir(p.Files.FS(), ".")
	for _, one := range list {
		if info, err := one.Info(); err == nil && strings.HasPrefix(one.Name(), ".") && p.Now.Sub(info.ModTime()) > litter {
			p.Files.RemoveAll(one.Name())
		}
	}
}

// Expire drops the names of old snapshots, but not of the one that is in use. git's own gc removes the objects.
func Expire(ctx context.Context, g *git.Git, now time.Time, inUse string) {
	out, err := g.Out(ctx, "for-each-ref", "--sort=-committerdate", "--format=%(refname) %(objectname) %(committerdate:unix)", Refs)
	if err != nil || out == "" {
		return
	}
	type named struct {
		ref, commit string
		at          time.Time
	}
	var list []named
	for line := range strings.Lines(out) {
		if words := strings.Fields(line); len(words) == 3 {
			seconds, _ := strconv.ParseInt(words[2], 10, 64)
			list = append(list, named{words[0], words[1], time.Unix(seconds, 0)})
		}
	}
	drop := func(n named) {
		if n.ref != inUse {
			g.Code(ctx, "update-ref", "-d", n.ref, n.commit)
		}
	}
	for len(list) > always && now.Sub(list[len(list)-1].at) > tooOld {
		drop(list[len(list)-1])
		list = list[:len(list)-1]
	}
	for len(list) > always && size(ctx, g) > tooLarge {
		for half := max(always, len(list)/2); len(list) > half; list = list[:len(list)-1] {
			drop(list[len(list)-1])
		}
	}
}

// size is how many bytes only snapshots need.
func size(ctx context.Context, g *git.Git) int64 {
	out, err := g.Out(ctx, "rev-list", "--objects", "--disk-usage", "--glob="+Refs, "--not", "--branches", "--tags", "--remotes", "HEAD")
	if err != nil {
		return 0
	}
	n, _ := strconv.ParseInt(out, 10, 64)
	return n
}
