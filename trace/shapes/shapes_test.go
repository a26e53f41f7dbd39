package shapes

import (
	"bytes"
	"flag"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the lists")

// TestKnown: the lists have what the recorded files of the readers have. What was written by hand, in built/, is left out.
func TestKnown(t *testing.T) {
	lists, err := os.ReadDir("known")
	if err != nil || len(lists) < 5 {
		t.Fatal(err, lists)
	}
	for _, list := range lists {
		agent := strings.TrimSuffix(list.Name(), ".txt")
		found := Set{}
		err := filepath.WalkDir(filepath.Join("..", agent, "testdata"), func(path string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() || filepath.Ext(path) != ".jsonl" || strings.Contains(path, "/built/") {
				return err
			}
			data, err := os.ReadFile(path)
			for line := range bytes.Lines(data) {
				found.Add(line)
			}
			return err
		})
		if err != nil || len(found) < 10 {
			t.Errorf("%s: %d names, %v", agent, len(found), err)
			continue
		}
		if *update {
			if err := os.WriteFile(filepath.Join("known", list.Name()), found.Lines(), 0o600); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if known, _ := Known(agent); !maps.Equal(known, found) {
			t.Errorf("%s: the list is not that of the fixtures; go test ./trace/shapes -update", agent)
		}
	}
}

func TestUnknown(t *testing.T) {
	known := Set{}
	known.Add([]byte(`{"type":"user","uuid":"u","message":{"role":"user","content":"x"},"input":{"path":"a"}}`))
	var u Unknown
	for _, record := range []string{
		`{"type":"user","uuid":"u","message":{"content":"y"},"input":{"anything":{"at":"all"}}}`,
		`{"type":"user","mood":1,"message":{"role":"user","tone":2}}`,
		`{"type":"user","mood":2}`,
		`{"type":"dream","uuid":"u"}`,
		`{"type":"user","/home/me/secret":1}`,
		`[1]`, `{"type":"user","mood`, ``,
	} {
		u.Add([]byte(record), known)
	}
	names := slices.Sorted(maps.Keys(u.Names))
	want := []string{"dream", "dream.type", "dream.uuid", "user.?", "user.message.tone", "user.mood"}
	if u.Records != 4 || !slices.Equal(names, want) || u.Names["user.mood"] != 2 {
		t.Errorf("%d records, %v", u.Records, u.Names)
	}
	if _, ok := Known("nobody"); ok {
		t.Error("nobody has a list")
	}
}
