package supervisor

import (
	"flag"
	"os"
	"strings"
	"testing"

	"aburn/supervisor/limits"
)

var update = flag.Bool("update", false, "write the table of docs/reference/supervising.md")

// The page's table is the code's.
func TestPage(t *testing.T) {
	const page, end = "../docs/reference/supervising.md", "<!-- end -->"
	b, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	begin := "-update -->\n"
	before, rest, ok := strings.Cut(string(b), begin)
	_, after, closed := strings.Cut(rest, end)
	if !ok || !closed {
		t.Fatalf("%s: the marks around the table are gone", page)
	}
	want := before + begin + table() + end + after
	if want == string(b) {
		return
	}
	if !*update {
		t.Fatalf("%s: the table is not the code's; go test ./supervisor -run TestPage -update", page)
	}
	if err := os.WriteFile(page, []byte(want), 0o644); err != nil {
		t.Fatal(err)
	}
}

func table() string {
	defaults := limits.Default()
	var b strings.Builder
	b.WriteString("| type | priority | above 0.9 | raised when | default |\n|---|---|---|---|---|\n")
	var group limits.Group
	for _, k := range Kinds() {
		if k.Group != group {
			group = k.Group
			b.WriteString("| **" + string(group) + "** | | | | |\n")
		}
		earned := ""
		if k.Earned {
			earned = "yes"
		}
		var numbers []string
		for _, name := range limits.Names() {
			if param, ok := strings.CutPrefix(name, string(k.Type)+"."); ok {
				value := defaults.Get(name)
				if name == "phase_stuck.timeout" {
					value = "each phase's own"
				}
				numbers = append(numbers, "`"+param+"` "+value)
			}
		}
		b.WriteString("| `" + string(k.Type) + "` | " + k.Priority + " | " + earned + " | " + k.Means + " | " + strings.Join(numbers, ", ") + " |\n")
	}
	return b.String()
}

// Every type is in one list, and in the settings' too.
func TestKindsAreTheTypes(t *testing.T) {
	names := limits.Types()
	if len(names) != len(Types()) {
		t.Fatalf("settings know %d types of %d", len(names), len(Types()))
	}
	for i, typ := range Types() {
		if names[i] != string(typ) {
			t.Errorf("type %d is %s, settings call it %s", i, typ, names[i])
		}
		if k := typ.Kind(); rank(typ) == 3 && k.Priority != "low" || k.Group == "" || k.Means == "" {
			t.Errorf("%s: %+v", typ, k)
		}
		if critical := typ.Kind().Group == limits.Hard || typ == limits.ExplicitFailure; critical != (typ.Priority() == "critical") {
			t.Errorf("%s has the priority %s", typ, typ.Priority())
		}
	}
	if k := Type("nothing").Kind(); k.Priority != "" || k.Earned {
		t.Errorf("a type that is none is %+v", k)
	}
}
