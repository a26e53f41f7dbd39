package site

import (
	"slices"
	"testing"

	"aburn/install/doctor"
)

// A head sorts by its column, and once more the other way round. What is unknown comes last both ways, and equals keep their order.
func TestArrange(t *testing.T) {
	type row struct {
		name string
		n    float64
	}
	columns := []column[row]{
		{name: "name", head: "name", text: func(r row) string { return r.name }},
		{name: "n", head: "amount", number: func(r row) (float64, bool) { return r.n, r.n >= 0 }},
		{head: "picture"},
	}
	all := []row{{"b", 1}, {"A", 3}, {"", 2}, {"c", -1}, {"d", 1}}
	for at, want := range map[string][2]string{
		"": {"bA?cd", "n"}, "nonsense": {"bA?cd", "n"}, "name": {"Abcd?", "-name"}, "-name": {"dcbA?", "name"}, "-n": {"bd?Ac", "n"}, "n": {"bA?cd", "-n"},
	} {
		list := slices.Clone(all)
		usual := "n" // the caller's order, whatever it is
		heads := arrange(list, columns, at, usual, func(sort string) string { return sort })
		got := ""
		for _, r := range list {
			got += (r.name + "?")[:1]
		}
		i := 1
		if want[1] == "name" || want[1] == "-name" {
			i = 0
		}
		next := want[1]
		if at == "" || at == "nonsense" {
			next = "-n"
		}
		if got != want[0] || heads[i].Href != next || heads[i].Order == "" || heads[1-i].Order != "" || heads[2].Href != "" {
			t.Errorf("by %q: %s, %+v", at, got, heads)
		}
	}
}

func TestSortOfOneTable(t *testing.T) {
	for _, sort := range []string{"cost", "-cost"} {
		if got := sortOf(sortIn("models", sort), "models"); got != sort {
			t.Errorf("%q became %q", sort, got)
		}
		if got := sortOf(sortIn("models", sort), "days"); got != "" {
			t.Errorf("a sort of another table sorts by %q", got)
		}
	}
}

// What all projects have in common is said once, about the machine; what is a project's own stays with it.
func TestChecksOfTheMachine(t *testing.T) {
	check := func(topic, text string) doctor.Check {
		return doctor.Check{Topic: topic, Status: doctor.OK, Text: text}
	}
	machine, rest := splitChecks(map[string][]doctor.Check{
		"/a": {check("project", "here"), check("claude", "hooks"), check("codex", "also in this project"), check("archive", "complete")},
		"/b": {check("project", "here"), check("claude", "hooks"), check("codex", "hooks"), check("archive", "complete")},
	})
	topics := func(list []doctor.Check) (all string) {
		for _, c := range list {
			all += c.Topic + " "
		}
		return all
	}
	if topics(machine) != "claude archive " || topics(rest["/a"]) != "project codex " || topics(rest["/b"]) != "project codex " {
		t.Errorf("%v, %v", machine, rest)
	}
}
