package ingest_test

import (
	"bytes"
	"cmp"
	"context"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"aburn/archive"
	"aburn/archive/ingest"
	"aburn/internal/lab/synth/home"
	"aburn/internal/lab/tracetest"
	lab "aburn/internal/lab/world"
	"aburn/internal/project"
	"aburn/trace"
)

// smaller is by how much homes are smaller with -short and under the race detector, where all takes ten times as long:
// every kind of session is in the small ones too.
func smaller() int64 {
	if tracetest.Race || testing.Short() {
		return 3
	}
	return 1
}

// What is archived of homes whose contents are known is what they hold: in total, and of each session.
func TestArchiveIsTheTruth(t *testing.T) {
	seeds := uint64(2)
	if testing.Short() {
		seeds = 1
	}
	for seed := range seeds {
		k := newKnown(t, home.Options{Size: 20 << 20 / smaller(), Seed: seed + 1, Brief: true, Own: true})
		dir := filepath.Join(k.dir, "archive")
		report := k.ingest(dir)
		for _, s := range report.Sources {
			if len(s.Skipped) > 0 || s.DamagedAll > 0 || s.New == 0 || s.Updated > 0 {
				t.Errorf("seed %d: %s: %d new, %d updated, %d damaged, skipped %v", k.Seed, s.Name, s.New, s.Updated, s.DamagedAll, s.Skipped)
			}
		}
		k.compare(dir)
		k.unchanged(dir)
		k.noSecrets(dir)
	}
}

// Nothing that is a secret is in the archive: neither in its bytes, nor in what it packs.
func (k *known) noSecrets(dir string) {
	k.Helper()
	data, err := os.ReadFile(filepath.Join(dir, archive.Name))
	if err != nil {
		k.Fatal(err)
	}
	for _, t := range k.traces(dir) {
		text, err := t.MarshalJSON()
		if err != nil {
			k.Fatal(err)
		}
		data = append(data, text...)
	}
	for _, secret := range k.Secrets {
		if i := bytes.Index(data, []byte(secret)); i >= 0 {
			k.Errorf("seed %d: a secret is in the archive: %.10s…: %.100q", k.Seed, secret, data[max(0, i-60):i])
		}
	}
}

// unchanged ingests again what has not changed.
func (k *known) unchanged(dir string) {
	k.Helper()
	for _, s := range k.ingest(dir).Sources {
		if s.New+s.Updated+s.Read > 0 || s.Bytes > 0 || s.Unchanged == 0 && s.Stores > 0 {
			k.Errorf("seed %d: %s: again: %d new, %d updated, %d stores with %d bytes read, %d unchanged", k.Seed, s.Name, s.New, s.Updated, s.Read, s.Bytes,
				s.Unchanged)
		}
	}
}

// The order in which files come to the archive does not matter: children before parents, forks before what they were
// copied from, one file at a time or all together.
func TestOrderDoesNotMatter(t *testing.T) {
	lab.Unshared(t)
	k := newKnown(t, home.Options{Size: 8 << 20 / smaller(), Seed: 11, Brief: true, Own: true})
	whole := filepath.Join(k.dir, "whole")
	k.ingest(whole)
	want := k.traces(whole)
	orders := map[string]func([]string){
		"backwards": slices.Reverse[[]string],
		"oldest last": func(f []string) {
			slices.SortFunc(f, func(a, b string) int { return k.modified(b).Compare(k.modified(a)) })
		},
		"deepest first": func(f []string) { // sub-agents before whom they work for
			slices.SortFunc(f, func(a, b string) int {
				return cmp.Or(cmp.Compare(strings.Count(b, "/"), strings.Count(a, "/")), cmp.Compare(b, a))
			})
		},
		"shuffled": func(f []string) {
			r := rand.New(rand.NewPCG(1, 2))
			r.Shuffle(len(f), func(i, j int) { f[i], f[j] = f[j], f[i] })
		},
	}
	single := 40 // so many are read one by one
	if testing.Short() {
		single = 10
	}
	for name, order := range orders {
		t.Run(name, func(t *testing.T) {
			k, files := k.at(t), k.files()
			order(files)
			first := func(f string) bool { return strings.Contains(f, ".gemini") && filepath.Ext(f) != ".jsonl" } // what the program writes before any session
			slices.SortStableFunc(files, func(a, b string) int {
				switch {
				case first(a) && !first(b):
					return -1
				case first(b) && !first(a):
					return 1
				}
				return 0
			})
			dir, some := filepath.Join(k.dir, name), filepath.Join(k.dir, name+"-home")
			for i, file := range files {
				k.link(file, some)
				if i < single || i%23 == 0 || i == len(files)-1 {
					k.ingestHome(some, dir)
				}
			}
			k.sameTraces(want, k.traces(dir), some)
		})
	}
}

