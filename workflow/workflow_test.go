package workflow

import (
	"path"
	"testing"
	"time"
)

// The default is one chain: each command but the first comes after exactly one that stands before it.
func TestDefaultIsAChain(t *testing.T) {
	m := Default()
	var names []string
	for name := "ideate"; name != ""; name = m.Next(name) {
		names = append(names, name)
	}
	if len(names) != 4 || len(m.Commands) != 4 {
		t.Fatalf("from ideate one reaches %v", names)
	}
	for i, c := range m.Commands {
		if c.Name != names[i] || i > 0 && c.After != names[i-1] {
			t.Errorf("command %d is %+v", i, c)
		}
		if got, ok := m.Command(c.Name); !ok || got.Name != c.Name {
			t.Errorf("Command(%s) = %+v, %v", c.Name, got, ok)
		}
		for _, pattern := range c.Outputs {
			if _, err := path.Match(pattern, "x"); err != nil {
				t.Errorf("%s: %s: %v", c.Name, pattern, err)
			}
		}
	}
	if m.Next("") != "" || m.Next("nothing") != "" {
		t.Error("something comes after nothing")
	}
	if _, ok := m.Command("nothing"); ok {
		t.Error("there is a command called nothing")
	}
}

func TestTimeouts(t *testing.T) {
	m := Default()
	for phase, want := range map[string]time.Duration{
		"RED": 10 * time.Minute, "GREEN": 5 * time.Minute, "REFACTOR": 3 * time.Minute, "": 5 * time.Minute, "DOCS": 5 * time.Minute,
	} {
		if got := m.TimeoutOf(phase); got != want {
			t.Errorf("%q: %v, want %v", phase, got, want)
		}
	}
	if !m.HasPhase("RED") || m.HasPhase("DOCS") {
		t.Error("HasPhase")
	}
}

func TestLegal(t *testing.T) {
	m := Default()
	for _, c := range []struct{ from, to, skipped string }{
		{"", "RED", ""}, {"RED", "GREEN", ""}, {"GREEN", "REFACTOR", ""}, {"REFACTOR", "RED", ""}, {"GREEN", "RED", ""}, {"RED", "RED", ""}, {"GREEN", "GREEN", ""},
		{"", "GREEN", "RED"}, {"", "REFACTOR", "RED"}, {"RED", "REFACTOR", "GREEN"}, {"REFACTOR", "GREEN", "RED"},
		{"DOCS", "GREEN", ""}, {"RED", "DOCS", ""}, {"", "DOCS", ""}, {"RED", "", ""}, {"", "", ""},
	} {
		if ok, skipped := m.Legal(c.from, c.to); ok != (c.skipped == "") || skipped != c.skipped {
			t.Errorf("%q -> %q: %v, %q", c.from, c.to, ok, skipped)
		}
	}
	one := Model{Phases: []Phase{{Name: "A"}}}
	if ok, _ := one.Legal("A", "A"); !ok {
		t.Error("A after A")
	}
	if ok, _ := (&Model{}).Legal("", "A"); !ok {
		t.Error("a model without phases")
	}
	free := Model{Phases: []Phase{{Name: "A", Optional: true}, {Name: "B", Optional: true}, {Name: "C"}}}
	if ok, _ := free.Legal("", "C"); !ok {
		t.Error("only optional ones were left out")
	}
	if ok, skipped := free.Legal("B", "A"); ok || skipped != "C" {
		t.Error("round the cycle", skipped)
	}
}
