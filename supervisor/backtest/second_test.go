package backtest

import (
	"crypto/sha256"
	"testing"
)

// told reports whether the weaknesses that a scenario of the second examination shows were described to who mends the rules.
func told(name string) bool { return sha256.Sum256([]byte(name))[0]%2 == 1 }

// TestSecond replays the second examination. With -v and -run TestSecond/NAME it tells the story of one scenario; like those of
// the corpus it fails nothing by itself: what the numbers may not fall below stands in docs/backtest.md.
func TestSecond(t *testing.T) {
	for _, s := range corpus(t, "second") {
		t.Run(s.Name, func(t *testing.T) {
			if o := run(t, s, nil); told(s.Name) || *frozen {
				tell(t, o)
			}
		})
	}
}
