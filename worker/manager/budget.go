package manager

import (
	"context"
	"errors"
	"slices"

	"aburn/worker"
	"aburn/worker/ledger"
	"aburn/worker/typing"
)

// Limit is what a member may use up. What nobody can read has no bound.
func (m *Member) Limit() worker.Budget {
	b, _ := worker.ParseBudget(m.Request.Limit)
	return b
}

// CheckBudget compares what a member has used up with what it may. At 80 % that is written down, for a person to hear. At 100 % its
// turn is interrupted and a person has to say whether it goes on; that happens once. Nothing is ended. says is the amount in
// words.
func CheckBudget(ctx context.Context, c *Manager, m *Member, s worker.Spent, says string) error {
	limit := m.Limit().Less(m.Given)
	share := limit.Percent(s)
	if limit.Cents > 0 && s.Unpriced > 0 {
		if err := noteBudget(c, m, ledger.Entry{Fact: worker.Fact{Is: worker.BudgetUnpriced}, Detail: ledger.Detail{Spent: says}}); err != nil {
			return err
		}
	}
	switch {
	case share < worker.BudgetShare:
		return nil
	case share < 100:
		return noteBudget(c, m, ledger.Entry{Detail: ledger.Detail{Spent: says}})
	}
	if m.Worker.State == worker.Working && m.Request.Via != Terminal { // at a terminal sits a person
		switch err := interruptAfter(ctx, c, m, typing.Usual.Touched); {
		case errors.Is(err, errTyping):
			return nil // another round comes
		case err != nil && !errors.Is(err, ErrOver):
			return err // while it asks, it does not go on: another round comes
		}
	}
	return noteBudget(c, m, ledger.Entry{Fact: worker.Fact{Full: true}, Detail: ledger.Detail{Spent: says}})
}

// noteBudget writes an entry once in a worker's life.
func noteBudget(c *Manager, m *Member, e ledger.Entry) error {
	e.Kind, e.Limit = worker.Budgeted, m.Request.Limit
	_, err := c.Store.Book(m.Name).Update(func(l *ledger.Contents) ([]ledger.Entry, error) {
		if slices.ContainsFunc(l.Entries, func(x ledger.Entry) bool { return x.Kind == e.Kind && x.Full == e.Full && x.Is == e.Is }) {
			return nil, nil
		}
		e.Gen = max(1, l.Gen())
		return []ledger.Entry{e}, nil
	})
	return err
}

// Full reports whether a member has used up its budget, and a person was asked.
func (m *Member) Full() bool {
	return slices.ContainsFunc(m.Ledger.Entries, func(e ledger.Entry) bool { return e.Kind == worker.Budgeted && e.Full })
}
