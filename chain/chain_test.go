package chain_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"aburn/chain"
	"aburn/internal/journal"
	"aburn/internal/journal/journaltest"
	"aburn/internal/lab/drawn"
	lab "aburn/internal/lab/world"
	"aburn/internal/project"
	"aburn/logfmt"
	"aburn/workflow"
)

// world is a project with a drawn log.
type world struct {
	*lab.World
	t   testing.TB
	end time.Time // of the drawing
	log *journal.Journal
	// asked is the worktree of the last query.
	asked string
}

func newWorld(t testing.TB, drawing string) *world {
	t.Helper()
	w := &world{World: lab.New(t), t: t}
	dir := w.Oss()
	bytes, end := drawn.Log(drawing)
	w.end = end
	w.inProject(".oss/workflow.log", string(bytes))
	oss, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { oss.Close() })
	w.log = journal.New(oss, journal.Options{By: journal.Command, Now: func() time.Time { return w.end }})
	return w
}

// inProject writes a file of the project.
func (w *world) inProject(path, text string) { w.Write(filepath.Join(w.Project, path), text) }

// worktree makes the folder a linked git worktree of the project, as `git worktree add` does.
func (w *world) worktree(name, branch string) {
	git := ".git/worktrees/" + filepath.Base(name)
	w.inProject(".git/HEAD", "ref: refs/heads/main\n")
	w.inProject(name+"/.git", "gitdir: "+filepath.Join(w.Project, git)+"\n")
	w.inProject(git+"/gitdir", filepath.Join(w.Project, name, ".git")+"\n")
	w.inProject(git+"/commondir", "../..\n")
	w.inProject(git+"/HEAD", "ref: refs/heads/"+branch+"\n")
}

// query asks from the folder, at the end of the drawing.
func (w *world) query(from, cmd string) chain.Query {
	w.t.Helper()
	p, err := project.Find(filepath.Join(w.Project, from), w.Env)
	if err != nil {
		w.t.Fatal(err)
	}
	if p.Root != w.Project {
		w.t.Fatalf("the project of %s is %s, want %s", from, p.Root, w.Project)
	}
	w.asked = p.Worktree
	return chain.Query{Cmd: cmd, Model: workflow.Default(), Now: w.end}
}

// open opens the log in the worktree of the last query.
func (w *world) open() *chain.Log {
	w.t.Helper()
	l, err := chain.Open(w.asked, w.Env)
	if err != nil {
		w.t.Fatal(err)
	}
	return l
}

func (w *world) last(q chain.Query) chain.Result {
	w.t.Helper()
	l := w.open()
	defer l.Close()
	r, err := l.Last(q)
	if err != nil {
		w.t.Fatal(err)
	}
	return r
}

func (w *world) overview() ([]chain.Result, error) {
	q := w.query(".", "")
	l := w.open()
	defer l.Close()
	return l.Overview(q)
}

// verdict is a result in one line: state, number of the entry, notes.
func verdict(r chain.Result) string {
	words := []string{string(r.State)}
	if r.Found {
		words = append(words, fmt.Sprint("#", r.Entry.Seq))
	}
	if r.HasOther {
		words = append(words, "other:"+r.Other)
	}
	for _, n := range r.Notes {
		words = append(words, string(n.Kind))
	}
	return strings.Join(words, " ")
}

const full = "ideate> ideate. plan> plan. build> build. " // entries 1 to 6

