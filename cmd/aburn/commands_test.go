package main

import (
	"io"
	"strings"
	"testing"

	"aburn/cmd/internal/kit"
)

// The help begins with at most 18 commands in four groups. Each command says what it does in at most 60 characters.
func TestFrontDoor(t *testing.T) {
	root := root(&kit.App{Stdout: io.Discard, Stderr: io.Discard, Getenv: noEnv})
	count := 0
	for _, h := range frontDoor {
		for name := range strings.FieldsSeq(h.Commands) {
			if count++; root.Command(name) == nil {
				t.Errorf("%s: there is no command %s", h.Title, name)
			}
		}
	}
	if len(frontDoor) != 4 || count > 18 {
		t.Errorf("%d commands in %d groups", count, len(frontDoor))
	}
	for _, c := range root.Commands {
		if n := len(c.Usage); !c.Hidden && (n == 0 || n > 60 || strings.HasSuffix(c.Usage, ".")) {
			t.Errorf("%s: %q has %d characters", c.Name, c.Usage, n)
		}
	}
}
