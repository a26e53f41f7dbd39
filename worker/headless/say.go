package headless

import (
	"context"
	"errors"
	"strconv"
	"time"

	"aburn/internal/hold"
	"aburn/worker/slot"
)

// receipt is the best that any generation says of a message.
func (c Channel) receipt(h slot.Handle, id string) (best slot.Receipt, refused string) {
	for gen := 1; gen <= h.Gen; gen++ {
		t, err := c.Hear(slot.Handle{Dir: h.Dir, Gen: gen})
		if err != nil {
			continue
		}
		r := t.Receipts[id]
		if r == slot.Finished {
			return r, ""
		}
		if gen == h.Gen { // what was cut off earlier runs again
			best, refused = r, t.Refused
			if e := t.Errors["msg-"+id]; e != "" {
				refused = e
			}
		}
	}
	return best, refused
}

// Deliver implements slot.Channel. The error is hold.ErrGone if the agent has ended; nothing is queued then.
func (c Channel) Deliver(ctx context.Context, h slot.Handle, m slot.Message) (slot.Receipt, error) {
	if r, _ := c.receipt(h, m.ID); r != slot.Unreceived {
		return r, nil
	}
	if held, err := hold.Held(h.Dir, h.Gen); err != nil || !held {
		return slot.Unreceived, errors.Join(err, hold.ErrGone)
	}
	err := alone(h, speakWait, func() error {
		if err := Put(h, m); err != nil {
			return err
		}
		_, err := c.speak(h)
		return err
	})
	for err == nil || errors.Is(err, hold.ErrGone) {
		r, refused := c.receipt(h, m.ID)
		switch {
		case r != slot.Unreceived:
			return r, nil
		case refused != "":
			return r, errors.New("the agent refused: " + refused)
		case err != nil || ctx.Err() != nil:
			return r, errors.Join(err, ctx.Err())
		}
		time.Sleep(lookEvery)
		if _, err = c.Look(h); err == nil {
			if held, herr := hold.Held(h.Dir, h.Gen); herr == nil && !held {
				err = hold.ErrGone
			}
		}
	}
	return slot.Unreceived, err
}

// Answer answers an open question; without an id, the only one. It returns the question, once the agent has the answer.
func (c Channel) Answer(ctx context.Context, h slot.Handle, id string, allow bool, text string) (q slot.Question, err error) {
	err = alone(h, speakWait, func() error {
		t, say, err := c.mouth(h)
		if err != nil {
			return err
		}
		if q, err = choose(t.Asks, id); err != nil {
			return err
		}
		l, err := c.Protocol.Answer(q, allow, text)
		if err != nil {
			return err
		}
		l.Tag = slot.AnswerTag(q)
		if err := say(l); err != nil {
			return err
		}
		return hold.Poke(h.Dir, h.Gen)
	})
	if err != nil {
		return q, err
	}
	return q, c.until(ctx, h, func(t *slot.Talk) bool {
		_, err := choose(t.Asks, q.ID)
		return errors.Is(err, ErrNoQuestion)
	})
}

// ErrSeveral says that an id has to choose between questions.
var ErrSeveral = errors.New("the agent asks several things")

func choose(asks []slot.Question, id string) (slot.Question, error) {
	if id == "" && len(asks) > 1 {
		return slot.Question{}, ErrSeveral
	}
	for _, q := range asks {
		if id == "" || q.ID == id {
			return q, nil
		}
	}
	return slot.Question{}, ErrNoQuestion
}

// Interrupt ends the running turn, and returns when the agent says that it is over. It reports false if none is known to run.
func (c Channel) Interrupt(ctx context.Context, h slot.Handle) (ran bool, err error) {
	tag, turn := "", ""
	err = alone(h, speakWait, func() error {
		t, say, err := c.mouth(h)
		if err != nil {
			return err
		}
		tag, turn = "int-"+strconv.FormatUint(t.Lines, 10), t.Turn
		l, ok := c.Protocol.Interrupt(t, tag)
		if ran = ok; !ok {
			return nil
		}
		if err := say(l); err != nil {
			return err
		}
		return hold.Poke(h.Dir, h.Gen)
	})
	if err != nil || !ran {
		return ran, err
	}
	return true, c.until(ctx, h, func(t *slot.Talk) bool { return t.Told[tag] && t.Turn != turn })
}

// until looks until done, ctx ends or the agent does.
func (c Channel) until(ctx context.Context, h slot.Handle, done func(*slot.Talk) bool) error {
	for {
		held, err := hold.Held(h.Dir, h.Gen) // before what it said is read
		t, terr := c.Look(h)
		switch {
		case terr != nil:
			return terr
		case done(t):
			return nil
		case err == nil && !held:
			return hold.ErrGone
		case ctx.Err() != nil:
			return ctx.Err()
		}
		time.Sleep(lookEvery)
	}
}

// Story gives what a person sees of a generation, from a position on, and the position behind it.
func (c Channel) Story(h slot.Handle, from int64, each func(time.Time, slot.Passage)) (next int64, lost bool, err error) {
	return hold.Said(h.Dir, h.Gen, from, func(l hold.Heard) {
		if l.Tag == "" {
			for _, p := range c.Protocol.Show(l.Line) {
				each(l.At, p)
			}
		}
	})
}
