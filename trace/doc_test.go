package trace

import (
	"encoding/json"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
)

// The page about the form names every member of a trace and every word that a member can be.
func TestPageNamesAll(t *testing.T) {
	page, err := os.ReadFile("../docs/formats/trace.md")
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile("schema.json")
	if err != nil {
		t.Fatal(err)
	}
	var schema map[string]any
	if err := json.Unmarshal(data, &schema); err != nil {
		t.Fatal(err)
	}
	words := map[string]bool{}
	for member := range schema["properties"].(map[string]any) {
		words[member] = true
	}
	for _, def := range schema["$defs"].(map[string]any) {
		properties, _ := def.(map[string]any)["properties"].(map[string]any)
		for _, p := range properties {
			enum, _ := p.(map[string]any)["enum"].([]any)
			for _, word := range enum {
				words[word.(string)] = true
			}
		}
	}
	for _, from := range []From{FromToolResult, FromNotification, FromQueue, FromProgress, FromFunctionCallOutput} {
		words[string(from)] = true
	}
	for _, word := range slices.Sorted(maps.Keys(words)) {
		// command_started and its like are named in two halves.
		if _, half, ok := strings.Cut(word, "_"); ok && (strings.HasPrefix(word, "command_") || strings.HasPrefix(word, "phase_")) && half != "output" {
			word = half
		}
		if !strings.Contains(string(page), "`"+word+"`") {
			t.Errorf("docs/formats/trace.md does not say what `%s` is", word)
		}
	}
}
