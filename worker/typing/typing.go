// Package typing types a message into an agent's terminal, if it is proved that the agent waits at an empty input line.
//
// # What is proved, and how
//
//   - Before anything is typed, the agent's own record says that its turn is over, the screen shows an empty input line, and
//     nobody has pressed a key there lately.
//   - The tag of the message goes in first, as a paste. A question swallows a paste, and nothing happens. Only if the tag
//     stands in the input line, the rest follows.
//   - What stands there already is not pasted again: a message that stands there whole is only sent. A client that was stopped
//     shows a tag only after it was pasted once more; two tags of the message are as good as one.
//   - Enter is pressed only if the tag still stands there and the agent's record has not grown by one entry since the
//     beginning. Between this last look and the Enter the caller's lock is held, which lets no call of the agent begin
//     (hooks wait for it). A call begins before a question about it is asked.
//   - The message counts as accepted when the agent's record shows its tag, and never by what the screen shows.
//
// Who is killed in between leaves at most the text in the input line, and the next one goes on from there. Beginning is
// called before the text follows the tag: from then on nobody may tell the message by another way, because a person can
// send what stands there. Who is killed after Pressing was told of an Enter does not know whether the agent got it: such a
// message is never pasted again.
package typing

import (
	"context"
	"strings"
	"time"

	"aburn/worker/slot"
)

// Patience of each step. They are variables of a Job's, so that tests need not wait.
type Patience struct {
	Step    time.Duration // between two looks
	Shown   time.Duration // until a paste stands in the input line
	Heard   time.Duration // until the agent's record shows an Enter
	Enters  int           // how often Enter is pressed at most
	Touched time.Duration // since a person's last key
}

// Usual is the patience with real clients: a paste was heard after 125 to 725 ms.
var Usual = Patience{Step: 25 * time.Millisecond, Shown: 3 * time.Second, Heard: 3300 * time.Millisecond, Enters: 3, Touched: 5 * time.Second}

// Sight is what the agent's own record says.
type Sight struct {
	Idle  bool   // its turn is over, and nothing is asked
	Last  uint64 // the newest entry; each new one is greater
	Heard bool   // the record shows the message
	Why   string // it is not idle
}

// Job is one message to one terminal.
type Job struct {
	Terminal slot.Typist
	Address  string
	Client   slot.Prompter
	Tag      string // without a line end
	Text     string // what follows the tag
	Look     func(context.Context) (Sight, error)
	// Alone takes the lock that keeps calls from beginning.
	Alone func(context.Context) (release func(), err error)
	// Begun says that Beginning was called for this message before: its text may be on its way to the screen, or a person may
	// have sent it just now.
	Begun bool
	// Finish presses Enter behind the whole text if it stands there, and pastes nothing.
	Finish bool
	// Beginning is called before the text is pasted behind the tag. If it fails, it is not.
	Beginning func() error
	// Pressing is called before the first Enter. If it fails, no key is pressed.
	Pressing func() error
	Patience Patience
	Now      func() time.Time
}

// Result is how it went.
type Result struct {
	Accepted bool
	Pressed  bool   // Enter was pressed: without Accepted nobody knows
	Left     bool   // some of the text may stand in the input line
	Why      string // it is not accepted
}

// Type does the job. An error is of the terminal or the log, and comes with a Result that holds all the same.
func (j *Job) Type(ctx context.Context) (r Result, err error) {
	first, err := j.Look(ctx)
	if err != nil || !first.Idle {
		return Result{Why: first.Why}, err
	}
	text, why, err := j.input(ctx)
	if err == nil && why == "" && j.Begun && j.unfinished(text) {
		if text, why, err = j.settled(ctx); err == nil && why == "" {
			r, err = j.changed(ctx, first)
		}
	}
	switch {
	case err != nil || why != "":
		return Result{Why: why}, err
	case r.Accepted || r.Why != "":
		return r, nil
	case j.whole(text):
		r.Left = true
		return j.enter(ctx, first, r)
	case !j.unfinished(text) || j.Finish:
		return Result{Why: "something stands in its input line"}, nil
	}
	if r, err = j.paste(ctx, text); err != nil || r.Why != "" {
		return r, err
	}
	return j.enter(ctx, first, r)
}

// whole reports whether all of the message stands in the input line, and nothing else.
func (j *Job) whole(text string) bool { return j.Client.Shows(text, j.Tag+" "+j.Text) }

// unfinished reports whether at most the tag stands in the input line.
func (j *Job) unfinished(text string) bool { return text == "" || text == j.Tag }

// settled is the input line after a while in which a paste that was begun may appear there.
func (j *Job) settled(ctx context.Context) (text, why string, err error) {
	_, why, err = j.wait(ctx, func(now string) bool { text = now; return !j.unfinished(now) })
	return text, why, err
}

