package describe

import (
	"testing"

	"aburn/worker"
	"aburn/worker/ledger"
	"aburn/worker/manager"
)

// What went wrong is what went wrong last: a launch that failed before is another generation's.
func TestErrorOfTheLastLaunch(t *testing.T) {
	three := 3
	entries := []ledger.Entry{
		{Fact: worker.Fact{Kind: worker.Launched, Gen: 1}},
		{Fact: worker.Fact{Kind: worker.LaunchFailed, Gen: 2}, Detail: ledger.Detail{Why: "no such program"}},
		{Fact: worker.Fact{Kind: worker.Launched, Gen: 3}},
		{Fact: worker.Fact{Kind: worker.Certificate, Gen: 3, Exit: &three}},
	}
	for n, want := range map[int]string{2: "no such program", 4: "exit 3"} {
		if got := errorText(&manager.Member{Ledger: &ledger.Contents{Entries: entries[:n]}}); got != want {
			t.Errorf("%d: %q", n, got)
		}
	}
}
