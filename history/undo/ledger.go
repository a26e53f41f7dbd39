package undo

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"aburn/internal/atomicfile"
	"aburn/internal/git"
	"aburn/internal/snapshot"
)

// The refs of a worktree's undo: the one that is being written, and the last one that is complete.
const (
	PendingRef = "refs/worktree/aburn/undo-pending"
	DoneRef    = "refs/worktree/aburn/undo-done"
)

// Plan is an undo as it is kept under a ref, with all bytes before and after it.
//
// The ref names a commit with the tree plan (JSON), from/N and to/N (the bytes of the move N). Its parent is the snapshot of the state before,
// which so stays as long as the plan.
type Plan struct {
	Session string `json:"session"`
	To      string `json:"to"`     // ref of the snapshot that it goes back to
	Before  string `json:"before"` // ref of the snapshot of the state before
	Redo    bool   `json:"redo,omitempty"`
	Steps   []Step `json:"steps"`
	Moves   []Move `json:"-"`

	Commit string     `json:"-"`
	Kept   []keptMove `json:"moves"`
}

type keptMove struct {
	Path     string `json:"path"`
	From, To string // modes; "" is no file
}

// durable is a git whose objects and refs survive a power cut.
func durable(g *git.Git) *git.Git {
	return g.With("GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=core.fsync", "GIT_CONFIG_VALUE_0=all")
}

// Keep puts a plan under PendingRef. It fails if there is one already.
func (s *Store) Keep(ctx context.Context, p *Plan, parent string) error {
	s.next++
	dir := filepath.Join(s.Scratch, "plan"+strconv.Itoa(s.next))
	if err := os.Mkdir(dir, 0o700); err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	var files, names []string
	add := func(name string, text []byte) error {
		file := filepath.Join(dir, strconv.Itoa(len(files)))
		files, names = append(files, file), append(names, name)
		return os.WriteFile(file, text, 0o600)
	}
	p.Kept = nil
	for i, m := range p.Moves {
		p.Kept = append(p.Kept, keptMove{m.Path, m.From.Mode, m.To.Mode})
		for name, c := range map[string]Content{"from/": m.From, "to/": m.To} {
			if c.Mode != "" {
				if err := add(name+strconv.Itoa(i), c.Text); err != nil {
					return err
				}
			}
		}
	}
	text, err := json.Marshal(p)
	if err != nil {
		return err
	}
	if err := add("plan", text); err != nil {
		return err
	}
	g := s.Tree.Git
	objects, err := s.Tree.Git.Out(ctx, "rev-parse", "--path-format=absolute", "--git-path", "objects")
	if err != nil {
		return err
	}
	root, err := os.OpenRoot(objects)
	if err != nil {
		return err
	}
	defer root.Close()
	if !atomicfile.SyncsAll {
		g = durable(g)
	}
	g = g.With("GIT_INDEX_FILE=" + filepath.Join(dir, "index"))
	out, err := g.Feed(ctx, strings.Join(files, "\n")+"\n", "hash-object", "-w", "--no-filters", "--stdin-paths")
	ids := strings.Split(out, "\n")
	if err != nil || len(ids) != len(names) {
		return fmt.Errorf("git wrote %d of %d files: %w", len(ids), len(names), err)
	}
	var in strings.Builder
	for i, id := range ids {
		in.WriteString("100644 " + id + " 0\t" + names[i] + "\x00")
	}
	if _, err := g.Feed(ctx, in.String(), "update-index", "-z", "--index-info"); err != nil {
		return err
	}
	tree, err := g.Out(ctx, "write-tree")
	if err != nil {
		return err
	}
	p.Commit, err = g.Out(ctx, "-c", "user.name=aburn", "-c", "user.email=aburn@localhost", "commit-tree", "-p", parent, "-m", "aburn: undo", tree)
	if err != nil {
		return err
	}
	if err := atomicfile.SyncAll(root); err != nil {
		return err
	}
	_, err = durable(s.Tree.Git).Out(ctx, "update-ref", PendingRef, p.Commit, strings.Repeat("0", len(p.Commit)))
	return err
}

// Load reads the plan under a ref; nil if there is none.
func (s *Store) Load(ctx context.Context, ref string) (*Plan, error) {
	if !snapshot.Taken(ctx, s.Tree.Git, ref) {
		return nil, nil
	}
	commit, err := s.Tree.Git.Out(ctx, "rev-parse", "--verify", "--quiet", ref)
	if err != nil {
		return nil, err
	}
	texts, err := s.blobs(ctx, commit, []string{"plan"})
	if err != nil {
		return nil, err
	}
	p := &Plan{Commit: commit}
	if err := json.Unmarshal(texts[0], p); err != nil {
		return nil, fmt.Errorf("%s is no plan: %w", ref, err)
	}
	var names []string
	for i, k := range p.Kept {
		if outside(k.Path) {
			return nil, fmt.Errorf("%s names a path outside of the worktree: %q", ref, k.Path)
		}
		if k.From != "" {
			names = append(names, "from/"+strconv.Itoa(i))
		}
		if k.To != "" {
			names = append(names, "to/"+strconv.Itoa(i))
		}
	}
	if texts, err = s.blobs(ctx, commit, names); err != nil {
		return nil, err
	}
	for _, k := range p.Kept {
		m := Move{Path: k.Path, From: Content{Mode: k.From}, To: Content{Mode: k.To}}
		for _, c := range []*Content{&m.From, &m.To} {
			if c.Mode != "" {
				c.Text, texts = texts[0], texts[1:]
			}
		}
		p.Moves = append(p.Moves, m)
	}
	return p, nil
}

