package undo

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"aburn/internal/git"
	lab "aburn/internal/lab/world"
	"aburn/internal/snapshot"
)

// world is a repository with folders of which each is a case of its own: two sessions and a person work in all of them at once. Each line that
// somebody writes is new and begins with who wrote it: a is the session that is undone, b another one, p the person.
type world struct {
	testing.TB
	rnd     *rand.Rand
	dir     string
	store   *Store
	at      time.Time
	lines   int
	times   map[string]Times
	calls   []Call
	states  []Snapshot
	touched map[string]map[string]bool // path → who changed it since the first state
	tools   map[string]bool            // paths that a changed by edits alone
	risky   bool
	seed    uint64
}

const cells = 100

func newWorld(t testing.TB, seed uint64) *world {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	t.Setenv("HOME", t.TempDir())
	t.Setenv("XDG_CONFIG_HOME", "")
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := &world{TB: t, rnd: rand.New(rand.NewPCG(seed, 7)), dir: dir, at: time.Now().Add(-time.Hour), times: map[string]Times{}, seed: seed,
		touched: map[string]map[string]bool{}, tools: map[string]bool{}}
	w.store = &Store{Tree: &snapshot.Tree{Git: git.In(dir, os.Environ()), Path: dir}, Scratch: t.TempDir()}
	w.git("init", "-q", "-b", "main")
	w.git("config", "user.name", "T")
	w.git("config", "user.email", "t@example.com")
	return w
}

func (w *world) git(args ...string) string {
	w.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = w.dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		w.Fatalf("git %q: %v: %s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func (w *world) must(err error) {
	w.Helper()
	if err != nil {
		w.Fatalf("seed %d: %v", w.seed, err)
	}
}

func (w *world) tick() time.Time {
	w.at = w.at.Add(time.Second)
	return w.at
}

// snap takes a snapshot, as a helper does.
func (w *world) snap() {
	w.Helper()
	at := w.tick()
	x, err := snapshot.CopyIndex(w.store.Scratch, filepath.Join(w.dir, ".git", "index"))
	w.must(err)
	defer x.Remove()
	x.Look, err = w.store.Tree.Look(w.Context(), x.Work, false)
	w.must(err)
	written, err := w.store.Tree.Write(w.Context(), x, x.Look.Head, "", snapshot.MaxUntracked, "")
	w.must(err)
	refs := snapshot.Refs{Below: "refs/aburn/turns/a", Next: len(w.states) + 1}
	k, err := w.store.Tree.Keep(w.Context(), w.store.Scratch, refs, written)
	w.must(err)
	w.states = append(w.states, Snapshot{k.Ref, k.Commit, at})
}

func (w *world) line(who string) string {
	w.lines++
	return fmt.Sprintf("%s%d", who, w.lines)
}

// files are the files and links of a cell.
func (w *world) files(cell string) (list []string) {
	filepath.WalkDir(filepath.Join(w.dir, cell), func(p string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			rel, _ := filepath.Rel(w.dir, p)
			list = append(list, filepath.ToSlash(rel))
		}
		return nil
	})
	return list
}

func (w *world) path(p string) string { return filepath.Join(w.dir, filepath.FromSlash(p)) }

// note notes that somebody changed a path at a time, with a tool that edits or not.
func (w *world) note(who, p string, at time.Time, tool bool) {
	if w.touched[p] == nil {
		w.touched[p] = map[string]bool{}
		w.tools[p] = true
	}
	w.touched[p][who] = true
	w.tools[p] = w.tools[p] && tool
	w.times[p] = Times{at, at}
	for dir := path.Dir(p); ; dir = path.Dir(dir) {
		w.times[dir] = Times{at, at}
		if _, err := os.Lstat(w.path(dir)); err == nil || dir == "." {
			return
		}
	}
}

