package archive

import (
	"context"
	"time"

	"aburn/internal/scrub"
	"aburn/trace"
	"aburn/trace/draft"
)

// Expire deletes the sessions that ended before t, and returns their number.
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
			// The store may still have the session. To continue there a reader would need the trace that is deleted here.
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

// Rescrub applies this executable's scrubbing rules to traces of older rules, and returns their number. Sources that
// still exist should be read again instead: a newer rule may need what an older one removed.
func (a *Archive) Rescrub(ctx context.Context) (sessions int, err error) {
	keys, err := a.keys("SELECT key FROM sessions WHERE scrub < ?", a.rules)
	if err != nil {
		return 0, err
	}
	for _, key := range keys {
		err := a.rewrite(ctx, key, func(t *trace.SessionTrace) error {
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

// rewrite changes a stored trace in its own transaction. The next reading is still compared with the last one.
func (a *Archive) rewrite(ctx context.Context, key int64, do func(*trace.SessionTrace) error) error {
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

// Compact returns the space of deleted sessions to the disk, if it is much.
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
