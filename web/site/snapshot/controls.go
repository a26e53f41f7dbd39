package snapshot

import (
	"slices"

	"aburn/internal/plain"
	"aburn/web/pages"
	"aburn/web/show"
)

// ChosenLinks are the filters that are set and that no other control shows, each with an address without it.
func ChosenLinks(page string, f Filter, shown ...string) (list []pages.Link) {
	words := map[string]string{"day": "answers on ", "ended": "ended on ", "model": "model ", "branch": "branch ", "key": "failure ",
		"family": "with its sub-agents: ", "session": "session ", "q": "search: ",
		"period": "answers in period: ", "since": "ended in the last ", "project": "project ", "agent": "agent ", "outcome": "outcome "}
	for _, p := range f.Parameters() {
		if *p.Value == "" || slices.Contains(shown, p.Name) || words[p.Name] == "" {
			continue
		}
		value := *p.Value
		if p.Name == "project" {
			value = NameOf(value)
		}
		list = append(list, pages.Link{Text: plain.Cut(plain.Line(words[p.Name]+value), 80), Href: f.With(p.Name, "").Address(page)})
	}
	if f.Solved {
		without := f
		without.Solved = false
		list = append(list, pages.Link{Text: "solved later", Href: without.Address(page)})
	}
	return list
}

func ChoiceOf(label, name string, words [][2]string, f Filter, page string) pages.Choice {
	c := pages.Choice{Label: label}
	now := f.Values().Get(name)
	for _, w := range words {
		c.Links = append(c.Links, pages.Link{Text: w[1], Href: f.With(name, w[0]).Address(page), Current: now == w[0]})
	}
	return c
}

func SelectOf(name, label string, words [][2]string, now string) pages.Select {
	one := pages.Select{Name: name, Label: label}
	for _, w := range words {
		one.Options = append(one.Options, pages.Option{Value: w[0], Text: w[1], Current: now == w[0]})
	}
	return one
}

func ProjectSelect(v *View, f Filter) pages.Select {
	words := [][2]string{{"", "All projects"}}
	for _, root := range v.Roots {
		words = append(words, [2]string{root, NameOf(root)})
	}
	return SelectOf("project", "Project", words, f.Project)
}

func AgentSelect(v *View, f Filter) pages.Select {
	words := [][2]string{{"", "All agents"}}
	for _, source := range v.Sources() {
		words = append(words, [2]string{source, show.Agent(source)})
	}
	return SelectOf("agent", "Agent", words, f.Agent)
}

// HiddenFields are the parameters that a form has to carry on, as it has no control for them.
func HiddenFields(f Filter, shown ...string) (list []pages.Field) {
	for _, p := range f.Parameters() {
		// A value that cannot be shown as it is stands in addresses only.
		if *p.Value != "" && plain.Line(*p.Value) == *p.Value && !slices.Contains(shown, p.Name) {
			list = append(list, pages.Field{Name: p.Name, Value: *p.Value})
		}
	}
	if f.Solved {
		list = append(list, pages.Field{Name: "solved", Value: "1"})
	}
	return list
}
