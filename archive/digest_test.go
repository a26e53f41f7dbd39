package archive

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"aburn/internal/lab/world"
	"aburn/trace"
)

// digested is the sessions that have a digest by rules, as source/id.
func digested(t *testing.T, a *Archive, rules int) string {
	t.Helper()
	names := map[int64]string{}
	list, err := a.Sessions(context.Background(), Filter{Own: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range list {
		names[s.Key] = s.Source + "/" + s.ID
	}
	var all []string
	err = a.Digests(Filter{Own: true}, rules, func(d Digest) error {
		if d.Body != "" {
			if string(d.Body) != fmt.Sprintf("%d of %d", rules, d.Key) {
				t.Errorf("%s has %q", names[d.Key], d.Body)
			}
			all = append(all, names[d.Key])
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(all)
	return strings.Join(all, " ")
}

// keepAll keeps a digest of every session.
func keepAll(t *testing.T, a *Archive, rules int) {
	t.Helper()
	var list []Digest
	if err := a.Digests(Filter{Own: true}, rules, func(d Digest) error {
		list = append(list, Digest{Key: d.Key, Body: fmt.Sprintf("%d of %d", rules, d.Key)})
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	k := keeper(t, a)
	mark, err := k.Mark()
	if err != nil {
		t.Fatal(err)
	}
	if kept, err := k.Keep(mark, rules, list); !kept || err != nil {
		t.Fatalf("kept %v, %v", kept, err)
	}
}

func keeper(t *testing.T, a *Archive) *Keeper {
	t.Helper()
	k, err := OpenKeeper(context.Background(), a.dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { k.Close() })
	return k
}

// A digest is kept until anything changes that it was made from, or the rules do.
func TestStale(t *testing.T) {
	world.Unshared(t)
	const all = "claude/a claude/a/x claude/b own/a"
	for what, c := range map[string]struct {
		change func(a *Archive)
		want   string
	}{
		"nothing":                 {func(a *Archive) { a.store(t, story(t, "claude", "a", 1, "ask call done")) }, all},
		"the session":             {func(a *Archive) { a.store(t, story(t, "claude", "a", 1, "ask call done ask")) }, "claude/a/x claude/b"},
		"another session":         {func(a *Archive) { a.store(t, story(t, "claude", "b", 1, "ask call done ask")) }, "claude/a claude/a/x own/a"},
		"what hooks recorded":     {func(a *Archive) { a.store(t, story(t, "own", "a", 1, "call done call")) }, "claude/a/x claude/b"},
		"a sub-agent":             {func(a *Archive) { a.store(t, subagent(story(t, "claude", "a/x", 2, "ask ask"), "a", "x")) }, "claude/b"},
		"a sub-agent that is new": {func(a *Archive) { a.store(t, subagent(story(t, "claude", "b/y", 2, "ask"), "b", "y")) }, "claude/a claude/a/x own/a"},
		"hooks that are new":      {func(a *Archive) { a.store(t, story(t, "own", "b", 2, "call")) }, "claude/a claude/a/x own/a"},
		"one that is deleted": {func(a *Archive) {
			if _, err := a.Expire(context.Background(), at(2)); err != nil {
				t.Fatal(err)
			}
		}, "claude/a/x claude/b"},
		"a relationship that is changed": {func(a *Archive) { a.store(t, subagent(story(t, "claude", "a/x", 2, "ask ask"), "b", "x")) }, ""},
		"all": {func(a *Archive) {
			if err := a.Remake(context.Background()); err != nil {
				t.Fatal(err)
			}
		}, ""},
	} {
		t.Run(what, func(t *testing.T) {
			a := create(t)
			a.store(t, story(t, "claude", "a", 1, "ask call done"), subagent(story(t, "claude", "a/x", 2, "ask"), "a", "x"),
				story(t, "claude", "b", 3, "ask"), story(t, "own", "a", 1, "call done"))
			keepAll(t, a, 7)
			if got := digested(t, a, 7); got != all {
				t.Fatalf("kept %s", got)
			}
			if got := digested(t, a, 8); got != "" {
				t.Fatalf("by other rules %s", got)
			}
			c.change(a)
			if got := digested(t, a, 7); got != c.want {
				t.Errorf("%s: kept %q, want %q", what, got, c.want)
			}
		})
	}
}

// What was made from traces that changed meanwhile is not kept, nor does keeping wait for who writes.
func TestKeepLate(t *testing.T) {
	a := create(t)
	a.store(t, story(t, "claude", "a", 1, "ask"))
	k, other := keeper(t, a), keeper(t, a)
	mark, err := k.Mark()
	if err != nil {
		t.Fatal(err)
	}
	list := []Digest{{Key: 1, Body: "7 of 1"}}
	for range 2 { // its own commits are no change
		if kept, err := k.Keep(mark, 7, list); !kept || err != nil {
			t.Fatalf("kept %v, %v", kept, err)
		}
	}
	a.store(t, story(t, "claude", "a", 1, "ask ask"))
	if kept, err := k.Keep(mark, 7, list); kept || err != nil {
		t.Errorf("kept late: %v, %v", kept, err)
	}
	if mark, err = k.Mark(); err != nil {
		t.Fatal(err)
	}
	err = other.a.transaction(func() error {
		kept, err := k.Keep(mark, 7, list)
		if kept || err != nil {
			t.Errorf("kept beside a writer: %v, %v", kept, err)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := digested(t, a, 7); got != "" {
		t.Errorf("kept %s", got)
	}
}

// What was kept does not stay in SQLite's log, which everyone who opens the archive would read.
func TestKeptOutOfLog(t *testing.T) {
	a := create(t)
	a.store(t, story(t, "claude", "a", 1, "ask"))
	keepAll(t, a, 7)
	k, err := OpenKeeper(context.Background(), a.dir)
	if err != nil {
		t.Fatal(err)
	}
	mark, err := k.Mark()
	if err != nil {
		t.Fatal(err)
	}
	if kept, err := k.Keep(mark, 7, []Digest{{Key: 1, Body: "7 of 1"}}); !kept || err != nil {
		t.Fatalf("kept %v, %v", kept, err)
	}
	if err := k.Close(); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(a.path + "-wal"); err != nil || info.Size() != 0 {
		t.Errorf("the log: %v, %v", info.Size(), err)
	}
}

// What hooks recorded of a session, and its sub-agents, are parts of it only together.
func TestParts(t *testing.T) {
	a := create(t)
	a.store(t, story(t, "claude", "a", 1, "ask"), subagent(story(t, "claude", "a/x", 2, "ask"), "a", "x"), subagent(story(t, "codex", "c", 3, "ask"), "a", "c"),
		story(t, "own", "a", 1, "call"), story(t, "claude", "b", 1, "ask"), subagent(story(t, "claude", "b/x", 2, "ask"), "b", "x"))
	for key, want := range map[int64]string{1: "4 [2]", 2: "0 []", 4: "0 []", 5: "0 []"} {
		own, subs, err := a.Parts(key)
		if got := fmt.Sprint(own, " ", subs); got != want || err != nil {
			t.Errorf("of %d: %s, %v; want %s", key, got, err, want)
		}
	}
}

// inTree is a session that worked in a worker's tree.
func inTree(s *trace.SessionTrace) *trace.SessionTrace {
	s.Project = trace.Project{Path: "/trees/w", Key: "/repo"}
	return s
}

// A worker's ledger is about the sessions in its tree: each has what was written since it began. It is listed only where no
// session is known.
func TestLedgers(t *testing.T) {
	a := create(t)
	ledger := inTree(story(t, "worker", "w@p", 1, "ask call done"))
	a.store(t, ledger)
	list := func() string {
		all, err := a.Sessions(context.Background(), Filter{})
		text := ""
		for _, s := range all {
			text += " " + s.Source + "/" + s.ID
		}
		if err != nil {
			t.Error(err)
		}
		return text
	}
	if got := list(); got != " worker/w@p" {
		t.Errorf("alone:%s", got)
	}
	a.store(t, inTree(story(t, "claude", "a", 2, "ask")), inTree(story(t, "codex", "b", 9, "ask")),
		inTree(subagent(story(t, "claude", "a/x", 3, "ask"), "a", "x")), story(t, "claude", "c", 4, "ask"), inTree(story(t, "own", "a", 2, "ask")))
	if got := list(); strings.Contains(got, "worker/") {
		t.Errorf("with its sessions:%s", got)
	}
	second := at(9)
	for id, want := range map[string]LedgerPart{
		"claude/a": {Key: 1, Until: second}, "codex/b": {Key: 1, From: second}, "claude/a/x": {}, "claude/c": {}, "worker/w@p": {}, "own/a": {Key: 1, Until: second},
	} {
		source, name, _ := strings.Cut(id, "/")
		s, err := a.stored(source, name)
		if err != nil || s.key == 0 {
			t.Fatal(id, err)
		}
		got, err := a.LedgerOf(s.key)
		if got.Key != want.Key || !got.From.Equal(want.From) || !got.Until.Equal(want.Until) || err != nil {
			t.Errorf("%s: %+v, %v; want %+v", id, got, err, want)
		}
	}
	keepAll(t, a, 7)
	a.store(t, inTree(story(t, "worker", "w@p", 1, "ask call done call done")))
	if got := digested(t, a, 7); got != "claude/c" {
		t.Errorf("after the ledger grew %q is kept", got)
	}
	keepAll(t, a, 7)
	a.store(t, inTree(story(t, "codex", "d", 5, "ask")))
	if got := digested(t, a, 7); got != "claude/c" {
		t.Errorf("after another session began in the tree %q is kept", got)
	}
	if workers, err := a.Workers(context.Background()); len(workers) != 1 || workers["/trees/w"] != "w@p" || err != nil {
		t.Errorf("workers %v, %v", workers, err)
	}
}
