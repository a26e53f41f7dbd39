package home

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"aburn/internal/lab/world"
	"aburn/internal/scrub"
)

func make1(t *testing.T, o Options) (string, *Truth) {
	t.Helper()
	dir := t.TempDir()
	truth, err := Make(dir, o)
	if err != nil {
		t.Fatal(err)
	}
	return dir, truth
}

// files is the hash of each file below dir, by its path.
func files(t *testing.T, dir string) map[string][32]byte {
	t.Helper()
	all := map[string][32]byte{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		all[strings.TrimPrefix(path, dir)] = sha256.Sum256(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestEqualOptionsGiveEqualBytes(t *testing.T) {
	world.Slow(t)
	o := Options{Size: 3 << 20, Seed: 7, Brief: true, Own: true}
	a, _ := make1(t, o)
	b, _ := make1(t, o)
	o.Seed = 8
	c, _ := make1(t, o)
	if fa, fb := files(t, a), files(t, b); !reflect.DeepEqual(fa, fb) {
		t.Error("the same options gave other bytes")
	} else if reflect.DeepEqual(fa, files(t, c)) {
		t.Error("another seed gave the same bytes")
	}
}

// Every finished line is JSON, the sessions add up to the totals, and the bytes are those that were counted.
func TestTruthAddsUp(t *testing.T) {
	dir, truth := make1(t, Options{Size: 6 << 20, Seed: 1, Brief: true, Own: true})
	if n := truth.size(); n < 6<<20 || n > 7<<20 {
		t.Errorf("%d bytes, asked for %d", n, 6<<20)
	}
	sessions, err := Sessions(dir)
	if err != nil {
		t.Fatal(err)
	}
	sums := map[string]*Held{}
	for i := range sessions {
		s := &sessions[i]
		if sums[s.Source] == nil {
			sums[s.Source] = &Held{}
		}
		sums[s.Source].Add(&s.Held)
		data, err := os.ReadFile(filepath.Join(dir, "home", s.File))
		if err != nil {
			t.Fatal(err)
		}
		lines := bytes.Split(data, []byte("\n"))
		for n, line := range lines[:len(lines)-1] { // the last one is empty, or was not written to its end
			if !json.Valid(line) && s.Source != "own" {
				t.Fatalf("%s: line %d is no JSON: %.300s", s.File, n+1, line)
			}
		}
	}
	for source, total := range truth.Totals {
		if !reflect.DeepEqual(*sums[source], total.Held) {
			t.Errorf("%s: the sessions add up to %+v, not %+v", source, *sums[source], total.Held)
		}
	}
}

// A few megabytes hold some of everything.
func TestSmallHomesHoldAll(t *testing.T) {
	world.Slow(t)
	_, truth := make1(t, Options{Size: 20 << 20, Seed: 3, Brief: true, Own: true})
	for source, lacks := range map[string]string{
		"claude": "containers repeats dropped reviews legacy", "codex": "notified queued abandoned user_calls background copied",
		"own": "responses spawned background changes interrupts compacted resumed notified queued parallel abandoned containers user_calls repeats dropped " +
			"reviews legacy copied usage",
		"gemini": "denied no_result background errors interrupts compacted resumed notified queued parallel containers user_calls repeats dropped reviews " +
			"legacy copied",
	} {
		v := reflect.ValueOf(truth.Totals[source].Held)
		for i := range v.NumField() {
			name := v.Type().Field(i).Tag.Get("json")
			if v.Field(i).IsZero() && !strings.Contains(" "+lacks+" ", " "+name+" ") {
				t.Errorf("%s: there are no %s", source, name)
			}
		}
	}
	for _, s := range truth.Secrets {
		if out, _ := scrub.Text("a " + s + " b"); strings.Contains(out, s) {
			t.Errorf("nobody can tell that %.8s… is a secret", s)
		}
	}
	if len(truth.Secrets) < 20 {
		t.Errorf("only %d secrets", len(truth.Secrets))
	}
}
