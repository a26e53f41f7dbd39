package attention

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"aburn/internal/journal"
	"aburn/internal/lab/drawn"
	"aburn/internal/lab/scenario"
	"aburn/internal/lab/world"
	"aburn/internal/project"
	"aburn/internal/settings"
	"aburn/internal/workspace"
	"aburn/logfmt"
	"aburn/supervisor/limits"
)

var update = flag.Bool("update", false, "write testdata/waiting.golden anew")

const corpus = "../supervisor/testdata/tuned.txtar"

// played is a scenario in a real project, entry by entry, as a page that follows it sees it.
type played struct {
	*testing.T
	projects *Projects
	clock    time.Time
	root     string
}

func play(t *testing.T, model []byte) *played {
	t.Helper()
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("XDG_STATE_HOME", "")
	t.Setenv("XDG_CONFIG_HOME", "")
	p := &played{T: t, clock: drawn.Epoch, root: filepath.Join(home, "shop")}
	if err := os.MkdirAll(filepath.Join(p.root, project.OssDir), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := project.Mark(p.root); err != nil {
		t.Fatal(err)
	}
	if model != nil {
		if err := os.WriteFile(filepath.Join(p.root, project.OssDir, settings.File), model, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	p.projects = New(Options{Caller: func(dir string) *workspace.Caller {
		return workspace.Quiet(dir, os.Getenv, p.clock)
	}})
	p.projects.Refresh(t.Context(), true)
	return p
}

// append writes to the log and looks.
func (p *played) append(text []byte) []Item {
	p.Helper()
	f, err := os.OpenFile(filepath.Join(p.root, project.OssDir, journal.Name), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		p.Fatal(err)
	}
	if _, err := f.Write(text); err != nil {
		p.Fatal(err)
	}
	f.Close()
	return p.look()
}

func (p *played) look() []Item {
	p.Helper()
	p.projects.dirty(p.root)
	p.projects.Refresh(p.Context(), false)
	list := p.projects.List()
	if len(list) != 1 || list[0].Err != nil {
		p.Fatalf("%+v", list)
	}
	return Items(list, nil, p.clock)
}

// asking are the questions of sessions among the items, in their order.
func asking(items []Item) (list []Item) {
	return slices.DeleteFunc(slices.Clone(items), func(i Item) bool { return i.Group != Waiting || i.Kind > Plan })
}

func line(i *Item) string {
	return fmt.Sprintf("%s %s @%v since %s: %s", i.Session, i.Word, i.Proof, i.Since.UTC().Format("15:04:05"), strings.TrimSpace(i.What+" "+i.Quoted))
}

// Whoever waits in a scenario of the corpus stands on Now from the entry that asks, with that entry as its proof, until an entry
// answers; never does mere time end it. The golden file has every beginning and end of waiting of the whole corpus, to be read.
func TestWaitingInTheCorpus(t *testing.T) {
	world.Slow(t)
	all, err := scenario.Load(corpus)
	if err != nil {
		t.Fatal(err)
	}
	var golden strings.Builder
	waited := 0
	for _, s := range all {
		told := false
		t.Run(s.Name, func(t *testing.T) {
			p := play(t, s.Model)
			var before []string
			var items []Item
			entries := 0
			for n := range s.Lines {
				d := drawn.Drawing{Lines: s.Lines[n : n+1]}
				text, err := d.Bytes()
				if err != nil {
					t.Fatal(err)
				}
				if e := s.Lines[n].Entry; e != nil {
					entries++
					if e.Time.After(p.clock) {
						p.clock = e.Time
					}
				}
				items = asking(p.append(text))
				now := lines(items)
				for _, gone := range without(before, now) {
					fmt.Fprintf(&golden, "%s: entry %d ends %s\n", s.Name, entries, gone)
				}
				for _, fresh := range without(now, before) {
					fmt.Fprintf(&golden, "%s: entry %d begins %s\n", s.Name, entries, fresh)
					told = true
				}
				before = now
				for _, c := range s.Expect {
					if c.Entry == entries && s.Lines[n].Entry != nil {
						expectWait(t, &c, items, s.Entries())
					}
				}
			}
			p.clock = p.clock.Add(s.After)
			items = asking(p.look())
			for _, c := range s.Open {
				if isWait(&c) && !waits(items, &c) {
					t.Errorf("%s %s is open at the end, and Now does not show it", c.Type, c.Session)
				}
			}
			for _, c := range s.Cleared {
				if isWait(&c) && waits(items, &c) {
					t.Errorf("%s %s is answered at the end, and Now shows it", c.Type, c.Session)
				}
			}
			p.clock = p.clock.Add(48 * time.Hour)
			if now := lines(asking(p.look())); !slices.Equal(now, before) {
				t.Errorf("after two days %v wait, before %v", now, before)
			}
		})
		if told {
			waited++
		}
	}
	if waited < 30 {
		t.Errorf("only %d scenarios wait", waited)
	}
	path := filepath.Join("testdata", "waiting.golden")
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(golden.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if golden.String() != string(want) {
		t.Errorf("what waits has changed: -update, and read the difference\n%s", golden.String())
	}
}

func isWait(c *scenario.Claim) bool {
	return c.Type == limits.PermissionWait || c.Type == limits.QuestionWait
}

func waits(items []Item, c *scenario.Claim) bool {
	return slices.ContainsFunc(items, func(i Item) bool {
		return i.Session == c.Session && (i.Kind == Permission) == (c.Type == limits.PermissionWait)
	})
}

func expectWait(t *testing.T, c *scenario.Claim, items []Item, entries []*logfmt.Entry) {
	t.Helper()
	if !isWait(c) {
		return
	}
	e := entries[c.Entry-1]
	if !slices.ContainsFunc(items, func(i Item) bool {
		if i.Session != c.Session || (i.Kind == Permission) != (c.Type == limits.PermissionWait) || len(i.Proof) != 1 {
			return false
		}
		if i.Kind == Permission {
			return i.Proof[0] == e.Seq && i.Since.Equal(e.Time)
		}
		return i.Proof[0] <= e.Seq && e.Time.Sub(i.Since) < 5*time.Second // the label may be the dialog of a call that asks from its start
	}) {
		t.Errorf("%s %s is true from entry %d on, and Now shows %v", c.Type, c.Session, c.Entry, lines(items))
	}
}

func lines(items []Item) (list []string) {
	for i := range items {
		list = append(list, line(&items[i]))
	}
	return list
}

func without(list, others []string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(s string) bool { return slices.Contains(others, s) })
}
