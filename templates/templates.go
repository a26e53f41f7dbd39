package templates

import (
	"embed"
	"strings"
)

//go:embed text/*.md
var texts embed.FS

// Kind is a template's role in an agent.
type Kind string

const (
	Command Kind = "command" // a step of the workflow: slash command or skill
	Guide   Kind = "guide"   // something to read while writing prompts: a skill
)

// Template is one text for prompts, independent of the agent.
type Template struct {
	Name        string
	Kind        Kind
	Description string // one sentence, which agents show and use to choose
	Hint        string // what the user may type after the name; "" for a guide
	Explicit    bool   // only the user starts it, never the model by itself
	body        string
}

func names() []string { return []string{"ideate", "plan", "build", "ship", "logging"} }

// List returns all templates in the order of the workflow, the guide last.
func List() []Template {
	var all []Template
	for _, name := range names() {
		t, ok := Find(name)
		if !ok {
			panic("templates: text/" + name + ".md is not embedded")
		}
		all = append(all, t)
	}
	return all
}

// Find returns the template with the given name.
func Find(name string) (Template, bool) {
	text, ok := read(name)
	if !ok {
		return Template{}, false
	}
	head, body, ok := strings.Cut(text, "---\n")
	if !ok {
		return Template{}, false // a text to include, such as lifecycle
	}
	t := Template{body: body}
	for line := range strings.Lines(head) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		switch key {
		case "name":
			t.Name = value
		case "kind":
			t.Kind = Kind(value)
		case "description":
			t.Description = value
		case "hint":
			t.Hint = value
		case "explicit":
			t.Explicit = value == "yes"
		default:
			panic("templates: text/" + name + ".md has an unknown key " + key)
		}
	}
	return t, t.Name == name
}

func read(name string) (string, bool) {
	b, err := texts.ReadFile("text/" + name + ".md")
	return string(b), err == nil
}
