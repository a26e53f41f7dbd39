package headless

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"aburn/internal/hold"
	"aburn/worker"
	"aburn/worker/slot"
)

// talker is an agent whose each line is one event; the rest of the protocol is not asked.
type talker struct{ slot.Protocol }

func (talker) Hear(t *slot.Talk, at time.Time, line []byte) {
	t.Add(at, worker.Fact{Kind: worker.Asks, Call: string(line)}, false)
}

// TestEveryEventHasAPlace: a Talk forgets its oldest events, and the line at which it does counts like any other. A fact without a
// place is taken for one that was seen before, so a question would be overlooked.
func TestEveryEventHasAPlace(t *testing.T) {
	dir, lines := t.TempDir(), &strings.Builder{}
	ch, h := Channel{talker{}}, slot.Handle{Dir: dir, Gen: 1}
	lines.WriteString("aburn said 1 0\n")
	for i := range 1500 {
		fmt.Fprintf(lines, "%d o call%d\n", 1_700_000_000_000+i, i)
		if i%37 != 0 && i != 1499 {
			continue
		}
		if err := os.WriteFile(hold.Path(dir, "said", 1), []byte(lines.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		talk, err := ch.Hear(h)
		if err != nil {
			t.Fatal(err)
		}
		last := uint64(0)
		for _, e := range talk.Events {
			if e.Seq <= last || e.Gen != 1 {
				t.Fatalf("line %d: %s stands at %d behind %d", i, e.Call, e.Seq, last)
			}
			last = e.Seq
		}
		if newest := talk.Events[len(talk.Events)-1]; newest.Call != fmt.Sprint("call", i) {
			t.Fatalf("line %d: the newest is %s", i, newest.Call)
		}
	}
}
