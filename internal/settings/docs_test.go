package settings

import (
	"flag"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"aburn/workflow"
)

const page = "../../docs/settings.md"

var update = flag.Bool("update", false, "write what is generated into docs/settings.md")

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
	l := workflow.DefaultLimits()
	text := "| key | default | |\n|---|---|---|\n"
	for _, name := range l.Names() {
		text += "| `" + keySupervisor + name + "` | `" + l.Get(name) + "` | " + l.About(name) + " |\n"
	}
	return text
}

func listsText() string {
	m := workflow.Default()
	text := ""
	for _, l := range []struct {
		key   string
		items []string
	}{{keyTests, m.Tests}, {keyDocs, m.Docs}, {keyTestCommands, m.TestCommands}, {keyOff + " knows", workflow.Types()}} {
		key, knows, _ := strings.Cut(l.key, " ")
		text += "`" + key + "`" + strings.TrimRight(" "+knows, " ") + ": `" + strings.Join(l.items, "`, `") + "`\n\n"
	}
	return text
}

// defaultOf is the default of a key as the page shows it, "" where it shows it in words.
func defaultOf(key string) string {
	s := defaults()
	l := workflow.DefaultLimits()
	onOff := map[bool]string{true: "true", false: "false"}
	switch key {
	case keyChainOnStart:
		return onOff[s.Inject.ChainOnStart]
	case keyAtStop:
		return onOff[s.Deliver.AtStop]
	case keyAgentEnd:
		return onOff[s.Deliver.AgentEnd]
	case keyForeign:
		return onOff[s.Queue.Foreign]
	case keyExpires:
		return strings.TrimSuffix(s.Queue.Expires.String(), "0m0s")
	case keyAtSessionEnd:
		return onOff[s.Archive.AtSessionEnd]
	case keyRetention:
		return strconv.Itoa(s.Archive.Retention)
	case keyDesktop:
		return onOff[s.Notify.Desktop]
	case keyBell:
		return onOff[s.Notify.Bell]
	case keyCommand:
		return `"` + s.Notify.Line + `"`
	case keyMin:
		return map[float64]string{0: "0"}[s.Notify.Min]
	}
	if v := gjson.GetBytes(Default(), key); v.Exists() {
		return v.String()
	}
	return l.Get(strings.TrimPrefix(key, keySupervisor))
}

// The page lists every key once, with its default, and no other.
func TestPage(t *testing.T) {
	data, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	text := generate(t, generate(t, string(data), "limits", limitsTable()), "lists", listsText())
	if *update {
		if err := os.WriteFile(page, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if text != string(data) {
		t.Errorf("%s: go test ./internal/settings -run TestPage -update", page)
	}
	keys := known(&workflow.Model{
		Commands: []workflow.Command{{Name: "COMMAND"}}, Phases: []workflow.Phase{{Name: "PHASE"}}, Limits: workflow.DefaultLimits(),
	})
	var rows []string
	for _, row := range regexp.MustCompile("(?m)^\\| `([^`]*)` \\| (.*?) \\| .* \\|$").FindAllStringSubmatch(text, -1) {
		rows = append(rows, row[1])
		if want := defaultOf(row[1]); want != "" && row[2] != "`"+want+"`" {
			t.Errorf("%s: the default is %s, not %s", row[1], want, row[2])
		}
	}
	slices.Sort(rows)
	slices.Sort(keys)
	if !slices.Equal(rows, keys) {
		t.Errorf("rows %q\nkeys %q", rows, keys)
	}
	// What is a data key is not below the heading of the user's own, and the other way round.
	shared, yours, ok := strings.Cut(text, "## Yours alone")
	for _, key := range keys {
		if where := map[bool]string{true: yours, false: shared}[userOnly(key)]; !ok || !strings.Contains(where, "| `"+key+"` |") {
			t.Errorf("%s stands at the wrong place", key)
		}
	}
}
