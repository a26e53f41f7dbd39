package main

import (
	"bytes"
	"os/exec"
	"strings"
	"testing"
)

// TestDemo runs what `make demo` runs.
func TestDemo(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds all executables")
	}
	demo := exec.Command("go", "run", "./internal/lab/demo")
	demo.Dir = "../../.."
	var out, errs bytes.Buffer
	demo.Stdout, demo.Stderr = &out, &errs
	if err := demo.Run(); err != nil {
		t.Fatalf("%v\n%s%s", err, out.String(), errs.String())
	}
	for _, want := range []string{
		"115 hooks", "13 commands", "[redacted:authorization]", "GREEN", "docs/plans/health.md", "whole: 111 entries", "aburn install-hooks",
		`│ - critical: explicit_failure`, `the command "ship" ended as failed`, "1 of 1  0 of 1    1 of 1   0 of 1",
		"↗ try it the other way", "Explore", "† killed",
		"killed test mid", "e1-8501f075f0ca", "Sessions and sub-agents with this sub-signature: 1 failed, 0 completed.",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the demo does not show %q:\n%s", want, out.String())
		}
	}
}
