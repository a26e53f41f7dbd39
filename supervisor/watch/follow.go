package watch

import (
	"context"
	"errors"
	"time"

	"aburn/internal/journal"
)

// follower tells when the log may have grown.
type follower struct {
	log      *journal.Journal
	news     chan struct{} // holds one: looks read what there is, however much that is
	problems chan error
	done     chan struct{} // closed when the log is nobody's again
}

// follow starts a follower that ends with ctx.
func follow(ctx context.Context, log *journal.Journal) *follower {
	f := &follower{log, make(chan struct{}, 1), make(chan error, 1), make(chan struct{})}
	go func() {
		defer close(f.done)
		for ctx.Err() == nil {
			err := f.once(ctx)
			if errors.Is(err, journal.ErrPosition) {
				pause(ctx, busyAfter) // replaced between two steps: the next end is another one
				continue
			}
			if err != nil {
				hand(f.problems, err)
			}
			pause(ctx, retryAfter)
		}
	}()
	return f
}

// once follows from the end of the log. What came before it is known is for the look that the first signal causes.
func (f *follower) once(ctx context.Context) error {
	end, err := f.log.End()
	if err != nil {
		return err
	}
	hand(f.news, struct{}{})
	for _, err := range f.log.Follow(ctx, end) {
		if err != nil {
			return err
		}
		hand(f.news, struct{}{})
	}
	return nil
}

// hand puts v into a channel that has room for it.
func hand[T any](c chan T, v T) {
	select {
	case c <- v:
	default:
	}
}

func pause(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
	case <-t.C:
	}
}
