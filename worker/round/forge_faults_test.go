package round

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"aburn/internal/lab/fakegh"
	"aburn/worker/forge"
	"aburn/worker/manager"
)

// fails has the forge give no answer n times.
func (s *stage) fails(n int, f fakegh.Failure) {
	for range n {
		s.gh.Fail = append(s.gh.Fail, f)
	}
}

// saidOf counts the lines of the daemon's log with a text.
func (s *stage) saidOf(text string) (n int) {
	for _, line := range s.said {
		if strings.Contains(line, text) {
			n++
		}
	}
	return n
}

// TestForgeErrorsAreTold: a person hears of a forge that gave no answer twice in a row, once until it answers again, whatever process
// asks. The log has each kind of failure once.
func TestForgeErrorsAreTold(t *testing.T) {
	s := newStage(t)
	s.pass(time.Minute)
	s.fails(1, fakegh.Failure{Code: 500, Body: "oops"})
	s.pass(10 * time.Minute)
	if len(s.gh.Fail) != 0 || len(s.told) != 0 || s.saidOf("oops (HTTP 500)") != 1 {
		t.Fatalf("after one failure: %+v %q", s.told, s.said)
	}
	s.fails(1, fakegh.Failure{Code: 500, Body: "oops"})
	s.fails(40, fakegh.Failure{Code: 502, Body: "bad gateway"})
	s.pass(40 * time.Minute)
	if len(s.told) != 1 || s.told[0].Key != KeyForge || !strings.Contains(s.told[0].Text, "bad gateway (HTTP 502)") || s.told[0].Worker != "w" {
		t.Fatalf("told %+v", s.told)
	}
	if s.saidOf("oops (HTTP 500)") != 2 || s.saidOf("bad gateway") != 1 {
		t.Errorf("said %q", s.said)
	}
	s.begin() // another process in the same outage
	s.pass(30 * time.Minute)
	if len(s.told) != 1 {
		t.Errorf("told again by another process: %+v", s.told[1:])
	}
	s.gh.Fail = nil
	s.pass(10 * time.Minute)
	s.fails(3, fakegh.Failure{Half: true})
	s.pass(20 * time.Minute)
	if len(s.told) != 2 || s.told[1].Key != KeyForge {
		t.Errorf("another outage: %+v", s.told[1:])
	}
	s.gh.Fail = nil
	s.pass(10 * time.Minute)
	s.fails(2, fakegh.Failure{Code: 401, Body: `{"message":"Bad credentials"}`})
	s.pass(30 * time.Minute)
	if len(s.told) != 3 || s.told[2].Hint != "gh auth login" {
		t.Errorf("no login: %+v", s.told[2:])
	}
}

// TestForgePauseHolds: while a forge wants to be left alone nobody asks it anything, whatever the answer was that said so, and whatever
// repository or project it was about.
func TestForgePauseHolds(t *testing.T) {
	limit := map[string]string{"Retry-After": "1200"}
	s := newStage(t)
	s.fail(1, "test")
	s.gh.Fail = []fakegh.Failure{{When: "/jobs/", Code: 403, Head: limit, Body: "secondary rate limit"}}
	s.pass(2 * time.Minute)
	n := len(s.gh.Calls)
	s.head("h2") // a push
	s.fail(2, "test")
	s.pass(15 * time.Minute)
	if len(s.gh.Fail) != 0 || len(s.gh.Calls) != n || s.saidOf("secondary rate limit") != 1 {
		t.Errorf("a log's pause: %d calls within it, %q", len(s.gh.Calls)-n, s.said)
	}
	s.pass(8 * time.Minute)
	if s.listen(); len(s.heard) != 1 || !strings.Contains(s.heard[0], "L2! is red") {
		t.Errorf("after the pause: %q", s.heard)
	}

	other := newStage(t) // another project on the same host
	other.p.Pulls.Pauses = s.p.Pulls.Pauses
	s.now = other.now
	s.p.Pulls.Pauses.hold("github.com", &forge.Limited{Until: other.now.Add(20 * time.Minute)})
	other.pass(18 * time.Minute)
	if len(other.gh.Calls) != 0 {
		t.Errorf("%d calls of another project in a pause", len(other.gh.Calls))
	}
	other.pass(5 * time.Minute)
	if len(other.gh.Calls) == 0 {
		t.Error("not asked after the pause")
	}
}

// TestForgeThatIsNone: why a repository's forge is not asked stands in the log, once.
func TestForgeThatIsNone(t *testing.T) {
	s := newStage(t)
	s.p.Pulls.Forge = func(context.Context, *manager.Member) (forge.Forge, string, string, error) {
		return nil, "", "", errors.New("its remote is on no forge")
	}
	s.pass(2 * time.Hour)
	if s.saidOf("its remote is on no forge") != 1 || slices.Contains(s.keys(), KeyForge) {
		t.Errorf("%q %+v", s.said, s.told)
	}
}
