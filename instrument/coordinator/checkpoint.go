package coordinator

import (
	"context"
	"errors"
	"fmt"

	"aburn/instrument"
	"aburn/instrument/registry"
)

// revertedText is why a file that a test spoke against is as it was.
const revertedText = "the tests failed with its spans and passed without them; it is as it was"

// checkpoint looks at what stands by now: the registry, and the tests where they are
// quick or the run is at its end. Files that make tests fail are taken back.
func (r *runner) checkpoint(ctx context.Context, last bool) error {
	s := r.book.state
	if s.Good == len(s.Files) && !last {
		return nil
	}
	return r.phase(ctx, Checking, Data{"files": len(s.Files)}, func() (Data, error) {
		c := Checkpoint{After: len(s.Files), Reverted: []string{}, Radius: []string{}}
		if err := r.checkRegistry(&c); err != nil {
			return nil, err
		}
		if err := r.weaverChecks(ctx, &c); err != nil {
			return nil, err
		}
		err := r.checkTests(ctx, &c, last)
		if err != nil {
			return nil, err
		}
		c.Passed = c.Registry == "" && (c.Tests == nil || !r.worse(c.Tests))
		if !c.Passed {
			for _, f := range s.Files[s.Good:] {
				if f.Commit != "" && f.Reverted == "" {
					c.Radius = append(c.Radius, f.Path)
				}
			}
		}
		if err := r.book.write(entry{Kind: kCheck, Check: &c}); err != nil {
			return nil, err
		}
		if !c.Passed && !last && (r.cb.OnCheckpoint == nil || !r.cb.OnCheckpoint(c)) {
			return nil, &stop{fmt.Sprintf("a checkpoint failed after %s: %s", plural(c.After, "file"), c.Why())}
		}
		return Data{"passed": c.Passed, "reverted": len(c.Reverted)}, nil
	})
}

// Why says why a checkpoint failed.
func (c *Checkpoint) Why() string {
	if c.Registry != "" {
		return c.Registry
	}
	return "the tests are not as green as before the run"
}

// checkRegistry wants a valid registry that was only added to.
func (r *runner) checkRegistry(c *Checkpoint) error {
	now, err := instrument.ReadContract(r.o.Dir, r.o.Config)
	var bad *instrument.RegistryError
	switch {
	case errors.As(err, &bad):
		c.Registry = err.Error()
		return nil
	case err != nil:
		return err
	case now == nil || r.start == nil:
		return nil
	}
	r.now = now
	if left := registry.NotAdded(registry.Diff(r.start, now.Resolved)); len(left) > 0 {
		c.Registry = fmt.Sprintf("%s %s is not only added to", left[0].Item, left[0].Name)
	}
	return nil
}

func (r *runner) checkTests(ctx context.Context, c *Checkpoint, last bool) (err error) {
	before := r.book.state.Baseline
	if before == nil || r.noAPI || !last && before.Millis >= quickTest.Milliseconds() {
		return nil
	}
	if c.Tests, err = r.again(ctx); err != nil || !r.worse(c.Tests) {
		return err
	}
	for r.worse(c.Tests) {
		guilty, err := r.guilty(ctx)
		if err != nil || guilty == nil {
			return err
		}
		if err := r.revert(ctx, guilty); err != nil {
			return err
		}
		c.Reverted = append(c.Reverted, guilty.Path)
		if c.Tests, err = r.again(ctx); err != nil {
			return err
		}
	}
	return nil
}

// guilty finds the first file since the last good checkpoint with which the tests are
// worse, by halves. nil is none: they are worse without all of them too.
func (r *runner) guilty(ctx context.Context) (found *File, err error) {
	var window []*File
	for _, f := range r.book.state.Files[r.book.state.Good:] {
		if f.Commit != "" && f.Reverted == "" {
			window = append(window, f)
		}
	}
	defer func() { err = errors.Join(err, r.only(ctx, window, len(window))) }()
	worseWith := func(n int) (bool, error) {
		if err := r.only(ctx, window, n); err != nil {
			return false, err
		}
		r.book.at("bisect")
		t, err := r.test(ctx)
		return err == nil && r.worse(t), err
	}
	if worse, err := worseWith(0); err != nil || worse {
		return nil, err
	}
	good, bad := 0, len(window)
	for bad-good > 1 {
		middle := (good + bad) / 2
		worse, err := worseWith(middle)
		if err != nil {
			return nil, err
		}
		if worse {
			bad = middle
		} else {
			good = middle
		}
	}
	if bad == 0 {
		return nil, nil
	}
	return window[bad-1], nil
}

// only leaves the spans of the first n files in place, and puts the others back for a
// while. Each file is replaced in one step by a form that it had.
func (r *runner) only(ctx context.Context, window []*File, n int) error {
	ctx = context.WithoutCancel(ctx)
	if err := r.stays(ctx); err != nil {
		return err
	}
	for i, f := range window {
		changed, err := r.between(ctx, f, i < n)
		if err != nil {
			return err
		}
		if changed {
			if err := r.warn("%s: somebody changed it while the tests ran; it was left alone", f.Path); err != nil {
				return err
			}
		}
	}
	return nil
}

// revert takes one file back for good, in a commit of its own. What the registry got
// for it stays.
func (r *runner) revert(ctx context.Context, f *File) error {
	if err := r.stays(ctx); err != nil {
		return err
	}
	changed, err := r.between(ctx, f, false)
	if err != nil {
		return err
	}
	if changed {
		return &stop{f.Path + " makes the tests fail, and somebody changed it while they ran: it was left alone"}
	}
	r.book.at("reverted " + f.Path)
	hash, err := r.repo.commit(ctx,
		fmt.Sprintf("instrument: take back the spans in %s\n\nThe tests failed with them, twice, and passed without them.\n\nInstrument-Run: %s\n", f.Path, r.o.Run),
		[]string{f.Path})
	if err != nil {
		return err
	}
	return r.book.write(entry{Kind: kRevert, Path: f.Path, Commit: hash, Text: revertedText})
}
