package describe

import (
	"fmt"
	"strings"

	"aburn/internal/plain"
	"aburn/worker"
	"aburn/worker/manager"
)

// LeftText says how many processes were ended with the agent.
func LeftText(m *manager.Member) string {
	if n := Left(m); n > 0 {
		return fmt.Sprintf(", with %d more of its processes", n)
	}
	return ""
}

func Left(m *manager.Member) int {
	n := m.Ended
	if c := m.Ledger.Last(worker.Certificate); c != nil && c.Left != nil {
		n += *c.Left
	}
	return n
}

// OverText says that an agent had ended before, and how many processes were ended that it left.
func OverText(m *manager.Member) string {
	text := "had ended already: " + StateText(m)
	if m.Ended > 0 {
		text += "; it left " + plain.Plural(int64(m.Ended), "process", "processes") + ", ended now"
	}
	return text
}

// EndText says how an agent ended.
func EndText(m *manager.Member) string {
	c := m.Ledger.Last(worker.Certificate)
	switch {
	case c == nil:
		return strings.ReplaceAll(string(m.Worker.Status()), "_", " ")
	case c.Exit == nil:
		return fmt.Sprintf("ended by signal %d", c.Signal)
	}
	text := fmt.Sprintf("ended with %d", *c.Exit)
	if l := m.Ledger.Last(worker.Launched); l != nil && c.At.After(l.At) {
		text += " after " + plain.Duration(c.At.Sub(l.At))
	}
	return text
}

// Evidence names the entry that a state follows from.
func Evidence(m *manager.Member, ref worker.Ref) string {
	if ref.File == worker.Log {
		if ref.Seq == 0 {
			return "an entry of the log that has no number"
		}
		return fmt.Sprintf("entry %d of the log", ref.Seq)
	}
	if ref.File == worker.Store {
		return "its agent reported it"
	}
	for i := range m.Ledger.Entries {
		if e := &m.Ledger.Entries[i]; e.Seq == ref.Seq {
			text := fmt.Sprintf("%s, entry %d of the ledger", e.Kind, e.Seq)
			if e.Why != "" {
				text += ": " + e.Why
			}
			return text
		}
	}
	return fmt.Sprintf("entry %d of the ledger", ref.Seq)
}

// StateText is a state in the words of a person.
func StateText(m *manager.Member) string {
	if m.Err != nil {
		return "unknown: " + m.Err.Error()
	}
	w := m.Worker
	text := map[worker.Status]string{
		worker.StatusNeedsInput: "needs you", worker.StatusSpawning: "starting", worker.StatusDetecting: "not seen",
		worker.StatusToReview: "ready", worker.StatusIdle: "ready", worker.StatusMergeable: "ready: mergeable", worker.StatusApproved: "ready: approved",
		worker.StatusErrored: "failed", worker.StatusTerminated: "ended", worker.StatusCleanup: "removed",
	}[w.Status()]
	if text == "" {
		text = strings.ReplaceAll(string(w.Status()), "_", " ")
	}
	more := map[worker.Reason]string{
		worker.AwaitingUser: "asks", worker.ErrorInProcess: "error", worker.BudgetReached: "budget", worker.VerifyFailed: "gates failed",
		worker.Verifying: "gates began", worker.RuntimeLost: "its runtime is gone", worker.OutOfReach: "out of reach", worker.Revived: "revived",
	}[w.Reason]
	switch e := m.Ledger.Last(worker.Gated); {
	case w.Status() == worker.StatusErrored:
		more = errorText(m)
	case w.Reason == worker.Verifying && (e == nil || e.Is != worker.GateStarted):
		return "says done: aburn merge, or aburn daemon start, runs its gates"
	}
	if more != "" {
		text += ": " + more
	}
	return text
}

// errorText says what went wrong with a worker that failed.
func errorText(m *manager.Member) string {
	if f := m.Ledger.Last(worker.LaunchFailed); f != nil && f.Gen >= m.Ledger.Gen() {
		return f.Why
	}
	if c := m.Ledger.Last(worker.Certificate); c != nil && c.Exit != nil {
		return fmt.Sprintf("exit %d", *c.Exit)
	} else if c != nil {
		return fmt.Sprintf("signal %d", c.Signal)
	}
	return ""
}
