package archive

import (
	"context"
	"fmt"
	"math"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"

	"aburn/internal/lab/world"
	"aburn/internal/wire"
)

// pathOf is the path of the store with this number in tests of the listing.
func pathOf(i int) string { return fmt.Sprintf("/home/u/.x/projects/p%d/%d.jsonl", i%7, i) }

// fill writes as many cursors, which have all that cursors can have.
func (a *Archive) fill(t *testing.T, n int) {
	t.Helper()
	if err := a.transaction(func() error {
		for i := 1; i <= n; i++ {
			c := Cursor{Known: Known{
				Store: int64(i), Reader: []string{"claude", "codex"}[i%2], Path: pathOf(i), Layout: []string{"", "session"}[i%3%2],
				Size: int64(i) << (i % 40), Modified: time.Unix(0, int64(i)*1e15+7), Whole: i%2 == 0, Hot: i%3 == 0, Scrub: i % 5,
			}}
			switch i {
			case 11:
				c.Path, c.Problem = strings.Repeat("/long", 4000), "it is odd: \x00 é"
			case 12:
				c.Path, c.Modified, c.Size = "", time.Unix(0, math.MinInt64), -1
			}
			if err := a.setCursor(&c); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
}

// same fails unless Cursors gives what the rows give, which are as many.
func (a *Archive) same(t *testing.T, what string, n int) map[string]Known {
	t.Helper()
	list, err := a.Cursors()
	if err != nil {
		t.Fatal(err)
	}
	rows, err := a.rows()
	if err != nil {
		t.Fatal(err)
	}
	have, want := map[string]Known{}, map[string]Known{}
	for _, k := range list {
		have[k.Path] = k
	}
	for _, k := range rows {
		want[k.Path] = k
	}
	if len(list) != n || len(rows) != n || !reflect.DeepEqual(have, want) {
		t.Errorf("%s: %d cursors, %d rows, not %d, or not the same", what, len(list), len(rows), n)
	}
	return have
}

// A listed cursor comes back, each member of it.
func TestListedMembers(t *testing.T) {
	want := []Known{
		{Store: 1, Reader: "claude", Path: "/a/b/1", Layout: "session", Size: 5, Modified: time.Unix(7, 9), Whole: true, Hot: true, Scrub: 2, Sessions: 3, Outdone: 4,
			Problem: "odd"},
		{Store: 2, Reader: "codex", Path: "/a/b/2", Modified: time.Unix(0, -1)},
	}
	allSet(t, want[0])
	got, err := readPart(string(listParts(want)[0]), nil)
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v", got, err)
	}
}

// However cursors change after they were listed, all of them are told, as they are.
func TestListing(t *testing.T) {
	world.Unshared(t)
	a, err := Open(context.Background(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	a.same(t, "none", 0)
	a.fill(t, 1000)
	a.same(t, "not listed", 1000)
	relist := func() {
		t.Helper()
		if err := a.Relist(); err != nil {
			t.Fatal(err)
		}
	}
	count := func(table string) int64 {
		t.Helper()
		n, err := a.number("SELECT count(*) FROM " + table)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	relist()
	a.same(t, "listed", 1000)
	if parts, late := count("listing"), count("unlisted"); parts < 3 || parts > 30 || late != 0 {
		t.Errorf("%d parts, %d unlisted", parts, late)
	}
	relist() // there is nothing to do
	for what, change := range map[string]func() error{
		"written": func() error {
			return a.setCursor(&Cursor{Known: Known{Store: 20, Reader: "claude", Path: pathOf(20), Size: 77}})
		},
		"moved":     func() error { return a.Moved("codex", pathOf(21), "/elsewhere") },
		"forgotten": func() error { return a.Forget([]int64{22, 1000}) },
	} {
		if err := change(); err != nil {
			t.Fatalf("%s: %v", what, err)
		}
	}
	now := a.same(t, "changed", 998)
	if now[pathOf(20)].Size != 77 || now["/elsewhere"].Store != 21 {
		t.Errorf("not what was written: %+v", now[pathOf(20)])
	}
	// The number of a store that is gone can become another's.
	if err := a.setCursor(&Cursor{Known: Known{Store: 1000, Reader: "codex", Path: "/new"}}); err != nil {
		t.Fatal(err)
	}
	a.same(t, "with a number again", 999)
	if late := count("unlisted"); late == 0 || late >= relistAfter {
		t.Errorf("%d unlisted", late)
	}
	a.fill(t, relistAfter)
	relist()
	a.same(t, "listed again", 1000)
	if late := count("unlisted"); late != 0 {
		t.Errorf("%d unlisted", late)
	}
}

// A listing that is damaged is told as a fault, and does without.
func TestListingDamaged(t *testing.T) {
	world.Unshared(t)
	for _, damage := range []string{"x'ff'", "substr(body, 1, length(body)-1)", "x'0101ffffffffffff'", "x'01ffffffffffffffffff01'", "x'010105FF'"} {
		a, err := Open(context.Background(), t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		a.fill(t, 300)
		if err := a.Relist(); err != nil {
			t.Fatal(err)
		}
		if err := a.run("UPDATE listing SET body = " + damage + " WHERE part = 1"); err != nil {
			t.Fatal(err)
		}
		a.same(t, damage, 300)
		if fault, err := a.checkListing(); fault == "" || err != nil {
			t.Errorf("%s: %q, %v", damage, fault, err)
		}
		a.Close()
	}
}

// A row that says of itself how long its paths are gets no more memory for them than it can fill.
func TestListingAsksForLittle(t *testing.T) {
	row := func(length uint64, known ...Known) string {
		head := wire.Writer(nil)
		head.Put(uint64(len(known)))
		head.Put(length)
		w := listingCoder{Coder: wire.Writer(head.Written())}
		for i := range known {
			w.known(&known[i])
		}
		return string(w.Written())
	}
	one := Known{Store: 1, Reader: "claude", Path: strings.Repeat("/long", listingRow/5)} // its row is longer than others may get
	long := uint64(len(one.Path))
	if got, err := readPart(row(long, one), nil); err != nil || len(got) != 1 || got[0].Path != one.Path {
		t.Fatalf("%d cursors, %v", len(got), err)
	}
	for _, length := range []uint64{0, long - 1, long + 1, long + leastListed, mostPaths(listingRow), listingRow << 16} {
		part := row(length, one)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := readPart(part, nil)
		runtime.ReadMemStats(&after)
		if asked := after.TotalAlloc - before.TotalAlloc; err == nil || asked > 4<<20 {
			t.Errorf("of paths of %d bytes: %d bytes, %v", length, asked, err)
		}
	}
	// What shares most with the ones before still fits.
	all := make([]Known, 170)
	for i := range all {
		all[i] = Known{Store: 1, Path: one.Path[:4000]}
	}
	if got, err := readPart(row(uint64(170*4000), all...), nil); err != nil || len(got) != len(all) {
		t.Errorf("%d cursors, %v", len(got), err)
	}
	if empty := len(row(0, Known{Modified: time.Unix(0, 0)})) - 2; empty != leastListed {
		t.Errorf("the least cursor takes %d bytes", empty)
	}
}

// Whatever writes cursors says which: each change is seen in a listing that was made just before it.
func TestUnlisted(t *testing.T) {
	ctx := context.Background()
	a := create(t)
	a.store(t, story(t, "claude", "a", 1, "ask"), story(t, "claude", "b", 2, "ask"))
	longer := story(t, "claude", "a", 1, "ask call done")
	longer.Sources[0].Path = "/stores/elsewhere"
	for _, step := range []struct {
		what    string
		cursors int
		change  func() error
	}{
		{"a session outdone by another store's", 3, func() error { a.store(t, longer); return nil }},
		{"a store that had the better one is gone", 2, func() error { return a.Forget([]int64{3}) }},
		{"moved", 2, func() error { return a.Moved("claude", "/stores/b", "/stores/c") }},
		{"expired", 2, func() error { _, err := a.Expire(ctx, time.Now().AddDate(10, 0, 0)); return err }},
	} {
		if err := a.relist(); err != nil {
			t.Fatal(err)
		}
		before, err := a.listing()
		if err != nil {
			t.Fatal(err)
		}
		if err := step.change(); err != nil {
			t.Fatal(err)
		}
		a.same(t, step.what, step.cursors)
		if after, err := a.rows(); err != nil || reflect.DeepEqual(before, after) {
			t.Errorf("%s: it changed no cursor: %v", step.what, err)
		}
	}
}
