package watch

import (
	"maps"
	"slices"
	"time"

	"aburn/supervisor"
	"aburn/supervisor/limits"
	"aburn/supervisor/look"
)

// Issue is an open issue.
type Issue struct {
	supervisor.Issue
	Level supervisor.Level
	Task  string // the task that this look queued for it; "" for none
}

// Kind is the kind of an event.
type Kind string

// The kinds of events.
const (
	Standing Kind = "standing" // the issue was open when the watch began and is no news: notified before, or old
	Raised   Kind = "raised"   // the user is notified of the issue now, for the first time
	Queued   Kind = "queued"   // an issue of an earlier notification has become a task for the agent
	Resolved Kind = "resolved" // an issue that this watch saw is no longer open
)

// Event is one piece of news.
type Event struct {
	At   time.Time
	Kind Kind
	Issue
}

// issues are those of a look, without the types that are switched off.
func issues(r *look.Result, l *limits.Limits) (list []Issue) {
	tasks := map[string]string{}
	for _, q := range r.Queued {
		tasks[q.Issue.Signature] = q.Task
	}
	for _, i := range r.Issues {
		if level := supervisor.LevelOf(&i, l); level != "" {
			list = append(list, Issue{i, level, tasks[i.Signature]})
		}
	}
	return list
}

// oldNews is the age from which an issue is no news to a new watch: a log may go back years.
const oldNews = 24 * time.Hour

// notification is the last one about an issue.
type notification struct {
	at   time.Time
	open bool // the user knows that the issue is open, and not that it is resolved
}

// news compares the open issues with earlier notifications. Those of other watches are in the log; this watch keeps its
// own in memory, because the log may be full. A returning issue is notified again, but not within the cooldown.
func (w *watch) news(at time.Time) (events []Event) {
	for _, i := range w.found.issues {
		before, known := w.notified[i.Signature]
		inLog := w.found.inLog(i.Signature)
		switch {
		case known && before.open || !known && inLog && w.began:
			if i.Task != "" {
				events = append(events, Event{at, Queued, i})
			}
		case !known && (inLog || !w.began && i.Since.Is() && at.Sub(i.Since.Time()) > oldNews):
			events = append(events, Event{at, Standing, i})
		case inLog || known && at.Sub(before.at) < w.Limits.Cooldown:
			continue // the issue comes and goes
		default:
			before.at = at
			events = append(events, Event{at, Raised, i})
		}
		w.notified[i.Signature] = notification{before.at, true}
	}
	return append(events, w.resolved(at)...)
}

// resolved reports issues that are no longer open.
func (w *watch) resolved(at time.Time) (events []Event) {
	for _, i := range w.before {
		t := w.notified[i.Signature]
		if contains(w.found.issues, i.Signature) || !t.open {
			continue
		}
		i.Task = ""
		events = append(events, Event{at, Resolved, i})
		w.notified[i.Signature] = notification{at: t.at}
	}
	maps.DeleteFunc(w.notified, func(signature string, t notification) bool {
		return !t.open && at.Sub(t.at) >= w.Limits.Cooldown
	})
	return events
}

func contains(issues []Issue, signature string) bool {
	return slices.ContainsFunc(issues, func(i Issue) bool { return i.Signature == signature })
}

// raised are the issues of the Raised events.
func raised(events []Event) (list []supervisor.Issue) {
	for _, e := range events {
		if e.Kind == Raised {
			list = append(list, e.Issue.Issue)
		}
	}
	return list
}
