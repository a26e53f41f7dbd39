package worker

import "slices"

// Pull is what a forge said last of the worker's pull request. Empty words are unknown, never "none".
type Pull struct {
	Number    int
	Is        string // open, merged, closed
	Head      string
	Draft     bool
	Conflicts bool
	Unsure    bool   // nobody has said of Head whether it conflicts
	Checks    string // passing, failing, pending
	Review    string // asked, approved, changes, no
}

// decision is what an ended pull request waits for.
func (p *Pull) decision() Reason {
	if p.Is == PullMerged {
		return MergedWaiting
	}
	return ClosedWaiting
}

// Reaction is what was spent of the budget of one reaction. It is given back after two good polls in a row of a head
// that was never bad since, and by nothing else: neither by a restore nor by one green run between two red ones.
type Reaction struct {
	Key       string
	Attempts  int    // messages to the agent
	Head      string // the last one that was bad; while it is unknown, none is known to be new
	Next      string // another one, which was good
	Good      int    // in so many polls in a row
	Escalated bool   // a person was told
}

// fixing is a reaction that the agent was told of and has not answered.
type fixing struct {
	why       Reason
	key, head string
}

func (w *Worker) notePull(f *Fact) event {
	switch f.Kind {
	case Pulled:
		ended := f.Is == PullMerged || f.Is == PullClosed
		if w.Pull.Is == "" || f.Head != w.Pull.Head {
			w.Pull.Unsure = f.Unsure
		}
		w.Pull.Number, w.Pull.Is, w.Pull.Draft = f.PR, f.Is, f.Draft
		w.head(f)
		if !f.Unsure {
			w.Pull.Conflicts, w.Pull.Unsure = f.Conflicts, false
			w.poll(KeyConflicts, f.Head, !f.Conflicts)
		}
		if ended {
			return pullEnded
		}
	case Checked:
		if w.Pull.Head == "" || f.Head == "" || f.Head == w.Pull.Head { // else of a commit that is not the head
			w.head(f)
			w.Pull.Checks = f.Is
		}
		if f.Is == CheckPassing || f.Is == CheckFailing {
			w.poll(KeyCI, f.Head, f.Is == CheckPassing)
		}
	case Reviewed:
		w.Pull.Review = f.Is
		w.poll(KeyChanges, f.Head, f.Is != ReviewChanges)
		w.poll(KeyBots, f.Head, f.Threads == 0)
	case Reacted, Escalated:
		w.noteMessage(f)
		w.react(f)
	}
	return noEvent
}

// head notes which commit was judged. What was said of another one no longer counts.
func (w *Worker) head(f *Fact) {
	if f.Head == "" || f.Head == w.Pull.Head {
		return
	}
	w.Pull.Head, w.Pull.Checks = f.Head, ""
	if w.fixing.head != f.Head {
		w.fixing = fixing{}
	}
}

// poll counts one answer for the budget of key.
func (w *Worker) poll(key, head string, good bool) {
	if good && w.fixing.key == key {
		w.fixing = fixing{}
	}
	i := slices.IndexFunc(w.Reactions, func(r Reaction) bool { return r.Key == key })
	if i < 0 {
		return
	}
	r := &w.Reactions[i]
	switch {
	case !good:
		r.Next, r.Good = "", 0
		if head != "" {
			r.Head = head
		}
	case head != "" && r.Head != "" && head != r.Head:
		if head != r.Next {
			r.Next, r.Good = head, 0
		}
		if r.Good++; r.Good >= 2 {
			w.Reactions = slices.Delete(w.Reactions, i, i+1)
		}
	}
}

// react counts what the agent was told, and that a person was told that it did not help. What a person alone is told has no budget.
func (w *Worker) react(f *Fact) {
	if f.Kind == Reacted && f.Action != ActionSend {
		return
	}
	i := slices.IndexFunc(w.Reactions, func(r Reaction) bool { return r.Key == f.Key })
	if i < 0 {
		if f.Key == "" || len(w.Reactions) == maxReactions {
			return
		}
		i = len(w.Reactions)
		w.Reactions = append(w.Reactions, Reaction{Key: f.Key})
	}
	r := &w.Reactions[i]
	r.Next, r.Good = "", 0
	if f.Head != "" {
		r.Head = f.Head
	}
	switch {
	case f.Kind == Escalated:
		r.Escalated = true
	case f.Action == ActionSend:
		r.Attempts++
		switch f.Key {
		case KeyCI:
			w.fixing = fixing{FixingCI, f.Key, f.Head}
		case KeyChanges, KeyBots:
			w.fixing = fixing{ResolvingReview, f.Key, f.Head}
		}
	}
}

// takeBack gives back what a message cost that nobody was told.
func (w *Worker) takeBack(key string) {
	if key == "" {
		return
	}
	for i := range w.Reactions {
		if r := &w.Reactions[i]; r.Key == key && r.Attempts > 0 {
			r.Attempts--
		}
	}
	if w.fixing.key == key {
		w.fixing = fixing{}
	}
}

// Spent is how often the agent was told for key.
func (w *Worker) Spent(key string) int {
	for _, r := range w.Reactions {
		if r.Key == key {
			return r.Attempts
		}
	}
	return 0
}
