package sessions

import (
	"strconv"

	"aburn/archive"
	"aburn/trace"
)

// retryFrom is how many times a call has to error before it counts as retried again and again.
const retryFrom = 3

// failureKey is what failures are put together by.
type failureKey struct{ tool, kind, what, how string }

// failedCalls are failures of one kind.
type failedCalls struct {
	failureKey
	n, sessions int
	session     int64           // the last one
	last        archive.CallRow // the newest
}

func (t *toolTally) addFailure(row *archive.CallRow) {
	key := failureKey{row.Tool, string(row.Type), subject(row), howFailed(row)}
	f := t.failures[key]
	if f == nil {
		f = &failedCalls{failureKey: key}
		t.failures[key] = f
	}
	f.n++
	if f.session != row.Key { // calls of one session come together
		f.session = row.Key
		f.sessions++
	}
	if !row.Start.Before(f.last.Start) {
		f.last = *row
	}
}

// howFailed is how a call failed, as far as the source tells.
func howFailed(row *archive.CallRow) string {
	switch {
	case row.Denied == "other":
		return "denied"
	case row.Denied != "":
		return "denied by " + row.Denied
	case row.ExitCode != nil:
		return "exit " + strconv.Itoa(*row.ExitCode)
	}
	return string(row.Status)
}

// groupKey is what makes calls of one session the same: tool and input.
type groupKey struct{ tool, input string }

// retryGroup is the same call again and again.
type retryGroup struct {
	failed int // since the last success
	ever   bool
	last   archive.CallRow
}

// retry is a call that errored so often, in a row as far as this call goes, before it succeeded or nobody tried again.
type retry struct {
	archive.CallRow // the last one
	failed          int
	succeeded       bool
}

// addAgain looks at the call as one of those with the same tool and input in its session.
func (t *toolTally) addAgain(row *archive.CallRow) {
	if row.Key != t.session {
		t.closeGroups()
		t.session = row.Key
	}
	if row.Input == "" { // nobody knows whether it is the same
		return
	}
	key := groupKey{row.Tool, row.Input}
	g := t.groups[key]
	if g == nil {
		g = &retryGroup{}
		t.groups[key] = g
	}
	switch {
	case unended(row):
	case row.Failed:
		g.failed++
		g.ever, g.last = true, *row
	case row.Status == trace.StatusCompleted:
		if g.failed >= retryFrom {
			t.retried = append(t.retried, retry{*row, g.failed, true})
		}
		g.failed = 0
	}
}

// closeGroups ends the calls of a session.
func (t *toolTally) closeGroups() {
	for _, g := range t.groups {
		if g.ever {
			t.again++
		}
		if g.failed >= retryFrom {
			t.retried = append(t.retried, retry{g.last, g.failed, false})
		}
	}
	clear(t.groups)
}
