package manager

import (
	"os"
	"slices"
	"time"

	"aburn/logfmt"
	"aburn/worker"
	"aburn/worker/ledger"
	"aburn/worker/slot"
)

// Member is one worker, with what is known of it.
type Member struct {
	Name    string
	Worker  *worker.Worker
	Ledger  *ledger.Contents
	Request ledger.Detail // of its first request; the branch is the present one
	Made    string        // the branch that it was spawned on
	Off     string        // the branch that its worktree is on, if that is not the worker's
	Asked   time.Time
	Talk    *slot.Talk // with an agent without a terminal; nil for others
	Err     error      // the ledger cannot be read

	Session logfmt.SessionID // the agent's newest one, if it was heard
	Newest  logfmt.Seq       // the log's newest entry of its tree; 0 if there is none
	Said    string           // what the agent said last with aburn done or aburn ask
	Asks    string           // what its newest permission request is about, as far as the log has it
	Pushed  time.Time        // when its agent last ran a command that pushes

	RemoteTree string // on another machine
	Unreached  string // why that machine says nothing

	Left  []Carrier // processes that it left running, where somebody looked for them
	Ended int       // how many of them were ended

	Given worker.Budget // what its workers may use up together, where somebody worked that out

	told   []worker.Fact // by the protocol, or by another machine
	others []worker.Fact // all that does not stand in the ledger
}

// Gone reports whether the worker's tree was removed, and not made again from a snapshot.
func (m *Member) Gone() bool {
	if m.Ledger.Last(worker.Removed) == nil {
		return false
	}
	_, err := os.Lstat(m.Request.Tree)
	return err != nil
}

// Passed are the names of the variables that its agent gets beside those of every worker: since its spawn, and since restores.
func (m *Member) Passed() (names []string) {
	for _, e := range m.Ledger.Entries {
		for _, name := range e.Pass {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

// Base is the commit that its branch begins at: since the last sync, if there was one.
func (m *Member) Base() string {
	if e := m.Ledger.Last(worker.Synced); e != nil {
		return e.Base
	}
	return m.Request.Base
}

// WasMerged reports whether its work came into a branch: here, or as its pull request.
func (m *Member) WasMerged() bool {
	return m.Ledger.Last(worker.Merged) != nil || m.Worker.Pull.Is == worker.PullMerged
}

// Over reports whether its agent has ended.
func (m *Member) Over() bool { return m.Worker.Over() }

// neverRan reports whether no launch of its agent came to anything. One that failed says nothing of those after it.
func (m *Member) neverRan() bool {
	return m.Ledger.Last(worker.LaunchFailed) != nil && m.Ledger.Last(worker.Launched) == nil
}

// certified reports whether a holder saw the agent of this generation end. Earlier generations have certificates too.
func (m *Member) certified(gen int) bool {
	last := m.Ledger.Last(worker.Certificate)
	return last != nil && last.Gen >= gen
}

func requested(l *ledger.Contents) (d ledger.Detail, at time.Time) {
	for i := range l.Entries {
		if l.Entries[i].Kind == worker.Requested {
			d, at = l.Entries[i].Detail, l.Entries[i].At
			break
		}
	}
	if r := l.Last(worker.Restored); r != nil {
		d.Via = r.Via
	}
	return d, at
}

// Running are the members of which something runs.
func Running(all []*Member) []*Member {
	return slices.DeleteFunc(slices.Clone(all), func(m *Member) bool {
		return m.Err != nil || (m.Over() || m.Ledger.Gen() == 0) && len(m.Left) == 0
	})
}