// blobs reads files of a commit.
func (s *Store) blobs(ctx context.Context, commit string, names []string) (texts [][]byte, err error) {
	if len(names) == 0 {
		return nil, nil
	}
	var in strings.Builder
	for _, n := range names {
		in.WriteString(commit + ":" + n + "\n")
	}
	out, err := s.Tree.Git.Feed(ctx, in.String(), "cat-file", "--batch")
	if err != nil {
		return nil, err
	}
	for _, n := range names {
		head, rest, _ := strings.Cut(out, "\n")
		words := strings.Fields(head)
		if len(words) != 3 || words[1] != "blob" {
			return nil, fmt.Errorf("%w: %s of an undo", ErrMissing, n)
		}
		size, err := strconv.Atoi(words[2])
		if err != nil || size > len(rest) {
			return nil, fmt.Errorf("%w: %s of an undo", ErrMissing, n)
		}
		texts = append(texts, []byte(rest[:size]))
		out = strings.TrimPrefix(rest[size:], "\n")
	}
	return texts, nil
}

// Finish names the plan that was pending as the last one, or none after a redo.
func (s *Store) Finish(ctx context.Context, p *Plan, taken bool) error {
	if p.Commit == "" {
		return nil // nothing was written
	}
	in := "start\n"
	if taken {
		in += "delete " + DoneRef + "\n"
	} else {
		in += "update " + DoneRef + " " + p.Commit + "\n"
	}
	in += "delete " + PendingRef + " " + p.Commit + "\nprepare\ncommit\n"
	_, err := durable(s.Tree.Git).Feed(ctx, in, "update-ref", "--stdin")
	return err
}

// Moves are the file changes of steps. A file that isn't any more what the snapshot of now has becomes a step that is left.
func (s *Store) Moves(ctx context.Context, root *os.Root, steps []Step) (moves []Move, err error) {
	old, now := map[string]File{}, map[string]File{}
	for _, st := range steps {
		if st.Action != Leave && st.Action != Merge {
			old[st.Path] = st.To
		}
		if st.Action != Leave {
			now[st.Path] = st.From
		}
	}
	if err := s.Read(ctx, old); err != nil {
		return nil, err
	}
	if err := s.Read(ctx, now); err != nil {
		return nil, err
	}
	for i := range steps {
		st := &steps[i]
		if st.Action == Leave {
			continue
		}
		if outside(st.Path) {
			return nil, fmt.Errorf("a snapshot names a path outside of the worktree: %q", st.Path)
		}
		m := Move{Path: st.Path, To: Content{Mode: st.To.Mode, Text: st.text}}
		if st.Action != Merge && st.To.Exists() {
			if m.To.Text, err = s.Bytes(ctx, st.Path, st.To); err != nil {
				return nil, err
			}
		}
		if m.From, err = contentAt(root, filepath.FromSlash(st.Path)); err != nil || m.From.Mode != st.From.Mode {
			if !(err == errFolder && !st.From.Exists()) { // a folder may be empty by then
				*st = left(*st, Conflict, "it changed meanwhile")
				continue
			}
			m.From = Content{}
		}
		if st.From.Exists() {
			// Line ends and filters may make other bytes of the same object: then its object says whether it is the same.
			if same, err := s.same(ctx, st.Path, st.From, m.From); err != nil || !same {
				*st = left(*st, Conflict, "it changed meanwhile")
				continue
			}
		}
		moves = append(moves, m)
	}
	return moves, nil
}

// same reports whether bytes of the worktree are a file of a snapshot.
func (s *Store) same(ctx context.Context, p string, f File, c Content) (bool, error) {
	text, err := s.Bytes(ctx, p, f)
	if err == nil && string(text) == string(c.Text) {
		return true, nil
	}
	if !f.isRegular() {
		return false, nil
	}
	id, err := s.Tree.Git.Feed(ctx, string(c.Text), "hash-object", "--path="+p, "--stdin")
	return id == f.ID, err
}

// AbandonPending forgets a plan of which nothing has to be written any more.
func (s *Store) AbandonPending(ctx context.Context, p *Plan) error {
	_, err := durable(s.Tree.Git).Out(ctx, "update-ref", "-d", PendingRef, p.Commit)
	return err
}
