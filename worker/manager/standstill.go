package manager

import (
	"slices"

	"aburn/worker"
	"aburn/worker/ledger"
)

// NoteStandstill writes down that somebody judged a member's work to make no progress. The same judgement is written once, however
// long it holds: the agent's next step may lift it, and another one would be told again.
func NoteStandstill(c *Manager, m *Member, subject, says string) error {
	_, err := c.Store.Book(m.Name).Update(func(l *ledger.Contents) ([]ledger.Entry, error) {
		if slices.ContainsFunc(l.Entries, func(e ledger.Entry) bool { return e.Kind == worker.NoProgress && e.Subject == subject }) {
			return nil, nil
		}
		return []ledger.Entry{{Fact: worker.Fact{Kind: worker.NoProgress, Gen: max(1, l.Gen())}, Detail: ledger.Detail{Subject: subject, Why: says}}}, nil
	})
	return err
}
