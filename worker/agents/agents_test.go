package agents

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"aburn/worker/slot"
)

var update = flag.Bool("update", false, "write testdata")

// TestCommandLines compares every start of every agent in the table with the reviewed list of command lines.
func TestCommandLines(t *testing.T) {
	var b strings.Builder
	for _, c := range table {
		fmt.Fprintf(&b, "# %s, passes %s\n", c.Name(), strings.Join(c.Variables(), " "))
		for _, p := range slot.AllPermissions() {
			o := slot.Order{Tree: "/t", Task: "TASK", Rules: "RULES", Session: "NEW", Permissions: p, Model: "MODEL"}
			lines, _ := c.Protocol().Launch(o, "")
			for _, one := range []struct {
				name string
				slot.Launch
			}{{"launch", c.Launch(o)}, {"resume", c.Resume(o, "OLD")}, {"protocol", lines}} {
				fmt.Fprintf(&b, "%s %s: %q session %q env %s\n", p, one.name, one.Args, one.Session, one.Env)
			}
		}
	}
	path := filepath.Join("testdata", "starts.golden")
	if *update {
		if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil || b.String() != string(want) {
		t.Errorf("%v; the command lines are now\n%s", err, b.String())
	}
}

// A row that lacks a permission would start its agent with the agent's own default.
func TestEachPermissionIsDecided(t *testing.T) {
	for _, c := range table {
		seen := map[string]bool{}
		for _, p := range slot.AllPermissions() {
			l := c.Launch(slot.Order{Task: "x", Permissions: p})
			seen[fmt.Sprint(l.Args, l.Env)] = true
		}
		if len(seen) < 3 { // ask, plan, and at least one that edits
			t.Errorf("%s: only %d starts differ", c.Name(), len(seen))
		}
	}
}
