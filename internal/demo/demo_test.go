package main

import (
	"bytes"
	"os/exec"
	"strings"
	"testing"
)

// TestDemo runs what `make demo` runs.
func TestDemo(t *testing.T) {
	demo := exec.Command("go", "run", "./internal/demo")
	demo.Dir = "../.."
	var out, errs bytes.Buffer
	demo.Stdout, demo.Stderr = &out, &errs
	if err := demo.Run(); err != nil {
		t.Fatalf("%v\n%s%s", err, out.String(), errs.String())
	}
	for _, want := range []string{
		"82 hooks", "10 commands", "[redacted:authorization]", "GREEN", "docs/plans/health.md", "whole: 70 entries", "aburn install-hooks",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the demo does not show %q:\n%s", want, out.String())
		}
	}
}
