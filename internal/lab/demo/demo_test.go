package main

import (
	"bytes"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"

	"aburn/internal/lab/world"
)

// TestDemo runs what `make demo ALL=1` runs.
func TestDemo(t *testing.T) {
	shows(t, []string{"-all"}, []string{
		"115 hooks", "13 commands", "[redacted:authorization]", "GREEN", "docs/plans/health.md", "whole: 111 entries", "aburn install-hooks",
		`│ - critical: explicit_failure`, `the command "ship" ended as failed`, "1 of 1  0 of 1    1 of 1   0 of 1",
		"↗ try it the other way", "Explore", "† crashed",
		"crashed test mid", "e1-8501f075f0ca", "Sessions and sub-agents with this sub-signature: 1 failed, 0 completed.",
	})
}

// TestShortDemo runs what `make demo` runs: it says what it builds before it does, shows answers, and no more lines than people read.
func TestShortDemo(t *testing.T) {
	out := shows(t, nil, []string{
		"building aburn and aburn-hook", "shop", "billing", "mobile", "total", "3 of 6", "Fix the flaky cart test",
		"explicit_failure  97%  critical", "aburn install-hooks", "make demo ALL=1",
	})
	if n := strings.Count(out, "\n"); n > 45 || strings.Index(out, "building") > strings.Index(out, "built") {
		t.Errorf("%d lines:\n%s", n, out)
	}
}

// TestWorkersDemo runs what `make demo-workers` runs.
func TestWorkersDemo(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil || runtime.GOOS == "windows" {
		t.Skip("it needs git and a Unix")
	}
	shows(t, []string{"-workers"}, []string{
		"the daemon supervises your workers", "needs you: asks", "aburn answer clean-up allow", "fix-the-total    done · conflict with round-the-total",
		"conflict in 1 file",
		"fix-the-total  merged into main: 1 commit", "round-the-total  conflicts with main in 1 file; nothing was touched",
		"fix-the-total  tree removed", `$ aburn spawn "fix the flaky test"`,
	})
}

// TestInstrumentDemo runs what `make demo-instrument` runs. It needs npm's network, so ABURN_RUNNERS=1 or few asks for it.
func TestInstrumentDemo(t *testing.T) {
	if os.Getenv("ABURN_RUNNERS") == "" {
		t.Skip("ABURN_RUNNERS is not set")
	}
	shows(t, []string{"-instrument"}, []string{
		"placeOrder candidate, tier 2: the registry has the span shop.order.place", "ceiling: 2 files, at most 6 calls",
		"src/order.js: success: 1 span, 2 attributes",
		"+  return tracer.startActiveSpan('shop.order.place', async (span) => {", "no findings: without instrumentation it is the original",
		"shop.ledger.append  src/ledger.js:6", "2 of 2 spans seen", "$ aburn instrument src",
	})
}

func shows(t *testing.T, args, wanted []string) string {
	t.Helper()
	if testing.Short() {
		t.Skip("it builds all executables")
	}
	overlay, err := world.UnhurriedHook(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	demo := exec.Command("go", append([]string{"run", "./internal/lab/demo"}, args...)...)
	demo.Dir = "../../.."
	demo.Env = append(os.Environ(), "GOFLAGS="+os.Getenv("GOFLAGS")+" -overlay="+overlay) // of the executables that the demo builds
	var out, errs bytes.Buffer
	demo.Stdout, demo.Stderr = &out, &errs
	if err := demo.Run(); err != nil {
		t.Fatalf("%v\n%s%s", err, out.String(), errs.String())
	}
	for _, want := range wanted {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the demo does not show %q:\n%s", want, out.String())
		}
	}
	return out.String()
}
