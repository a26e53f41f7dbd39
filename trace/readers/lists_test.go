package readers_test

import (
	"flag"
	"os"
	"regexp"
	"strings"
	"testing"

	"aburn/internal/agentcli"
	"aburn/trace/readers"
)

var update = flag.Bool("update", false, "write the lists of readers in the schema and the pages")

// TestListsOfReaders holds the lists of readers in the schema and in the pages to the records of agents.
func TestListsOfReaders(t *testing.T) {
	names := strings.Split(agentcli.Names(agentcli.All()), ", ")
	marked := "`" + strings.Join(names, "`, `") + "`"
	for _, c := range []struct{ path, before, list, after string }{
		{"../schema.json", `"the reader: `, strings.Join(names, ", "), `"`},
		{"../../docs/formats/trace.md", `the reader (`, marked, `)`},
		{"../../docs/formats/json.md", `the reader (`, marked, `)`},
	} {
		text, err := os.ReadFile(c.path)
		if err != nil {
			t.Fatal(err)
		}
		list := regexp.MustCompile(regexp.QuoteMeta(c.before) + "[a-z, `]+" + regexp.QuoteMeta(c.after))
		want := list.ReplaceAllLiteral(text, []byte(c.before+c.list+c.after))
		switch {
		case !list.Match(text):
			t.Errorf("%s has no list of readers", c.path)
		case string(want) == string(text):
		case *update:
			if err := os.WriteFile(c.path, want, 0o644); err != nil {
				t.Fatal(err)
			}
		default:
			t.Errorf("%s lists other readers than agentcli: go test ./trace/readers -update", c.path)
		}
	}
	known := map[string]bool{}
	for _, name := range names {
		known[name] = true
	}
	for _, r := range readers.Readers() {
		if !known[r.Name()] {
			t.Errorf("agentcli has no record of the reader %s", r.Name())
		}
	}
}
