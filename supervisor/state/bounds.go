package state

import (
	"unicode/utf8"

	"aburn/internal/scrub"
	"aburn/logfmt"
)

// The bounds of a State: whatever a log holds, it has no more than this.
const (
	maxSessions    = 64
	maxEnded       = 16 // of those, sessions that have ended
	maxLinks       = 64
	maxAdvice      = 64
	maxTold        = 64
	maxWaits       = 8
	maxAgents      = 32
	maxCalls       = 64
	maxFiles       = 12
	maxVersions    = 8
	maxTests       = 8
	maxChecks      = 8
	maxClaims      = 6
	maxLacks       = 8
	maxLooks       = 8
	maxCompactions = 6
	maxRuns        = 6
	MaxRecent      = 20
	maxPhases      = 6
	maxMilestones  = 12
	maxOutputs     = 32
	maxEdits       = 4
	MaxInputs      = 16
	maxJumped      = 8

	maxName  = 64  // bytes of a name: of a command, a phase, a tool, a status
	maxInput = 96  // of a head or path that is shown
	maxPath  = 512 // of a path that is looked up; a longer one is not kept
	maxID    = 256

	maxRemembered = 512 // answers of the model
)

// push appends x to a list of at most max; a full list loses its oldest. Elements
// move only when the list has no capacity left.
func push[T any](list []T, x T, max int) []T {
	if len(list) >= max {
		list = list[len(list)-max+1:]
	}
	return append(list, x)
}

// reach is how far behind a cut secrets are searched, in bytes.
const reach = 1 << 10

// cut is s in at most max bytes, its end replaced by an ellipsis. Secrets go before the cut: what it leaves of one is not found
// any more, and other tools write entries that were never scrubbed.
func cut(s string, max int) string {
	if len(s) <= max {
		return s
	}
	whole := len(s) <= max+reach
	if s, _ = scrub.Text(s[:min(len(s), max+reach)]); len(s) <= max && whole {
		return s
	}
	max = min(max, len(s)) - len("…")
	for max > 0 && !utf8.RuneStart(s[max]) {
		max--
	}
	return s[:max] + "…"
}

func text(r logfmt.RawString, max int) string {
	if len(r) == 0 {
		return ""
	}
	return cut(r.String(), max)
}

// hasher is 32-bit FNV-1a over parts; each part ends with a byte that UTF-8 lacks.
type hasher uint32

const hashStart hasher = 2166136261

func (h hasher) add(part []byte) hasher {
	for _, c := range part {
		h = (h ^ hasher(c)) * 16777619
	}
	return (h ^ 0xff) * 16777619
}

func (h hasher) num(n int64) hasher {
	for range 8 {
		h = (h ^ hasher(byte(n))) * 16777619
		n >>= 8
	}
	return h
}

// sum is never 0: a key or hash of 0 means unknown.
func (h hasher) sum() uint32 { return max(uint32(h), 1) }
