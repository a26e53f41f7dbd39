package spawn

import (
	"strings"
	"testing"

	"aburn/cmd/internal/kit"
	"aburn/worker"
	"aburn/worker/ledger"
	"aburn/worker/manager"
	"aburn/worker/slot"
)

// What an agent says of why it refuses is text, whatever is in it.
func TestRefusalIsText(t *testing.T) {
	var out strings.Builder
	m := &manager.Member{Name: "w", Worker: &worker.Worker{}, Ledger: &ledger.Contents{}, Talk: &slot.Talk{Refused: "no key\x1b]52;c;aGVsbG8=\x07\nw  has the task"}}
	if err := begins(nil, &kit.App{Stdout: &out, Stderr: &out}, &manager.Spawned{Name: "w"}, manager.Plan{}, m, "w", 0); err != nil {
		t.Fatal(err)
	}
	if text := out.String(); strings.ContainsAny(text, "\x1b\x07") || strings.Count(text, "\n") != 1 || !strings.Contains(text, "refuses: no key") {
		t.Errorf("%q", text)
	}
}
