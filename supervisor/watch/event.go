package watch

import (
	"slices"
	"time"

	"aburn/supervisor"
	"aburn/supervisor/look"
	"aburn/workflow"
)

// Issue is one that stands.
type Issue struct {
	supervisor.Issue
	Level supervisor.Level
	Task  string // this look put it into the queue
}

// Kind is what an event is about.
type Kind string

// The kinds of events.
const (
	Standing Kind = "standing" // an issue that stood when the watch began, and that the user was told of before
	Raised   Kind = "raised"   // an issue that the user is told of now, for the first time
	Queued   Kind = "queued"   // one that the user was told of before has become a task for the agent
	Resolved Kind = "resolved" // one that this watch saw stand no longer does
)

// Event is one thing that is new.
type Event struct {
	At   time.Time
	Kind Kind
	Issue
}

// issues is what a look found, without the types that are switched off.
func issues(r *look.Result, model *workflow.Model) (list []Issue) {
	tasks := map[string]string{}
	for _, q := range r.Queued {
		tasks[q.Issue.Signature] = q.Task
	}
	for _, i := range r.Issues {
		if level := supervisor.LevelOf(&i, model); level != "" {
			list = append(list, Issue{i, level, tasks[i.Signature]})
		}
	}
	return list
}

// news compares what stands now with what stood before. Who was told is known from the log, and of this watch from
// memory: the log may be full.
func (w *watch) news(before []Issue, at time.Time) (events []Event) {
	for _, i := range w.sight.issues {
		switch {
		case !w.told[i.Signature] && !w.sight.toldBefore(i.Signature):
			events = append(events, Event{at, Raised, i})
		case i.Task != "":
			events = append(events, Event{at, Queued, i})
		case !w.began:
			events = append(events, Event{at, Standing, i})
		}
		w.told[i.Signature] = true
	}
	for _, i := range before {
		if !slices.ContainsFunc(w.sight.issues, func(n Issue) bool { return n.Signature == i.Signature }) {
			i.Task = ""
			events = append(events, Event{at, Resolved, i})
		}
	}
	return events
}

// raised is what the events tell for the first time.
func raised(events []Event) (list []supervisor.Issue) {
	for _, e := range events {
		if e.Kind == Raised {
			list = append(list, e.Issue.Issue)
		}
	}
	return list
}