func TestLast(t *testing.T) {
	for _, tt := range []struct {
		name, drawing, ask, want string
	}{
		{"empty", "", "plan", "none"},
		{"the last of several", "ideate. plan. plan. t*30", "plan", "done #3"},
		{"only of that command", full, "ship", "none"},
		{"a phase's end is not the command's", "build> build:RED. build:GREEN.", "build", "running"},
		{"a failed phase neither", "ideate. plan. build. build:RED!", "build", "done #3"},
		{"a sub-agent's neither", "build> tester~build.", "build", "running"},
		{"nor a sub-agent's failure", "plan. build. tester~build! tester~build>", "build", "done #2"},
		{"a milestone changes nothing", full + "build*", "build", "done #6"},
		{"damage is skipped", "# ideate. # plan. #", "plan", "done #2"},

		{"started again", full + "build>", "build", "running #6 started_again"},
		{"failed later", full + "build> build!", "build", "failed #6 failed_later"},
		{"failed, then begun again", full + "build! build>", "build", "running #6 started_again"},
		{"failed, then completed", full + "build! build.", "build", "done #8"},
		{"only failed", "plan> plan!", "plan", "failed"},

		{"its session ended", "@A build> SESSION_END'other' @B ideate>", "build", "left left"},
		{"its session ended, and hooks were late", "@A build> SESSION_END'other' STOP", "build", "left left"},
		{"started again, and its session ended", "@A " + full + "build> SESSION_END'other'", "build", "left #6 started_again left"},
		{"its session ended after it", "@A " + full + "SESSION_END'other'", "build", "done #6"},
		{"its session ended and was resumed", "@A build> SESSION_END'other' SESSION_START'resume'", "build", "running"},
		{"its session ended and was asked on", "@A build> SESSION_END'other' PROMPT", "build", "running"},
		{"another session ended", "@A build> @B PROMPT SESSION_END'other'", "build", "running"},
		{"another session goes on with it", "@A build> @B build:RED> @A SESSION_END'other'", "build", "running"},
		{"another session went on with it, and ended", "@A build> @B build:RED> SESSION_END'other'", "build", "left left"},
		{"no session is known", "@ build> @A SESSION_END'other'", "build", "running"},

		{"predecessor completed", "ideate. plan.", "plan", "done #2"},
		{"predecessor unfinished", "ideate> plan.", "plan", "done #2 predecessor_unfinished"},
		{"predecessor begun again", "ideate. ideate> plan.", "plan", "done #3 predecessor_unfinished"},
		{"predecessor failed", "ideate> ideate! plan.", "plan", "done #3 predecessor_failed"},
		{"predecessor missing", "plan.", "plan", "done #1 predecessor_missing"},
		{"predecessor completed anew", full + "plan.", "build", "done #6 predecessor_again"},
		{"predecessor begun anew", full + "plan>", "build", "done #6"},
		{"no predecessor", "ideate.", "ideate", "done #1"},
		{"a command that the model does not know", "review> review. t", "review", "done #2"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t, tt.drawing)
			if got := verdict(w.last(w.query(".", tt.ask))); got != tt.want {
				t.Errorf("%s\n asked for %s: %s\n want %s", tt.drawing, tt.ask, got, tt.want)
			}
		})
	}
}

// TestWorktrees: the answer is for the worktree one stands in; another's only on request, and labelled.
func TestWorktrees(t *testing.T) {
	for _, tt := range []struct {
		name, drawing, from string
		any                 bool
		want                string
	}{
		{"here", "ideate. plan. /wt/f plan. /", ".", false, "done #2"},
		{"there", "ideate. plan. /wt/f ideate. plan. / plan.", "wt/f", false, "done #4"},
		{"not here", "/wt/f plan. /", ".", false, "none other:wt/f"},
		{"not here, in the main one", "ideate. plan.", "wt/f", false, "none other:"},
		{"any: elsewhere", "/wt/f ideate. plan. /", ".", true, "done #2 other_worktree"},
		{"any: here comes first", "ideate. plan. /wt/f plan. /", ".", true, "done #2"},
		{"any: the newest of others", "/wt/g ideate. plan. /wt/f ideate. plan. /", ".", true, "done #4 other_worktree"},
		{"another's new start says nothing here", "ideate. plan. /wt/f plan> /", ".", false, "done #2"},
		{"there, begun again there", "/wt/f ideate. plan. plan> /", ".", true, "running #2 other_worktree started_again"},
		{"planned in the main one, built in another", "ideate. plan. /wt/f build.", "wt/f", false, "done #3"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t, tt.drawing)
			w.worktree("wt/f", "feature")
			w.worktree("wt/g", "other")
			ask := "plan"
			if strings.HasPrefix(tt.name, "planned") {
				ask = "build"
			}
			q := w.query(tt.from, ask)
			q.Any = tt.any
			if got := verdict(w.last(q)); got != tt.want {
				t.Errorf("%s\n from %s: %s\n want %s", tt.drawing, tt.from, got, tt.want)
			}
		})
	}
}

