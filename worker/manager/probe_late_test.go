//go:build unix

package manager

import (
	"slices"
	"testing"

	"aburn/internal/proc"
	"aburn/worker"
	"aburn/worker/ledger"
)

// Two look at a worker that could not be seen for a moment. One sees its agent alive; before that is written down, the agent ends, and
// the other writes down the certificate of its end. The worker has ended.
func TestLateProbeRevivesNobody(t *testing.T) {
	y := newYard(t, "lines 9 > a")
	m := y.member("w")
	before := *m.Ledger
	before.Entries = slices.DeleteFunc(slices.Clone(before.Entries), func(e ledger.Entry) bool { return e.Kind == worker.Certificate })
	now := momentNow()
	saw := worker.Fact{Kind: worker.Probed, Gen: before.Gen(), File: worker.Ledger, Host: now.host, Boot: now.boot, Up: now.up, At: now.at, Runtime: worker.Dead,
		Process: worker.Dead, Holder: worker.Dead}
	saw.Seq = before.Entries[len(before.Entries)-1].Seq + 1
	m.Ledger, m.Worker = &before, worker.Reduce(append(before.Facts(), saw))
	if m.Worker.State != worker.Detecting {
		t.Fatal(m.Worker.State)
	}
	saw.Runtime, saw.Process, saw.Holder = worker.Alive, worker.Alive, worker.Alive
	saw.Seq++
	if !m.Worker.Worth(saw) {
		t.Fatal("what is seen is no news")
	}
	y.crew.record(m, saw, proc.NewLook())
	if read := y.member("w"); !read.Over() || !m.Over() {
		t.Errorf("it is %v by %v", read.Worker.State, read.Worker.Evidence)
	}
}
