package react

import (
	"slices"
	"time"

	"aburn/worker"
	"aburn/worker/ledger"
)

// history is what the ledger says of one key.
type history struct {
	told  map[string]bool
	waits []string // messages
	first *ledger.Entry
}

func look(c Case, key string) (h history) {
	h.told = map[string]bool{}
	gone := withdrawn(c.Entries)
	for i := range c.Entries {
		e := &c.Entries[i]
		if e.Kind != worker.Reacted || e.Key != key || e.Message != "" && gone[e.Message] {
			continue
		}
		waits := e.Message != "" && slices.ContainsFunc(c.Worker.Messages, func(m worker.Message) bool { return m.ID == e.Message && m.Receipt == worker.Waiting })
		if waits {
			h.waits = append(h.waits, e.Message)
		} else {
			for _, id := range e.Items {
				h.told[id] = true
			}
		}
		if e.Action == worker.ActionSend && e.Head == c.Pull.Head && h.first == nil {
			h.first = e
		}
	}
	return h
}

// withdrawn are the messages that were told to nobody.
func withdrawn(entries []ledger.Entry) map[string]bool {
	gone := map[string]bool{}
	for i := range entries {
		if e := &entries[i]; e.Kind == worker.Withdrawn {
			gone[e.Message] = true
		}
	}
	return gone
}

// waitingItems are what waits to be told.
func waitingItems(c Case, ids []string) map[string]bool {
	items := map[string]bool{}
	for _, e := range c.Entries {
		if e.Message != "" && slices.Contains(ids, e.Message) {
			for _, id := range e.Items {
				items[id] = true
			}
		}
	}
	return items
}

// spent is the budget of a key.
func spent(w *worker.Worker, key string) worker.Reaction {
	for _, r := range w.Reactions {
		if r.Key == key {
			return r
		}
	}
	return worker.Reaction{}
}

// mayHear reports whether a message may go to the agent now. Nothing is added to what asks, is stuck, or may be gone.
func mayHear(w *worker.Worker) bool {
	return (w.State == worker.Working || w.State == worker.Idle && w.Reason != worker.AwaitingUser || w.State == worker.Done) && len(w.Open()) < worker.MaxOpen
}

// MayHave reports whether a worker may have one more message, by what its ledger says.
func MayHave(entries []ledger.Entry, now Clock) bool {
	paused, full := storm(entries, now)
	return !paused && !full
}

// storm reports whether the worker had too many messages within an hour, and whether it is paused for that.
func storm(entries []ledger.Entry, now Clock) (paused, full bool) {
	n, gone := 0, withdrawn(entries)
	for i := range entries {
		e := &entries[i]
		switch {
		case e.Kind != worker.Reacted || e.Message != "" && gone[e.Message]:
		case e.Key == KeyStorm:
			paused, n = e.Action == worker.ActionNotify, 0
		case e.Action == worker.ActionSend && now.since(e) < time.Hour:
			n++
		}
	}
	return paused, n >= PerHour
}

// Recent is how many messages of reactions entries have within a time.
func Recent(entries []ledger.Entry, now Clock, within time.Duration) (n int) {
	for i := range entries {
		if e := &entries[i]; e.Kind == worker.Reacted && e.Action == worker.ActionSend && now.since(e) < within {
			n++
		}
	}
	return n
}

// Paused reports whether a worker gets no messages until a person says so.
func Paused(entries []ledger.Entry) (paused bool) {
	for i := range entries {
		if e := &entries[i]; e.Kind == worker.Reacted && e.Key == KeyStorm {
			paused = e.Action == worker.ActionNotify
		}
	}
	return paused
}

func lastSend(c Case) uint64 {
	for i := len(c.Entries) - 1; i >= 0; i-- {
		if e := &c.Entries[i]; e.Kind == worker.Reacted && e.Action == worker.ActionSend {
			return e.Seq
		}
	}
	return 0
}
