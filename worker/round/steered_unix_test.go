//go:build unix

package round

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"aburn/worker"
	"aburn/worker/react"
)

// A worker may write the refs of its repository. What it puts there in place of one keeps no round waiting.
func TestRefThatIsAPipe(t *testing.T) {
	s := newStage(t)
	ref := filepath.Join(s.refs, "origin", "aburn", "w")
	if err := os.Remove(ref); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(ref, 0o600); err != nil {
		t.Fatal(err)
	}
	said := make(chan string, 1)
	s.p.Pulls.refs = map[string]string{}
	go func() { said <- s.p.Pulls.pushed(t.Context(), s.member()) }()
	select {
	case id := <-said:
		if id != "" {
			t.Errorf("%q", id)
		}
	case <-time.After(2 * time.Minute):
		t.Fatal("it is waited for")
	}
}

// While no worker gets messages, none is told to go on either.
func TestPauseOfNudges(t *testing.T) {
	for pauses, want := range []int{1, 0} {
		s := newStage(t)
		s.gh.Pulls, s.pauses = nil, pauses
		s.rules[react.KeyIdle] = react.Rule{Auto: true, Action: worker.ActionSend, Retries: 1}
		s.begin()
		s.pass(20 * time.Minute)
		if n := len(s.member().Worker.Open()); n != want {
			t.Errorf("%d pauses: %d messages", pauses, n)
		}
	}
}