func TestSession(t *testing.T) {
	w := newWorld(t, "@aaaa-1 ideate. plan. @bbbb-2 plan> plan. @aaaa-1 plan> @ plan>")
	for session, want := range map[logfmt.SessionID]string{
		"": "running #4 started_again", "aaaa-1": "running #2 started_again", "bbbb": "done #4", "bb-2": "done #4", "-2": "none", "cccc": "none", "aaaa-12": "none",
	} {
		q := w.query(".", "plan")
		q.Session = session
		if got := verdict(w.last(q)); got != want {
			t.Errorf("session %q: %s, want %s", session, got, want)
		}
	}
}

func TestBranch(t *testing.T) {
	for _, tt := range []struct{ made, now, want string }{
		{"main", "main", "done #1"},
		{"main", "feature/x", "done #1 other_branch"},
		{"", "main", "done #1"},  // not recorded: nothing to say
		{"main", "", "done #1"},  // no git here
		{"main", "-", "done #1"}, // HEAD cannot be read
	} {
		w := newWorld(t, "%"+tt.made+" ideate.")
		if tt.now != "" {
			w.inProject(".git/HEAD", "ref: refs/heads/"+tt.now+"\n")
		}
		if tt.now == "-" {
			w.inProject(".git/HEAD", "\x00")
		}
		r := w.last(w.query(".", "ideate"))
		if got := verdict(r); got != tt.want {
			t.Errorf("made on %q, now on %q: %s, want %s", tt.made, tt.now, got, tt.want)
		}
		if stale := strings.Contains(tt.want, "other_branch"); r.Stale() != stale {
			t.Errorf("made on %q, now on %q: stale %v", tt.made, tt.now, r.Stale())
		}
		if len(r.Notes) == 1 && r.Notes[0].Text != "made on main, you are on feature/x" {
			t.Errorf("the note says %q", r.Notes[0].Text)
		}
	}
}

// TestStale: which notes mean that the world has moved on.
func TestStale(t *testing.T) {
	for drawing, want := range map[string]bool{
		full: false, full + "build>": true, full + "build!": true, full + "plan.": true, "plan> build.": false, "build.": false,
		"ideate. plan. build.[gone.md]": true,
	} {
		w := newWorld(t, drawing)
		if r := w.last(w.query(".", "build")); r.Stale() != want {
			t.Errorf("%s: stale is %v, notes %s", drawing, !want, verdict(r))
		}
	}
}

func TestOverview(t *testing.T) {
	w := newWorld(t, full+"plan> t*3 build!")
	results, err := w.overview()
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range results {
		got = append(got, r.Cmd+" "+verdict(r))
	}
	want := "ideate done #2, plan running #4 started_again, build failed #6 failed_later, ship none"
	if s := strings.Join(got, ", "); s != want {
		t.Errorf("%s\nwant %s", s, want)
	}
}

// TestDetails: what is read out of an entry, whoever wrote it.
func TestDetails(t *testing.T) {
	w := newWorld(t, "")
	w.inProject(".oss/workflow.log", `{"event":"COMPLETE", "cmd":"plan", "ts":"2026-11-21T10:00:00Z", "mood":"good", "outputs":1, `+
		`"data":{"summary":"4 slices","outputs":["a.md",{"path":"b.md","bytes":3},7,""],"next_suggested":"build","metrics":{"slices":4,"by":"me"}}}`+"\n")
	w.inProject("a.md", "a")
	w.inProject("b.md", "bb")
	w.end = drawn.Epoch.Add(2 * time.Hour)
	r := w.last(w.query(".", "plan"))
	if !r.Found || r.Summary != "4 slices" || r.Next != "build" || r.Age != 2*time.Hour || fmt.Sprint(r.Metrics) != "[{slices 4} {by me}]" {
		t.Errorf("%+v", r)
	}
	if len(r.Outputs) != 2 || r.Outputs[0].State != chain.Exists || r.Outputs[1].State != chain.Changed {
		t.Errorf("outputs %+v", r.Outputs)
	}
	for _, member := range []string{
		`"data":{"summary":"4 slices","outputs":["a.md",{"path":"b.md","bytes":3},7,""]`, `"mood":"good"`, `"found":true`, `"age_s":7200`, `"stale":true`,
		`"outputs":[{"path":"a.md","state":"exists"},{"path":"b.md","state":"changed","bytes":3}]`, `"notes":[{"kind":"output_changed"`, `"wt":""`,
	} {
		if text := string(r.JSON()); !strings.Contains(text, member) || strings.Contains(text, `"crc"`) {
			t.Errorf("%s\nhas no %s, or a checksum", text, member)
		}
	}
}

