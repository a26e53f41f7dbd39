package coordinator

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"

	"aburn/instrument"
	"aburn/instrument/prompt"
	"aburn/instrument/provider"
)

// ahead are first questions about the files that come next, which are out while aburn
// works on a file. What is done with the answers is done in the files' order.
//
// Races. An answer is in the journal as soon as it is there, written by the goroutine
// that got it: a kill loses only questions that are out. What such a question may take is
// reserved until then, so that all together keep the budget. The question itself is made
// by the run's own goroutine, which alone reads the registry and the files.
type ahead struct {
	out map[string]*asking
	// paused: a provider refused without an answer. The run asks it alone, with patience.
	paused atomic.Bool
}

// asking is one question that is, or was, out.
type asking struct {
	request provider.Request
	done    chan struct{}
	err     error // of the journal; read after done
}

// askAhead sends the first questions about files, as far as the budget goes. No more are
// out at once than there are files.
func (r *runner) askAhead(ctx context.Context, files []*scanFile) error {
	if r.o.Config.Concurrency < 2 || r.rewrites() {
		return nil
	}
	for _, f := range files {
		if r.ahead.paused.Load() {
			return nil
		}
		if r.ahead.out[f.Path] != nil || slices.Contains(r.left, f.Path) || r.book.known(f.Path, 0, f.Source) != nil {
			continue
		}
		source, err := instrument.ReadSource(r.o.Dir, f.Path)
		if err != nil || instrument.SourceHash(source) != f.Source {
			continue // it is told when its turn comes
		}
		request, estimate := r.question(prompt.Question{File: f, Source: source})
		if limit := r.o.Config.MaxTokensPerFile; limit > 0 && estimate > limit {
			continue
		}
		if !r.book.reserve(estimate, r.budget()) {
			return nil
		}
		if err := r.book.write(entry{Kind: kAsked, Path: f.Path}); err != nil {
			return err
		}
		r.asks(f.Path, 0, estimate)
		a := &asking{request: request, done: make(chan struct{})}
		r.ahead.out[f.Path] = a
		go r.answer(ctx, f, estimate, a)
	}
	return nil
}

func (r *runner) answer(ctx context.Context, f *scanFile, estimate int, a *asking) {
	defer close(a.done)
	defer r.book.release(estimate)
	response, err := r.complete(ctx, a.request)
	if err != nil && (ctx.Err() != nil || response.Usage.Total() == 0) {
		r.ahead.paused.Store(true) // it cost nothing, and the run asks again
		return
	}
	a.err = r.book.write(entry{Kind: kAnswer, Path: f.Path, Answer: r.answerOf(f, response, err)})
}

// awaitAhead waits for the answer about a file, if its question is out.
func (r *runner) awaitAhead(ctx context.Context, path string) error {
	a := r.ahead.out[path]
	if a == nil {
		return nil
	}
	select {
	case <-a.done:
		return a.err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// drain waits until no question is out: what was asked is paid, and belongs into the journal.
func (r *runner) drain() (err error) {
	told := false
	for _, a := range r.ahead.out {
		select {
		case <-a.done:
		default:
			if r.cb.OnWait != nil && !told {
				r.cb.OnWait(fmt.Sprintf("%s is asked about files that come next", r.o.Provider.Name()))
				told = true
			}
			<-a.done
		}
		if a.err != nil {
			err = a.err
		}
	}
	return err
}
