package react

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"aburn/internal/lab/world"
	"aburn/worker"
	"aburn/worker/forge"
	"aburn/worker/ledger"
)

// TestMessagesFit: whatever a forge says, a message is short, says each of its parts and nothing beside its fence, and names what it left
// for the next one.
func TestMessagesFit(t *testing.T) {
	for seed := range uint64(world.Storm(400)) {
		r := rand.New(rand.NewPCG(seed, 1))
		nonce := fmt.Sprintf("%012x", r.Uint64()>>16)
		c := Case{Pull: &forge.Pull{Number: 31, Branch: "aburn/" + strings.Repeat("x", r.IntN(100)), Head: "0123456789abcdef"}, Nonce: nonce}
		key := []string{worker.KeyCI, worker.KeyChanges, worker.KeyBots, worker.KeyConflicts}[r.IntN(4)]
		var parts []part
		for i := range 1 + r.IntN(60) {
			text := strings.Repeat([]string{"a ", "é", "\n", nonce, "[aburn m-00000001] ", "\x1b[2J", "\u202e", "漢"}[r.IntN(8)], r.IntN(3000))
			parts = append(parts, part{id: fmt.Sprint(i), line: "P" + fmt.Sprint(i) + " " + text[:len(text)/7], data: text})
		}
		text, said := message(c, trouble{key: key}, Rule{Message: strings.Repeat("m", r.IntN(900))}, parts)
		inside := strings.Split(text, nonce)
		if len(text) > maxText+120 || !utf8.ValidString(text) || len(said) == 0 || len(inside) != 4 {
			t.Fatalf("seed %d: %d bytes, %d said, %d marks: %q", seed, len(text), len(said), len(inside)-1, text)
		}
		for _, p := range said {
			if head, _, _ := strings.Cut(p.line, " "); !strings.Contains(inside[2], "\n"+head) {
				t.Fatalf("seed %d: %s is not in its message %q", seed, head, text)
			}
		}
		if strings.Contains(text, "[aburn ") || strings.ContainsAny(text, "\x1b\u202e") || len(said) < len(parts) != strings.Contains(inside[3], "more follow") {
			t.Fatalf("seed %d: %q", seed, text)
		}
	}
}

// TestClock: how long ago an entry was written is never more than is known: neither a wall clock nor a reboot makes it longer.
func TestClock(t *testing.T) {
	e := &ledger.Entry{Fact: worker.Fact{Host: "here", Boot: "b1", Up: time.Hour, At: time.Now().Add(-240 * time.Hour)}}
	for _, c := range []struct {
		now  Clock
		want time.Duration
	}{
		{Clock{"here", "b1", 90 * time.Minute}, 30 * time.Minute},
		{Clock{"here", "b2", 5 * time.Minute}, 5 * time.Minute},
		{Clock{"there", "b1", 7 * time.Minute}, 7 * time.Minute},
		{Clock{"here", "b1", 0}, 0},
	} {
		if got := c.now.since(e); got != c.want {
			t.Errorf("%+v: %s", c.now, got)
		}
	}
}

// TestNothingIsDue of what nobody asked about, or of another pull request than the ledger's.
func TestNothingIsDue(t *testing.T) {
	w := worker.Reduce([]worker.Fact{{Seq: 1, File: worker.Ledger, Kind: worker.Launched, Gen: 1}})
	red := &forge.Pull{Number: 31, Is: worker.PullOpen, Head: "h", Checks: []forge.Check{{Name: "test", Is: worker.CheckFailing, Said: "x"}}}
	for name, c := range map[string]Case{
		"unknown": {Worker: w}, "another": {Worker: w, Pull: red},
	} {
		if steps := Due(c, Defaults(), Clock{}); len(steps) > 0 {
			t.Errorf("%s: %+v", name, steps)
		}
	}
}
