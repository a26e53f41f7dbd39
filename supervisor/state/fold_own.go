package state

import (
	"slices"

	"aburn/logfmt"
)

// own folds what aburn wrote of what it did itself.
func (x *step) own() {
	switch x.e.Event {
	case logfmt.Intervention:
		x.intervention()
	case logfmt.Delivered:
		if a := x.advice(); a != nil {
			to := &a.Delivered
			if x.d.Seen {
				to = &a.Seen
			}
			if !to.Is() {
				*to = x.at
			}
		}
	case logfmt.Resolved:
		if a := x.advice(); a != nil && !a.Resolved.Is() {
			a.Resolved = x.at
		}
		if signature := text(x.d.Signature, maxID); signature != "" {
			x.Told = slices.DeleteFunc(x.Told, func(t Told) bool { return t.Signature == signature })
		}
	}
}

func (x *step) intervention() {
	signature := text(x.d.Signature, maxID)
	switch task := text(x.d.TaskID, maxID); {
	case task == "":
		x.Told = slices.DeleteFunc(x.Told, func(t Told) bool { return t.Signature == signature })
		x.Told = push(x.Told, Told{x.at, signature}, maxTold)
	case x.advice() == nil:
		if len(x.Advice) >= maxAdvice {
			i := max(0, slices.IndexFunc(x.Advice, func(a *Advice) bool { return a.Resolved.Is() }))
			x.Advice = slices.Delete(x.Advice, i, i+1)
		}
		x.Advice = append(x.Advice, &Advice{
			Task: task, Type: text(x.d.Type, maxName), Signature: signature, Session: x.sessionID(), Queued: x.at,
		})
	}
}

// advice is what the entry is about; nil: not known any more.
func (x *step) advice() *Advice {
	task := text(x.d.TaskID, maxID)
	for _, a := range x.Advice {
		if a.Task == task && task != "" {
			return a
		}
	}
	return nil
}
