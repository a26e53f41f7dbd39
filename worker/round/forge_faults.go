package round

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"aburn/internal/plain"
	"aburn/worker"
	"aburn/worker/forge"
	"aburn/worker/ledger"
)

// Pauses are until when hosts want to be left alone. All projects share them: a limit is one of an account, not of a repository.
type Pauses struct {
	mu    sync.Mutex
	until map[string]time.Time
}

// hold keeps the pause that an answer of host asked for, and reports whether it did.
func (p *Pauses) hold(host string, err error) bool {
	var limited *forge.Limited
	if !errors.As(err, &limited) {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.until == nil {
		p.until = map[string]time.Time{}
	}
	if limited.Until.After(p.until[host]) {
		p.until[host] = limited.Until
	}
	return true
}

// longestPause is the longest one that forges get. A clock that went back makes none longer.
const longestPause = time.Hour

func (p *Pauses) holds(host string, now time.Time) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	left := p.until[host].Sub(now)
	return left > 0 && left <= longestPause
}

// The kinds of failures, each of which a person is notified of once until the forge answers again.
const (
	faultClient = "no-client"
	faultLogin  = "no-login"
	faultLimit  = "limited"
	faultAnswer = "no-answer"
)

func faultOf(err error) string {
	var limited *forge.Limited
	switch {
	case errors.Is(err, forge.ErrNoClient):
		return faultClient
	case errors.Is(err, forge.ErrNoLogin):
		return faultLogin
	case errors.As(err, &limited):
		return faultLimit
	}
	return faultAnswer
}

// faults are how a place failed since it answered last.
type faults struct {
	row   int // questions in a row without an answer
	since time.Time
	said  map[string]bool // what the log has

	answered time.Time // last, in this process
}

// tellAfter is after how many failures in a row a person is told: one is often over by the next question.
const tellAfter = 2

// maxSaid bounds the texts that are remembered.
const maxSaid = 64

// say writes a failure into the log, each kind once.
func (f *faults) say(err error, say func(string)) {
	what := err.Error()
	if faultOf(err) == faultLimit {
		what = faultLimit // its text has a time
	}
	if f.said == nil || len(f.said) > maxSaid {
		f.said = map[string]bool{}
	}
	if !f.said[what] {
		say("forge: " + err.Error())
	}
	f.said[what] = true
}

// fault takes how a question ended. From the second failure in a row on a person is told, once of each kind.
func (p *Project) fault(ctx context.Context, at *place, a *answer, now time.Time) {
	f := &at.faults
	for _, err := range a.logs {
		f.say(err, p.Say)
	}
	if a.err == nil {
		if f.row, f.answered = 0, now; len(a.logs) == 0 {
			f.said = nil
		}
		return
	}
	f.say(a.err, p.Say)
	if f.row++; f.row == 1 {
		f.since = now
	}
	kind := faultOf(a.err)
	m := p.member(a.names[0])
	if f.row < tellAfter || m == nil || m.Err != nil || f.known(m.Ledger.Entries, kind, now) {
		return
	}
	n := &Notice{
		Worker: a.names[0], Others: a.names[1:], Key: KeyForge, Subject: kind + " " + f.since.UTC().Format(time.RFC3339), Title: at.f.Host() + " does not answer",
		Text: plain.OneLine(a.err.Error(), 200) + "; nothing new is known of the pull requests of " + plain.Plural(int64(len(a.names)), "worker"),
		Hint: "aburn pr --check " + a.names[0],
	}
	switch kind {
	case faultClient:
		n.Title, n.Hint = "pull requests are not followed", "https://cli.github.com"
	case faultLogin:
		n.Title = at.f.Host() + " does not know you"
		n.Hint = cmp.Or(forge.LoginCommand(at.f.Name()), n.Hint)
	}
	p.tell(ctx, n)
}

// faultTold is how long another process believes that a person knows of a failure.
const faultTold = 24 * time.Hour

// known reports whether a person heard of such a failure since the forge answered last; lately, if that was in another process.
func (f *faults) known(entries []ledger.Entry, kind string, now time.Time) bool {
	return slices.ContainsFunc(entries, func(e ledger.Entry) bool {
		return e.Kind == worker.Reacted && e.Key == KeyForge && strings.HasPrefix(e.Subject, kind+" ") && e.At.After(f.answered) && now.Sub(e.At) < faultTold
	})
}
