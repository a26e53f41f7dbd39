package settings

import (
	"flag"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"aburn/supervisor/limits"
	"aburn/workflow"
)

const page = "../../docs/reference/settings.md"

var update = flag.Bool("update", false, "write what is generated into docs/reference/settings.md")

// generate replaces what stands between <!-- generated: name --> and <!-- end -->.
func generate(t *testing.T, text, name, by string) string {
	t.Helper()
	head, rest, ok := strings.Cut(text, "<!-- generated: "+name+" -->\n")
	_, tail, end := strings.Cut(rest, "<!-- end -->\n")
	if !ok || !end {
		t.Fatalf("%s has no place for %s", page, name)
	}
	return head + "<!-- generated: " + name + " -->\n" + by + "<!-- end -->\n" + tail
}

func limitsTable() string {
	l := limits.Default()
	text := "| key | default | |\n|---|---|---|\n"
	for _, name := range limits.Names() {
		text += "| `" + keySupervisor + name + "` | `" + l.Get(name) + "` | " + limits.About(name) + " |\n"
	}
	return text
}

func listsText() string {
	m := workflow.Default()
	text := ""
	for _, l := range []struct {
		key   string
		items []string
	}{{"workflow.tests", m.Tests}, {"workflow.docs", m.Docs}, {"workflow.test_commands", m.TestCommands}, {"supervisor.off knows", limits.Types()}} {
		key, knows, _ := strings.Cut(l.key, " ")
		text += "`" + key + "`" + strings.TrimRight(" "+knows, " ") + ": `" + strings.Join(l.items, "`, `") + "`\n\n"
	}
	return text
}

// table has the rows of some groups.
func table(groups ...string) string {
	text := "| key | default | |\n|---|---|---|\n"
	for _, row := range settings {
		group, _, _ := strings.Cut(row.key, ".")
		if !slices.Contains(groups, group) {
			continue
		}
		def := row.def
		if def == "" {
			def = `""`
		}
		if !ofModel(row.key) {
			def = "`" + def + "`"
		}
		text += "| `" + row.key + "` | " + def + " | " + row.about + " |\n"
	}
	return text
}

// The page has every key, in the part that says who may set it, with its default and its meaning.
func TestPage(t *testing.T) {
	data, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	text := string(data)
	for _, part := range []struct{ name, by string }{
		{"log", table("log")}, {"workflow", table("workflow", "timeouts")}, {"supervisor", table("supervisor", "watch")}, {"limits", limitsTable()},
		{"yours", table("record", "snapshots", "hidden", "inject", "deliver", "queue", "archive", "mcp", "instrument", "cost", "remedy", "notify")},
		{"lists", listsText()},
	} {
		text = generate(t, text, part.name, part.by)
	}
	if *update {
		if err := os.WriteFile(page, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if text != string(data) {
		t.Errorf("%s: go test ./internal/settings -run TestPage -update", page)
	}
	shared, yours, ok := strings.Cut(text, "## Yours alone")
	for _, key := range known(&workflow.Model{
		Commands: []workflow.Command{{Name: "COMMAND"}}, Phases: []workflow.Phase{{Name: "PHASE"}},
	}) {
		if where := map[bool]string{true: yours, false: shared}[userOnly(key)]; !ok || strings.Count(where, "\n| `"+key+"` |") != 1 {
			t.Errorf("%s stands at the wrong place", key)
		}
	}
}

// The defaults in the table are those of the file that init writes, which are the model's (TestDefaultFile).
func TestFileDefaults(t *testing.T) {
	for i := range settings {
		row := &settings[i]
		want := gjson.GetBytes(Default(), row.key).String()
		if want == "" && row.number != nil {
			t.Errorf("%s: not in the file that init writes", row.key)
		}
		if want != "" && strings.Trim(row.def, "`") != want {
			t.Errorf("%s: the default is %s, not %s", row.key, want, row.def)
		}
	}
}
