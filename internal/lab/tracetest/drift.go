package tracetest

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Record is a record of a store, one JSON object a line.
type Record map[string]json.RawMessage

// Word is a member that is a text, "" otherwise.
func (r Record) Word(member string) (text string) {
	json.Unmarshal(r[member], &text)
	return text
}

// In is a member that is an object, nil otherwise.
func (r Record) In(member string) (inner Record) {
	json.Unmarshal(r[member], &inner)
	return inner
}

// Shape returns a record's kind, and the objects whose members belong to the kind, by the prefix that known names them with.
type Shape func(r Record) (kind string, parts map[string]Record)

// Drift lists what the records of an agent's files have and the reader does not name: kinds of records, and members of known
// kinds. known is a file with a line for each kind, "kind: member member": what the reader reads, and what it passes over on
// purpose. A new client that writes more fails the test, so that somebody looks at it before users lose something.
func Drift(t testing.TB, known string, shape Shape, dirs ...string) []string {
	t.Helper()
	named := namedIn(t, known)
	drift := map[string]bool{}
	records := 0
	for _, dir := range dirs {
		files(t, dir, func(path string, data []byte) {
			lines := bufio.NewScanner(bytes.NewReader(data))
			lines.Buffer(nil, len(data)+1)
			for lines.Scan() {
				var r Record
				if json.Unmarshal(lines.Bytes(), &r) != nil || r == nil {
					continue // damaged, which the readers report
				}
				records++
				for _, what := range unnamed(named, shape, r) {
					drift[what] = true
				}
			}
		})
	}
	if records == 0 {
		t.Fatalf("no records in %v", dirs)
	}
	return slices.Sorted(maps.Keys(drift))
}

func namedIn(t testing.TB, known string) map[string]map[string]bool {
	t.Helper()
	data, err := os.ReadFile(known)
	if err != nil {
		t.Fatal(err)
	}
	named := map[string]map[string]bool{}
	for line := range strings.Lines(string(data)) {
		kind, members, ok := strings.Cut(strings.TrimSpace(line), ": ")
		if !ok {
			t.Fatalf("%s: %q", known, line)
		}
		named[kind] = map[string]bool{}
		for _, m := range strings.Fields(members) {
			named[kind][m] = true
		}
	}
	return named
}

func unnamed(named map[string]map[string]bool, shape Shape, r Record) (list []string) {
	kind, parts := shape(r)
	members := named[kind]
	if members == nil {
		return []string{fmt.Sprintf("the kind %s", kind)}
	}
	for prefix, part := range parts {
		for m := range part {
			if !members[prefix+m] {
				list = append(list, fmt.Sprintf("%s%s of %s", prefix, m, kind))
			}
		}
	}
	return list
}

func files(t testing.TB, dir string, each func(path string, data []byte)) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".jsonl" {
			return err
		}
		data, err := os.ReadFile(path)
		if err == nil {
			each(path, data)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// ClaudeShape is the Shape of Claude Code's transcripts.
func ClaudeShape(r Record) (kind string, parts map[string]Record) {
	kind, parts = r.Word("type"), map[string]Record{"": r}
	switch kind {
	case "system":
		kind += "/" + r.Word("subtype")
	case "attachment":
		parts["attachment."] = r.In("attachment")
		kind += "/" + parts["attachment."].Word("type")
	}
	return kind, parts
}

// CodexShape is the Shape of Codex's rollouts.
func CodexShape(r Record) (kind string, parts map[string]Record) {
	kind, parts = r.Word("type"), map[string]Record{"": r}
	payload := r.In("payload")
	parts["payload."] = payload
	if name := payload.Word("type"); name != "" {
		kind += "/" + name
	}
	if item := payload.In("item"); item.Word("type") != "" {
		parts["item."] = item
		kind += "/" + item.Word("type")
	}
	return kind, parts
}