// TestEdited: an entry that somebody changed by hand is used, and marked.
func TestEdited(t *testing.T) {
	w := newWorld(t, "")
	bytes, _ := drawn.Log("ideate.->plan")
	w.inProject(".oss/workflow.log", strings.Replace(string(bytes), `"next_suggested":"plan"`, `"next_suggested":"ship"`, 1))
	r := w.last(w.query(".", "ideate"))
	if got := verdict(r); got != "done #1 edited" || r.Next != "ship" {
		t.Errorf("%s, next %s", got, r.Next)
	}
}

// TestNoLog: a project whose log was not begun yet, or is lost, has completed nothing.
func TestNoLog(t *testing.T) {
	w := newWorld(t, "")
	os.Remove(filepath.Join(w.Project, ".oss", "workflow.log"))
	if got := verdict(w.last(w.query(".", "plan"))); got != "none" {
		t.Error(got)
	}
}

// TestRotated: the newest segment answers for the whole past.
func TestRotated(t *testing.T) {
	for _, tt := range []struct{ name, before, after, ask, want string }{
		{"carried", "ideate. plan. t*20", "t*5", "plan", "done #2"},
		{"its own outranks carried", "ideate. plan. plan!", "plan.", "plan", "done #6"},
		{"carried start is newer", full + "build>", "t", "build", "running #6 started_again"},
		{"begun again since", full, "build>", "build", "running #6 started_again"},
		{"predecessor carried", full, "build.", "build", "done #9"},
		{"predecessor failed before", "ideate. ideate! ", "plan.", "plan", "done #5 predecessor_failed"},
		{"never", full, "t", "ship", "none"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t, tt.before)
			if err := w.log.Rotate(); err != nil {
				t.Fatal(err)
			}
			lines, end := drawn.Lines(tt.after)
			for _, l := range lines {
				if _, err := w.log.Append(func(journal.Tail) []*logfmt.Entry { l.Entry.Seq, l.Entry.ID = 0, ""; return []*logfmt.Entry{l.Entry} }); err != nil {
					t.Fatal(err)
				}
			}
			w.end = end
			journaltest.Check(t, filepath.Join(w.Project, ".oss"))
			for _, all := range []bool{false, true} {
				q := w.query(".", tt.ask)
				q.All = all
				r := w.last(q)
				if got := verdict(r); got != tt.want {
					t.Errorf("%s | %s (all %v)\n asked for %s: %s\n want %s", tt.before, tt.after, all, tt.ask, got, tt.want)
				}
				if !r.Found && r.Bounded {
					t.Error("the miss says that it did not search everything")
				}
			}
		})
	}
}

// TestCarriedLineForged: somebody edits a carried line, with a crc of its own. The chain answers from the segment that it came from; where
// that is gone, it does not know.
func TestCarriedLineForged(t *testing.T) {
	w := newWorld(t, "ideate. plan.'ours' t*20")
	if err := w.log.Rotate(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(w.Project, ".oss", journal.Name)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(text), "\n")
	for i, line := range lines {
		if e, err := logfmt.Parse([]byte(line)); err == nil && e.Cmd == "plan" {
			e.Data = []byte(`{"summary":"forged"}`)
			forged, err := e.AppendTo(nil)
			if err != nil {
				t.Fatal(err)
			}
			lines[i], _, _ = strings.Cut(string(forged), "\n")
		}
	}
	if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")), 0o600); err != nil {
		t.Fatal(err)
	}
	if r := w.last(w.query(".", "plan")); r.Summary != "ours" {
		t.Errorf("summary %q", r.Summary)
	}
	if err := os.Remove(path + ".1"); err != nil {
		t.Fatal(err)
	}
	if r := w.last(w.query(".", "plan")); r.Found {
		t.Errorf("found %q", r.Summary)
	}
}
