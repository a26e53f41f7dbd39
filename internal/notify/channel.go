package notify

import (
	"context"
	"sync"
	"sync/atomic"
)

// channel is one way to notify, with its waiting notices.
type channel struct {
	name    string // the setting that enables it
	send    func(context.Context, []Notice) error
	waiting chan Notice
	lost    atomic.Bool
	failed  sync.Once
}

func (n *Notifier) add(ctx context.Context, name string, send func(context.Context, []Notice) error) {
	c := &channel{name: name, send: send, waiting: make(chan Notice, maxWaiting)}
	n.channels = append(n.channels, c)
	n.workers.Go(func() { n.work(ctx, c) })
}

// work delivers notices, in batches of all that wait, until the channel is closed and empty or
// ctx is done.
func (n *Notifier) work(ctx context.Context, c *channel) {
	for notice := range c.waiting {
		batch := append([]Notice{notice}, c.rest()...)
		if ctx.Err() != nil {
			return
		}
		n.report(c, c.send(ctx, batch))
		if c.lost.Swap(false) {
			n.report(c, ErrDropped)
		}
	}
}

// rest returns what is waiting now.
func (c *channel) rest() []Notice {
	var batch []Notice
	for {
		select {
		case notice, open := <-c.waiting:
			if !open {
				return batch
			}
			batch = append(batch, notice)
		default:
			return batch
		}
	}
}

func (n *Notifier) report(c *channel, err error) {
	if err == nil || n.options.Report == nil {
		return
	}
	c.failed.Do(func() { n.options.Report(c.name, err) })
}

// bell rings once for the whole batch.
func (n *Notifier) bell(context.Context, []Notice) error {
	_, err := n.options.Bell.Write([]byte{'\a'})
	return err
}
