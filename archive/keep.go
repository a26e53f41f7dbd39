package archive

import (
	"context"
	"time"

	"aburn/internal/scrub"
	"aburn/trace"
	"aburn/trace/draft"
)

// Expire deletes the sessions that ended before t, and returns how many those were.
func (a *Archive) Expire(ctx context.Context, t time.Time) (sessions int, err error) {
	keys, err := a.keys("SELECT key FROM sessions WHERE ended <> 0 AND ended < ?", t)
	if err != nil || len(keys) == 0 {
		return 0, err
	}
	err = a.transaction(func() error {
		for _, key := range keys {
			if err := ctx.Err(); err != nil {
				return err
			}
			// The store has them still, as far as this knows: to go on in it, a reader would need what is deleted here.
			if err := a.unlist("SELECT store FROM sessions WHERE key = ? AND store <> 0", key); err != nil {
				return err
			}
			if err := a.run("UPDATE cursors SET sessions = sessions - 1, whole = 1 WHERE store = (SELECT store FROM sessions WHERE key = ?)", key); err != nil {
				return err
			}
			if err := a.remove(key); err != nil {
				return err
			}
		}
		return nil
	})
	return len(keys), err
}

// Rescrub applies the rules of this executable to the traces that older ones were applied to, and returns how many those
// were. Sources that still exist are better read again: a newer rule may need what an older one took out.
func (a *Archive) Rescrub(ctx context.Context) (sessions int, err error) {
	keys, err := a.keys("SELECT key FROM sessions WHERE scrub < ?", a.rules)
	if err != nil {
		return 0, err
	}
	for _, key := range keys {
		err := a.change(ctx, key, func(t *trace.SessionTrace) error {
			rescrub(t)
			_, err := draft.Resume(t).Finish()
			t.Scrub.Version = a.rules
			return err
		})
		if err != nil {
			return sessions, err
		}
		sessions++
	}
	return sessions, nil
}

// change rewrites a stored trace in a transaction of its own. Its next reading is still compared with the last one.
func (a *Archive) change(ctx context.Context, key int64, do func(*trace.SessionTrace) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	t, err := a.Trace(ctx, key)
	if err != nil {
		return err
	}
	if err := do(t); err != nil {
		return err
	}
	return a.transaction(func() error { return a.replace(key, t) })
}

// replace writes t in place of the trace under its key.
func (a *Archive) replace(key int64, t *trace.SessionTrace) error {
	p, err := pack(t)
	if err != nil {
		return err
	}
	k, err := a.stored(t.Source, t.ID)
	if err != nil {
		return err
	}
	p.session.Key, p.sum = key, k.sum
	return a.insert(p, k.store)
}

// rescrub scrubs all text that a trace keeps.
func rescrub(t *trace.SessionTrace) {
	clean := func(texts ...*string) {
		for _, s := range texts {
			*s, _ = scrub.Text(*s)
		}
	}
	for i := range t.Events {
		switch b := t.Events[i].Body.(type) {
		case *trace.UserMessage:
			clean(&b.Head, &b.Command)
		case *trace.ToolCall:
			clean(&b.Head, &b.Path)
		case *trace.FileChange:
			clean(&b.Path, &b.From)
		case *trace.Error:
			clean(&b.Head, &b.Code)
		case *trace.Interrupt:
			clean(&b.Reason)
		case *trace.SubagentSpawn:
			clean(&b.Description, &b.AgentType)
		case *trace.Session:
			clean(&b.Detail)
		}
	}
	for i := range t.Results {
		clean(&t.Results[i].Head)
	}
	for i := range t.Relationships {
		clean(&t.Relationships[i].Description, &t.Relationships[i].AgentType, &t.Relationships[i].Evidence)
	}
	for i := range t.Damaged {
		clean(&t.Damaged[i].Reason)
	}
}

// Compact gives the disk back what deleted sessions left, if that is much.
func (a *Archive) Compact() error {
	free, err := a.number("PRAGMA freelist_count")
	if err != nil {
		return err
	}
	all, err := a.number("PRAGMA page_count")
	if err != nil || free < 1000 || free < all/4 {
		return err
	}
	return a.run("VACUUM")
}
