package instrument_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

// judged is the number of cases of each sitting. An archive that lost a marker line would lose a case without a word.
var judged = map[string]int{"cases": 271, "second": 282, "third": 49, "fourth": 442, "fifth": 121, "sixth": 40}

// readCases unpacks the archives of rules/testdata: SITTING/RULE.txtar holds the files NAME/… of its cases. Some have
// CR LF, which txtar and .gitattributes leave alone.
func readCases(t *testing.T) (list []labelled) {
	t.Helper()
	archives, err := filepath.Glob("rules/testdata/*/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	root := t.TempDir()
	count := map[string]int{}
	for _, file := range archives {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		sitting, rule := filepath.Base(filepath.Dir(file)), strings.TrimSuffix(filepath.Base(file), ".txtar")
		dir := filepath.Join(root, sitting, rule)
		if err := txtar.Write(archive, dir); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		labels := map[string][]byte{} // by the case's name, nil: it has none
		for _, f := range archive.Files {
			name, rest, _ := strings.Cut(f.Name, "/")
			if rest == "expected.json" {
				labels[name] = f.Data
			} else if _, known := labels[name]; !known {
				labels[name] = nil
			}
		}
		for _, name := range slices.Sorted(maps.Keys(labels)) {
			c := labelled{dir: filepath.Join(dir, name), sitting: sitting, name: path.Join(rule, name)}
			decoder := json.NewDecoder(bytes.NewReader(labels[name]))
			decoder.DisallowUnknownFields()
			if err := decoder.Decode(&c); err != nil {
				t.Fatalf("%s: %s/expected.json: %v", file, name, err)
			}
			list = append(list, c)
			count[sitting]++
		}
	}
	if diff := cmp.Diff(judged, count); diff != "" {
		t.Fatalf("cases of each sitting (-want +got):\n%s", diff)
	}
	return list
}
