//go:build unix

package manager

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"aburn/internal/lab/world"
	"aburn/worker"
	"aburn/worker/tree"
)

// mostCalls is how often a turn's end may start git, however many workers there are.
const mostCalls = 20

// A turn's end keeps one tree, and compares all workers by what was kept of them: git is started as often for nine as for three.
func TestTurnsEndStartsGitOnce(t *testing.T) {
	world.Slow(t)
	y := newYard(t, "lines 30 > cart; lines 9 > other")
	y.sh(y.tree, "edit cart 3 w; echo w > loose")
	keep := func(name string) {
		_, _, err := TakeSnapshot(t.Context(), y.crew, y.repo, y.member(name))
		y.must(err)
	}
	keep("w")
	made, counts := 1, []int{}
	for _, many := range []int{3, 9} {
		for ; made < many; made++ {
			y.worker(fmt.Sprintf("x%d", made))
			y.sh(y.tree, fmt.Sprintf("edit cart %d x%d; echo %d > loose; edit other 5 x", 3+made%2, made, made))
			keep(fmt.Sprintf("x%d", made))
		}
		members, err := y.crew.Load(t.Context())
		y.must(err)
		y.must(CompareKept(t.Context(), y.crew, members))
		y.sh(y.tree, "edit cart 20 again; save; edit cart 21 more; echo more > new")
		calls := world.CountGit(t)
		y.crew.Environ = []string{"HOME=" + os.Getenv("HOME"), "PATH=" + os.Getenv("PATH")}
		repo, err := tree.Open(t.Context(), y.main, y.crew.Environ)
		y.must(err)
		_, fresh, err := TakeSnapshot(t.Context(), y.crew, repo, y.member(fmt.Sprintf("x%d", made-1)))
		y.must(err)
		if members, err = y.crew.Load(t.Context()); err != nil || !fresh {
			t.Fatal(fresh, err)
		}
		y.must(CompareKept(t.Context(), y.crew, members))
		list := calls()
		if counts = append(counts, len(list)); len(list) > mostCalls {
			t.Errorf("%d starts of git: %q", len(list), list)
		}
		y.must(CompareKept(t.Context(), y.crew, members))
		if list := calls(); len(list) > 1 {
			t.Errorf("nothing changed, and git is started %d times: %q", len(list), list)
		}
	}
	if counts[0] != counts[1] {
		t.Errorf("git is started %d times for three workers, and %d times for nine", counts[0], counts[1])
	}
	// What is compared is what a look at all trees finds.
	now := y.clashes()
	members, err := y.crew.Load(t.Context())
	y.must(err)
	found, err := Overlaps(t.Context(), y.crew, members)
	y.must(err)
	if after := y.clashes(); !slices.Equal(after, now) || len(found) != 9*8/2 || len(now) == 0 {
		t.Errorf("%d pairs\n%s\n--- anew\n%s", len(found), strings.Join(now, "\n"), strings.Join(after, "\n"))
	}
}

// clashes are the last words of the ledgers about pairs.
func (y *yard) clashes() (list []string) {
	members, err := y.crew.Load(y.Context())
	y.must(err)
	living := map[string]bool{}
	for _, m := range members {
		living[m.Name] = true
	}
	for _, m := range members {
		for _, e := range Clashes(m, living) {
			list = append(list, fmt.Sprintf("%s %s %s %q", m.Name, e.Is, e.Peer, e.Files))
		}
	}
	slices.Sort(list)
	return list
}

// Of files that nobody added, two conflict if they differ, and one that is large is only told.
func TestLooseFilesOverlap(t *testing.T) {
	y := newYard(t, "lines 9 > a")
	y.sh(y.tree, "echo same > same; echo one > differs; echo one > added; head -c 11000000 /dev/zero > large")
	y.worker("x")
	y.sh(y.tree, "echo same > same; echo two > differs; echo two > added; git add added; head -c 12000000 /dev/zero > large")
	members, err := y.crew.Load(t.Context())
	y.must(err)
	found, err := Overlaps(t.Context(), y.crew, members)
	y.must(err)
	if len(found) != 1 || found[0].Kind != worker.OverlapConflict || !slices.Equal(found[0].Files, []string{"added", "differs", "large", "same"}) ||
		fmt.Sprint(found[0].Conflicts) != "[{added add/add} {differs add/add}]" {
		t.Errorf("%+v", found)
	}
}

// After another start of the system a state counts only if git has it: a power cut may have taken what git wrote last. A state that
// git removed is looked at anew.
func TestWhatWasSeenIsNoProof(t *testing.T) {
	y := newYard(t, "lines 9 > a")
	y.sh(y.tree, "echo w > new")
	first, fresh, err := TakeSnapshot(t.Context(), y.crew, y.repo, y.member("w"))
	if y.must(err); !fresh {
		t.Fatal("the first snapshot is not new")
	}
	y.sh(y.main, "git update-ref -d "+first.Ref+"; git reflog expire --expire=now --all; git gc -q --prune=now")
	m := y.member("w")
	s := loadSighting(y.crew, m)
	s.Boot = "another"
	data, err := json.Marshal(s)
	y.must(err)
	y.must(os.WriteFile(filepath.Join(y.crew.Store.Book("w").Dir, sightedFile), data, 0o600))
	again, fresh, err := TakeSnapshot(t.Context(), y.crew, y.repo, m)
	if y.must(err); !fresh || !y.repo.Holds(t.Context(), again.Ref, again.Commit) {
		t.Errorf("%+v, new: %t", again, fresh)
	}
	y.worker("x")
	y.sh(y.tree, "echo x > new")
	overlaps := func() ([]Overlap, error) {
		members, err := y.crew.Load(t.Context())
		y.must(err)
		return Overlaps(t.Context(), y.crew, members)
	}
	if list, err := overlaps(); err != nil || len(list) != 1 || list[0].Kind != worker.OverlapConflict {
		t.Fatal(list, err)
	}
	y.sh(y.main, "git gc -q --prune=now") // x was never kept
	overlaps()                            // an error, unless the state was so fresh that it was written anew
	if list, err := overlaps(); err != nil || len(list) != 1 || list[0].Kind != worker.OverlapConflict {
		t.Error(list, err)
	}
}