// A session that grows is all that is read again, however it is cut, and ends as if it had been read at once.
func TestGrownSessions(t *testing.T) {
	lab.Unshared(t) // one store at a time; TestArchiveIsTheTruth reads a home at once
	k := newKnown(t, home.Options{Size: 5 << 20 / smaller(), Seed: 21, Brief: true, Own: true})
	whole := filepath.Join(k.dir, "whole")
	k.ingest(whole)
	want := k.traces(whole)
	dir := filepath.Join(k.dir, "archive")
	r := rand.New(rand.NewPCG(3, 4))
	for _, file := range k.files() {
		if filepath.Ext(file) == ".jsonl" && r.IntN(3) == 0 {
			path, at := filepath.Join(k.home, file), k.modified(file)
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			defer os.WriteFile(path, data, 0o600)
			for _, to := range []int{r.IntN(len(data)), len(data)} {
				if err := os.WriteFile(path, data[:to], 0o600); err != nil {
					t.Fatal(err)
				}
				if err := os.Chtimes(path, at, at.Add(time.Duration(to))); err != nil {
					t.Fatal(err)
				}
				read, changed := 0, 0
				for _, s := range k.ingest(dir).Sources {
					read, changed = read+s.Read, changed+s.New+s.Updated
				}
				if first, family := to != len(data), strings.Contains(file, ".gemini") || strings.Contains(file, ".oss"); !first && (read != 1 || changed > 1 && !family) {
					t.Errorf("%s grew: %d stores were read, %d sessions changed", file, read, changed)
				}
			}
		}
	}
	k.sameTraces(want, k.traces(dir), k.home)
}

// sameTraces compares two archives of one home, which may lie in another place.
func (k *known) sameTraces(want, got map[string]*trace.SessionTrace, moved string) {
	k.Helper()
	if !slices.Equal(slices.Sorted(maps.Keys(want)), slices.Sorted(maps.Keys(got))) {
		k.Fatalf("there are %d sessions, not %d", len(got), len(want))
	}
	bad := 0
	for _, id := range slices.Sorted(maps.Keys(want)) {
		g := got[id]
		for i := range g.Sources {
			g.Sources[i].Path = strings.Replace(g.Sources[i].Path, moved, k.home, 1)
		}
		g.Project.Path, g.Project.Key = strings.Replace(g.Project.Path, moved, k.home, 1), strings.Replace(g.Project.Key, moved, k.home, 1)
		if w := want[id]; !reflect.DeepEqual(w, g) {
			bad++
			if bad <= 5 {
				k.Errorf("%s is not the same:\n%s", id, differences(w, g))
			}
		}
	}
	if bad > 5 {
		k.Errorf("… and %d more of %d", bad-5, len(want))
	}
}

// at is k for a part of the test.
func (k *known) at(t *testing.T) *known {
	c := *k
	c.T = t
	return &c
}

// ingest ingests the home.
func (k *known) ingest(dir string) *ingest.Report { k.Helper(); return k.ingestHome(k.home, dir) }

func (k *known) ingestHome(home, dir string) *ingest.Report {
	k.Helper()
	ctx := context.Background()
	a, err := archive.Open(ctx, dir)
	if err != nil {
		k.Fatal(err)
	}
	defer a.Close()
	report, err := ingest.Run(ctx, ingest.Options{Archive: a, Readers: homeReaders(), Places: trace.Places{Home: home, Getenv: k.marked(home)}})
	if err != nil {
		k.Fatal(err)
	}
	return report
}

// marked marks the home's projects as those of a user who recorded in them, and returns the environment that says where.
func (k *known) marked(home string) func(string) string {
	k.Helper()
	logs, err := filepath.Glob(filepath.Join(home, "work", "*", project.OssDir))
	if err != nil {
		k.Fatal(err)
	}
	state := home + "-state"
	k.Setenv("XDG_STATE_HOME", state)
	for _, log := range logs {
		if err := project.Mark(filepath.Dir(log)); err != nil {
			k.Fatal(err)
		}
	}
	return func(name string) string {
		if name == "XDG_STATE_HOME" {
			return state
		}
		return ""
	}
}
