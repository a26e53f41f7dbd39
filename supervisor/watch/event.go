package watch

import (
	"maps"
	"slices"
	"time"

	"aburn/supervisor"
	"aburn/supervisor/limits"
	"aburn/supervisor/look"
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
	Standing Kind = "standing" // an issue that stood when the watch began, and is no news: told before, or of long ago
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

// oldNews is how long ago an issue began that is no news to a watch which begins: a log may have years.
const oldNews = 24 * time.Hour

// telling is what a watch knows about having told an issue.
type telling struct {
	at    time.Time
	heard bool // the user was told that it stands, and not since that it is resolved
}

// news compares what stands now with what was told. Who was told is known from the log, and of this watch from memory:
// the log may be full. What came back is told again, but not within the cooldown.
func (w *watch) news(at time.Time) (events []Event) {
	for _, i := range w.sight.issues {
		before, known := w.told[i.Signature]
		inLog := w.sight.toldBefore(i.Signature)
		switch {
		case known && before.heard || !known && inLog && w.began:
			if i.Task != "" {
				events = append(events, Event{at, Queued, i})
			}
		case !known && (inLog || !w.began && i.Since.Is() && at.Sub(i.Since.Time()) > oldNews):
			events = append(events, Event{at, Standing, i})
		case inLog || known && at.Sub(before.at) < w.Limits.Cooldown:
			continue // it comes and goes
		default:
			before.at = at
			events = append(events, Event{at, Raised, i})
		}
		w.told[i.Signature] = telling{before.at, true}
	}
	return append(events, w.resolved(at)...)
}

// resolved is what no longer stands.
func (w *watch) resolved(at time.Time) (events []Event) {
	for _, i := range w.before {
		t := w.told[i.Signature]
		if holds(w.sight.issues, i.Signature) || !t.heard {
			continue
		}
		i.Task = ""
		events = append(events, Event{at, Resolved, i})
		w.told[i.Signature] = telling{at: t.at}
	}
	maps.DeleteFunc(w.told, func(signature string, t telling) bool {
		return !t.heard && at.Sub(t.at) >= w.Limits.Cooldown
	})
	return events
}

func holds(issues []Issue, signature string) bool {
	return slices.ContainsFunc(issues, func(i Issue) bool { return i.Signature == signature })
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
