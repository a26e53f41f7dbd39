package manager

import (
	"context"
	"slices"

	"aburn/worker"
	"aburn/worker/ledger"
)

// DeliverWaiting does for the messages that wait for a worker what can be done now, and writes down which ones its record shows.
func DeliverWaiting(ctx context.Context, c *Manager, name string) error {
	s := &sender{c, name, c.Store.Book(name), SendOptions{}, map[string]bool{}}
	return s.alone(func() error {
		_, err := s.bring(ctx, "")
		return err
	})
}

// MarkNotified writes down that a person heard of something. The same subject is written once.
func MarkNotified(c *Manager, name, key, subject string) error {
	_, err := c.Store.Book(name).Update(func(l *ledger.Contents) ([]ledger.Entry, error) {
		for i := range l.Entries {
			if e := &l.Entries[i]; e.Kind == worker.Reacted && e.Key == key && e.Subject == subject {
				return nil, nil
			}
		}
		e := ledger.Entry{Fact: worker.Fact{Kind: worker.Reacted, Gen: max(1, l.Gen()), Key: key, Action: worker.ActionNotify}}
		e.Subject = subject
		return []ledger.Entry{e}, nil
	})
	return err
}

// UnnotifiedConflicts are the conflicts of a member with living ones that no person heard of. Of each pair only the first says it.
func UnnotifiedConflicts(m *Member, living map[string]bool) (list []ledger.Entry) {
	for _, e := range Clashes(m, living) {
		if e.Is == worker.OverlapConflict && m.Name < e.Peer && !toldOverlap(m.Ledger, e.Peer, e) {
			list = append(list, e)
		}
	}
	return list
}

func toldOverlap(l *ledger.Contents, peer string, e ledger.Entry) bool {
	return slices.ContainsFunc(l.Entries, func(t ledger.Entry) bool {
		return t.Kind == worker.Overlapped && t.Peer == peer && t.Action == worker.ActionNotify && t.Set == e.Set && t.Is == e.Is
	})
}
