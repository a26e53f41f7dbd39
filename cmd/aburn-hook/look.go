package main

import (
	"context"
	"time"

	"aburn/hooks"
	"aburn/internal/journal"
	"aburn/supervisor/look"
)

// lookAt lets the supervisor look. What comes of it is in the queue and the log, and
// what goes wrong is the next look's: nothing of it is the agent's business.
func lookAt(l hooks.Looking) (alone bool) {
	r, err := look.New(look.Options{
		Root: l.Root, Project: l.Project, Journal: l.Journal, Settings: l.Settings, Key: l.Key, By: journal.Hook,
		Session: l.Session, Transcript: l.Transcript, Prompt: l.Prompt, Slow: l.Slow,
	}).Once(context.Background(), time.Now(), l.Until)
	return err == nil && r.Complete && !r.AgentsEnded(l.Session)
}
