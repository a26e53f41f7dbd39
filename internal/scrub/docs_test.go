package scrub

import (
	"os"
	"strings"
	"testing"
)

// docs/formats/scrubbing.md names every rule.
func TestDocsNameTheRules(t *testing.T) {
	doc, err := os.ReadFile("../../docs/formats/scrubbing.md")
	if err != nil {
		t.Fatal(err)
	}
	words := make(map[string]bool)
	for _, w := range strings.FieldsFunc(string(doc), func(r rune) bool { return strings.ContainsRune(" \n,.;:()`", r) }) {
		words[w] = true
	}
	for _, id := range ruleIDs() {
		if !words[id] {
			t.Errorf("docs/formats/scrubbing.md does not name the rule %s", id)
		}
	}
}

// ruleIDs are the names that markers have.
func ruleIDs() []string {
	ids := []string{"password", "secret", "authorization", "cookie", "url-password", "private-key", "argument", "kubernetes", "mnemonic", "rest"}
	for _, v := range vendors {
		ids = append(ids, v.id)
	}
	for arg := 0; ; arg += maxShapes {
		r, _ := shapeOf(arg)
		if r == nil {
			return ids
		}
		ids = append(ids, r.id)
	}
}
