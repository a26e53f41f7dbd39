package forge

import (
	"errors"
	"strings"
	"testing"

	"aburn/internal/lab/fakegh"
)

// One pull request is asked for by its number. That of a fork is known and told apart; one that is not there is an error.
func TestNumbered(t *testing.T) {
	s := stateOf(nil)
	s.Pulls = append(s.Pulls, &fakegh.Pull{Number: 99, State: "OPEN", Branch: "aburn/fix", Owner: "eve", Head: "evil", Base: "main"})
	gh := over(s)
	if p, err := gh.Numbered(t.Context(), "", 31); err != nil || p.Number != 31 || p.Branch != "aburn/fix" || p.Base == "" {
		t.Errorf("%+v %v", p, err)
	}
	if p, err := gh.Numbered(t.Context(), "", 99); !errors.Is(err, ErrElsewhere) || p.Number != 99 {
		t.Errorf("%+v %v", p, err)
	}
	if p, err := gh.Numbered(t.Context(), "eve", 99); err != nil || p.Head != "evil" {
		t.Errorf("%+v %v", p, err)
	}
	if _, err := gh.Numbered(t.Context(), "", 7); err == nil || !strings.Contains(err.Error(), "there is no pull request 7") {
		t.Error(err)
	}
	l, g := newLab(t)
	if p, err := g.Numbered(t.Context(), "", 7); err != nil || p.Number != 7 || p.Branch != "aburn/fix" || p.Base != "main" {
		t.Errorf("%+v %v", p, err)
	}
	if p, err := g.Numbered(t.Context(), "eve", 7); !errors.Is(err, ErrElsewhere) || p.Number != 7 {
		t.Errorf("%+v %v", p, err)
	}
	if _, err := g.Numbered(t.Context(), "", 8); err == nil || !strings.Contains(err.Error(), "there is no merge request 8") {
		t.Error(err)
	}
	l.Close()
	if _, err := g.Numbered(t.Context(), "", 7); err == nil {
		t.Error("a forge that does not answer said something")
	}
}