// changed is not empty if the agent's record has grown: the message may have been sent.
func (j *Job) changed(ctx context.Context, first Sight) (r Result, err error) {
	now, err := j.Look(ctx)
	switch {
	case err != nil:
	case now.Heard:
		r.Accepted = true
	case !now.Idle || now.Last != first.Last:
		r.Why = or(now.Why, "it began to do something meanwhile")
	}
	return r, err
}

// paste brings the message into the input line, in which text stands.
func (j *Job) paste(ctx context.Context, text string) (r Result, err error) {
	r.Left = true
	if text == "" {
		if err := j.Terminal.Paste(ctx, j.Address, j.Tag+" "); err != nil {
			return r, err
		}
	}
	shown := func(now string) bool { return now == j.Tag }
	if ok, why, err := j.wait(ctx, shown); !ok {
		r.Why = or(why, "a pasted text did not appear in its input line")
		return r, err
	}
	if err := j.Beginning(); err != nil {
		return r, err
	}
	if err := j.Terminal.Paste(ctx, j.Address, j.Text); err != nil {
		return r, err
	}
	shown = func(now string) bool { return len(now) > len(j.Tag) && strings.HasPrefix(now, j.Tag) }
	if ok, why, err := j.wait(ctx, shown); !ok {
		r.Why = or(why, "the text did not appear in its input line")
		return r, err
	}
	return r, nil
}

// enter presses Enter until the record shows the message, a few times: clients lose one.
func (j *Job) enter(ctx context.Context, first Sight, r Result) (Result, error) {
	for n := range j.Patience.Enters {
		done, err := j.once(ctx, first, n == 0, &r)
		if done || err != nil {
			return r, err
		}
	}
	r.Why = "its record does not show the message"
	return r, nil
}

func (j *Job) once(ctx context.Context, first Sight, begin bool, r *Result) (done bool, err error) {
	release, err := j.Alone(ctx)
	if err != nil {
		return false, err
	}
	defer release()
	now, why, err := j.input(ctx)
	if err != nil {
		return false, err
	}
	sight, err := j.Look(ctx) // last, because it is what the lock is about
	switch {
	case err != nil:
		return false, err
	case sight.Heard:
		*r = Result{Accepted: true, Pressed: r.Pressed}
		return true, nil
	case !sight.Idle || sight.Last != first.Last:
		r.Why = or(sight.Why, "it began to do something meanwhile")
		return true, nil
	case why != "" || !strings.HasPrefix(now, j.Tag):
		r.Why = or(why, "its input line changed meanwhile")
		return true, nil
	}
	if begin {
		if err := j.Pressing(); err != nil {
			return false, err
		}
	}
	r.Pressed = true
	if err := j.Terminal.Press(ctx, j.Address, slot.Enter); err != nil {
		return false, err
	}
	for until := j.Now().Add(j.Patience.Heard); j.Now().Before(until); {
		if sight, err = j.Look(ctx); err != nil {
			return false, err
		}
		if sight.Heard {
			*r = Result{Accepted: true, Pressed: true}
			return true, nil
		}
		if err := sleep(ctx, j.Patience.Step); err != nil {
			return false, err
		}
	}
	return false, nil
}

// input is what stands in the input line, or why that is not to be touched.
func (j *Job) input(ctx context.Context) (text, why string, err error) {
	s, err := j.Terminal.Screen(ctx, j.Address)
	if err != nil {
		return "", "", err
	}
	if !s.Touched.IsZero() && j.Now().Sub(s.Touched) < j.Patience.Touched {
		return "", "somebody is typing in its terminal", nil
	}
	text, ok := j.Client.Input(s)
	switch {
	case !ok:
		return "", "its screen shows no input line: it may be asking something", nil
	case j.Client.Busy(s):
		return "", "its screen shows that it works", nil
	}
	return j.single(text), "", nil
}

// single is the input line with one of the tags that begin it.
func (j *Job) single(text string) string {
	for {
		rest, tagged := strings.CutPrefix(text, j.Tag)
		if rest = strings.TrimSpace(rest); !tagged || !strings.HasPrefix(rest, j.Tag) {
			return text
		}
		text = rest
	}
}

// wait looks until the input line is as wanted.
func (j *Job) wait(ctx context.Context, wanted func(string) bool) (ok bool, why string, err error) {
	for until := j.Now().Add(j.Patience.Shown); ; {
		text, why, err := j.input(ctx)
		switch {
		case err != nil || why != "":
			return false, why, err
		case wanted(text):
			return true, "", nil
		case !j.Now().Before(until):
			return false, "", nil
		}
		if err := sleep(ctx, j.Patience.Step); err != nil {
			return false, "", err
		}
	}
}

func or(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}