// rewrite adds, replaces or removes lines.
func (w *world) rewrite(who, p string) {
	text, _ := os.ReadFile(w.path(p))
	lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	if len(text) == 0 {
		lines = nil
	}
	for range 1 + w.rnd.IntN(2) {
		switch at := w.rnd.IntN(len(lines) + 1); {
		case at < len(lines) && who == "a" && w.rnd.IntN(2) == 0:
			lines[at] = w.line(who)
		default:
			lines = slices.Insert(lines, at, w.line(who))
		}
	}
	w.must(os.MkdirAll(filepath.Dir(w.path(p)), 0o755))
	w.must(os.WriteFile(w.path(p), []byte(strings.Join(lines, "\n")+"\n"), 0o644))
}

func (w *world) sum(p string) string {
	text, err := os.ReadFile(w.path(p))
	if err != nil {
		return "none"
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// regular chooses a file of a cell, or a new name.
func (w *world) regular(cell string) string {
	var list []string
	for _, p := range w.files(cell) {
		if st, err := os.Lstat(w.path(p)); err == nil && st.Mode().IsRegular() {
			list = append(list, p)
		}
	}
	if i := w.rnd.IntN(len(list) + 1); i < len(list) {
		return list[i]
	}
	return cell + "/" + []string{"new", "d/new", "e/f/new"}[w.rnd.IntN(3)] + w.line("")
}

// edit is a call of a tool that edits one file.
func (w *world) edit(who, cell string) {
	p, start := w.regular(cell), w.tick()
	c := Call{Session: who, Start: start, End: start.Add(500 * time.Millisecond), Path: p, Was: w.sum(p)}
	w.rewrite(who, p)
	c.Sum = w.sum(p)
	w.calls = append(w.calls, c)
	w.note(who, p, start.Add(100*time.Millisecond), true)
}

// command is a call of a shell that works in all cells at once. Its text does not say how.
func (w *world) command(who string) {
	if w.risky {
		w.snap()
	}
	start := w.tick()
	at := start.Add(100 * time.Millisecond)
	words := "./fix"
	for i := range cells {
		cell := fmt.Sprintf("c%02d", i)
		list := w.files(cell)
		if len(list) == 0 || w.rnd.IntN(3) == 0 {
			continue
		}
		p := list[w.rnd.IntN(len(list))]
		if !w.risky && !w.may(who, p) {
			continue
		}
		st, err := os.Lstat(w.path(p))
		w.must(err)
		switch kind := w.rnd.IntN(6); {
		case kind == 0:
			w.must(os.Remove(w.path(p)))
			words += " " + p
		case kind == 1:
			to := cell + "/moved" + w.line("")
			w.must(os.Rename(w.path(p), w.path(to)))
			old := w.times[p]
			w.note(who, to, at, false)
			w.times[to] = Times{old.Content, at}
			words += " " + p
		case kind == 2 && st.Mode().IsRegular():
			old := w.times[p]
			w.must(os.Chmod(w.path(p), st.Mode().Perm()^0o111))
			w.note(who, p, at, false)
			w.times[p] = Times{old.Content, at}
			continue
		case kind == 3:
			w.must(os.Remove(w.path(p)))
			w.must(os.Symlink("to"+w.line(""), w.path(p)))
		case kind == 4 && who == "a":
			dir := w.path(path.Dir(p))
			for _, gone := range w.files(path.Dir(p)) {
				if !w.risky && !w.may(who, gone) {
					dir = ""
				}
			}
			if dir == "" || path.Dir(p) == cell {
				continue
			}
			gone := w.files(path.Dir(p))
			w.must(os.RemoveAll(dir))
			for _, g := range gone {
				w.note(who, g, at, false)
			}
			words += " " + path.Dir(p)
			continue
		case st.Mode().IsRegular():
			w.rewrite(who, p)
		default:
			continue
		}
		w.note(who, p, at, false)
	}
	w.calls = append(w.calls, Call{Session: who, Start: start, End: start.Add(500 * time.Millisecond), Command: words})
}

// may reports whether a command may change a path in a turn with snapshots at its prompt alone: nobody else changed it since then. See the
// package's comment.
func (w *world) may(who, p string) bool {
	for other := range w.touched[p] {
		if other != who {
			return false
		}
	}
	return true
}

// person changes files of some cells, with an editor.
func (w *world) person() {
	for i := range cells {
		if w.rnd.IntN(3) != 0 {
			continue
		}
		cell := fmt.Sprintf("c%02d", i)
		p := w.regular(cell)
		at := w.tick()
		switch w.rnd.IntN(8) {
		case 0:
			if os.Remove(w.path(p)) == nil {
				w.note("p", p, at, false)
			}
		case 1:
			if st, err := os.Lstat(w.path(p)); err == nil {
				w.must(os.Chmod(w.path(p), st.Mode().Perm()^0o111))
				old := w.times[p]
				w.note("p", p, at, false)
				w.times[p] = Times{old.Content, at}
			}
		default:
			w.rewrite("p", p)
			w.note("p", p, at, false)
		}
	}
}

// turn is a prompt, what happens then, and the end of the turn.
func (w *world) turn() {
	w.snap()
	for range 2 + w.rnd.IntN(4) {
		switch w.rnd.IntN(6) {
		case 0, 1:
			for i := range cells {
				if w.rnd.IntN(2) == 0 {
					w.edit("a", fmt.Sprintf("c%02d", i))
				}
			}
		case 2, 3:
			w.command("a")
		case 4:
			if w.rnd.IntN(2) == 0 {
				w.edit("b", fmt.Sprintf("c%02d", w.rnd.IntN(cells)))
			} else {
				w.command("b")
			}
		case 5:
			w.person()
		}
	}
	w.snap()
}

// tree is all of the worktree: modes, bytes and links.
func (w *world) tree() map[string]Content {
	root, err := os.OpenRoot(w.dir)
	w.must(err)
	defer root.Close()
	all := map[string]Content{}
	for i := range cells {
		for _, p := range w.files(fmt.Sprintf("c%02d", i)) {
			c, err := contentAt(root, p)
			w.must(err)
			all[p] = c
		}
	}
	return all
}

// others are the lines of the person and of b, by cell.
func others(tree map[string]Content) map[string]bool {
	found := map[string]bool{}
	for p, c := range tree {
		for line := range strings.Lines(string(c.Text)) {
			if line = strings.TrimSpace(line); strings.HasPrefix(line, "p") || strings.HasPrefix(line, "b") {
				found[p[:3]+" "+line] = true
			}
		}
	}
	return found
}

func (w *world) question(side Side) Question {
	return Question{Session: "a", Snapshots: w.states, Calls: w.calls, Side: side, Own: func(string) bool { return false },
		Times: func(p string) (Times, bool) {
			for {
				if _, err := os.Lstat(w.path(p)); err == nil {
					return w.times[p], true
				}
				p = path.Dir(p)
			}
		}}
}

// begin makes the tree, and lets sessions and the person work.
func (w *world) begin() {
	for i := range cells {
		for _, p := range []string{"f", "g", "d/h", "d/i"} {
			p = fmt.Sprintf("c%02d/%s", i, p)
			for range 1 + w.rnd.IntN(4) {
				w.rewrite("o", p)
			}
			w.times[p] = Times{w.at, w.at}
		}
		w.must(os.Symlink("f", w.path(fmt.Sprintf("c%02d/link", i))))
	}
	w.git("add", "-A")
	w.git("commit", "-qm", "first")
	w.person()
	w.touched, w.tools = map[string]map[string]bool{}, map[string]bool{}
	w.turn()
	if w.rnd.IntN(2) == 0 {
		w.person()
		w.turn()
	}
	if w.rnd.IntN(2) == 0 {
		w.person()
	}
	w.snap()
}

// story tells of the files that had a line.
func (w *world) story(before map[string]Content, plan *Plan, line string) (text string) {
	cell, word, isLine := strings.Cut(line, " ")
	for p, c := range before {
		if p != line && (!isLine || !strings.HasPrefix(p, cell) || !strings.Contains(string(c.Text), word+"\n")) {
			continue
		}
		text += fmt.Sprintf("\n%s: %q, changed by %v", p, c.Text, w.touched[p])
		for _, st := range plan.Steps {
			if st.Path == p {
				text += fmt.Sprintf("\n  %s %s (%s)", st.Action, st.Change, st.Why)
			}
		}
		for i, s := range w.states {
			files, err := w.store.Files(w.Context(), s.Commit, func(string) bool { return false })
			w.must(err)
			old, _ := w.store.Bytes(w.Context(), p, files[p])
			text += fmt.Sprintf("\n  state %d, %s: %s %q", i, s.Time.Format("04:05"), files[p].Mode, old)
		}
		for _, c := range w.calls {
			if c.Path == p || c.Path == "" {
				text += fmt.Sprintf("\n  call of %s at %s %s %s", c.Session, c.Start.Format("04:05"), c.Path, map[bool]string{true: "names it"}[c.names(p, w.dir)])
			}
		}
		text += fmt.Sprintf("\n  times %s", w.times[p].Content.Format("04:05"))
	}
	return text
}

// TestNothingOfOthersIsLost: whatever two sessions and a person do, an undo of one session leaves each line of the others, and a redo gives the state
// before, byte by byte. A file that only the session changed, with tools, is as it was.
func TestNothingOfOthersIsLost(t *testing.T) {
	rounds := lab.Storm(10)
	restored, alone := 0, 0
	for range rounds {
		seed := rand.Uint64()
		if text := os.Getenv("ABURN_SEED"); text != "" {
			seed, _ = strconv.ParseUint(text, 10, 64)
		}
		w := newWorld(t, seed)
		w.risky = seed%2 == 0
		w.begin()
		before := w.tree()
		a, err := w.store.Ask(t.Context(), w.question(""))
		w.must(err)
		plan, err := w.store.Do(t.Context(), w.question(""), &a)
		w.must(err)
		after := w.tree()
		kept := others(after)
		for line := range others(before) {
			if !kept[line] {
				w.Errorf("seed %d, risky %v: %s is lost: %s", seed, w.risky, line, w.story(before, plan, line))
			}
		}
		first, err := w.store.Files(t.Context(), w.states[0].Commit, func(string) bool { return false })
		w.must(err)
		for p, who := range w.touched {
			switch {
			case !who["a"] && before[p].Mode != "" && !after[p].equal(before[p]): // what they removed may come back: a command of the session may name it
				w.Errorf("seed %d: %s was not the session's, and changed: %s", seed, p, w.story(before, plan, p))
			case len(who) == 1 && who["a"]:
				alone++
				text, err := w.store.Bytes(t.Context(), p, first[p])
				w.must(err)
				if after[p].equal(Content{first[p].Mode, text}) {
					restored++
				} else if w.tools[p] {
					w.Errorf("seed %d: only tools changed %s, and it is not as it was", seed, p)
				}
			}
		}
		w.must(w.store.Finish(t.Context(), plan, false))
		if plan.Commit == "" {
			continue // nothing was the session's alone
		}
		done, err := w.store.Load(t.Context(), DoneRef)
		w.must(err)
		redo, err := w.store.Redo(t.Context(), done, w.states[len(w.states)-1])
		w.must(err)
		w.must(w.store.Finish(t.Context(), redo, true))
		if again := w.tree(); !maps.EqualFunc(before, again, Content.equal) {
			w.Errorf("seed %d: a redo does not give the state before", seed)
		}
		if t.Failed() {
			return
		}
	}
	t.Logf("%d cases; of %d files that only the session changed %d are as they were", rounds*cells, alone, restored)
	if restored < alone*6/10 {
		t.Errorf("only %d of %d files are as they were", restored, alone)
	}
}
