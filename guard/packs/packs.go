// Package packs holds the rules that aburn brings with it. None of them counts before a person enables it.
package packs

import (
	"embed"
	"fmt"
	"slices"
	"strings"

	"aburn/guard"
)

//go:embed *.yaml
var files embed.FS

// Names are the packs, in the order in which people read them.
func Names() []string {
	return []string{"git", "files", "data", "secrets", "supply", "self", "runaway"}
}

// About is a pack in one sentence.
func About(pack string) string {
	text, _ := files.ReadFile(pack + ".yaml")
	line, _, _ := strings.Cut(string(text), "\n")
	return strings.TrimPrefix(line, "# ")
}

// Rules are the rules of a pack.
func Rules(pack string) ([]guard.Rule, error) {
	text, err := files.ReadFile(pack + ".yaml")
	if err != nil {
		return nil, fmt.Errorf("no pack is called %s", pack)
	}
	rules, err := guard.Read(pack+".yaml", text)
	for i := range rules {
		rules[i].Pack, rules[i].File = pack, ""
	}
	return rules, err
}

// All are the rules of all packs.
func All() (all []guard.Rule, err error) {
	for _, name := range Names() {
		rules, err := Rules(name)
		if err != nil {
			return nil, err
		}
		all = append(all, rules...)
	}
	return all, nil
}

// Is reports whether a pack has this name.
func Is(name string) bool { return slices.Contains(Names(), name) }
