package archive

import (
	"context"
	"errors"
	"fmt"
	"time"

	"aburn/internal/sqlite"
	"aburn/internal/wire"
	"aburn/trace"
)

// The answers of a session are one row, as its calls are: what each billed response says about its cost, in the order of
// SessionTrace.Responses, compressed as a whole. Prices are no part of it, so that a corrected price corrects the past.

// Answer is a response of a model that its session was billed for. Copies are not.
type Answer struct {
	Time   time.Time
	Model  string
	Tier   string
	Geo    string
	Branch string
	Usage  trace.Usage
}

// answerCoder codes a session's answers. A text that the answer before had, too, is a flag. A change of it changes the
// schema.
type answerCoder struct {
	wire.Coder
	before Answer
	time   int64
}

func (w *answerCoder) answer(r *Answer) {
	at := millis(r.Time)
	if w.After(&at, &w.time); w.Reading() {
		r.Time = instant(at)
	}
	model, tier, geo, branch := r.Model == w.before.Model, r.Tier == w.before.Tier, r.Geo == w.before.Geo, r.Branch == w.before.Branch
	w.Flags(&model, &tier, &geo, &branch)
	w.repeated(model, &r.Model, &w.before.Model)
	w.repeated(tier, &r.Tier, &w.before.Tier)
	w.repeated(geo, &r.Geo, &w.before.Geo)
	w.repeated(branch, &r.Branch, &w.before.Branch)
	u := &r.Usage
	for _, n := range [...]*int64{&u.Input, &u.CacheRead, &u.CacheWrite, &u.CacheWrite5m, &u.CacheWrite1h, &u.Output, &u.Reasoning, &u.Searches} {
		w.Int64(n)
	}
	w.Float(&u.CostUSD)
}

func (w *answerCoder) repeated(same bool, s, before *string) {
	if same {
		*s = *before
		return
	}
	w.Text(s)
	*before = *s
}

// billed lists the responses of a trace that its session was billed for.
func billed(t *trace.SessionTrace) (list []Answer) {
	for i := range t.Responses {
		if r := &t.Responses[i]; r.Copied == "" && r.Usage != (trace.Usage{}) {
			list = append(list, Answer{Time: r.Time, Model: r.Model, Tier: r.Tier, Geo: r.Geo, Branch: r.Branch, Usage: r.Usage})
		}
	}
	return list
}

func packAnswers(t *trace.SessionTrace) []byte {
	buf := buffers.Get().(*[]byte)
	defer buffers.Put(buf)
	w := answerCoder{Coder: wire.Writer((*buf)[:0])}
	for _, r := range billed(t) {
		w.answer(&r)
	}
	rows := w.Written()
	*buf = rows
	if len(rows) == 0 {
		return nil
	}
	return compress(rows)
}

// errAnswers is the error for a damaged row of answers.
var errAnswers = errors.New("the answers of a session are not what was written")

// EachAnswers calls each with the key of every chosen session and its answers, in the order of the keys. It leaves out
// sessions that were billed for nothing. The slice is only valid during the call. chosen runs beside each, which uses no
// connection: rows are read while those before them are summed up.
func (a *Archive) EachAnswers(ctx context.Context, chosen func(session int64) bool, each func(session int64, list []Answer) error) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	read, free, failed := make(chan *answerRows, 1), make(chan *answerRows, 2), make(chan error, 1)
	free <- &answerRows{}
	free <- &answerRows{}
	go func() {
		defer close(read)
		failed <- a.readAnswerRows(ctx, chosen, read, free)
	}()
	var list []Answer
	var err error
	for rows := range read { // to the end: nobody else may use the connection before
		for i := 0; i < len(rows.keys) && err == nil; i++ {
			if list, err = readAnswers(rows.text(i), list[:0]); err != nil {
				err = fmt.Errorf("%s: the answers of session %d: %w", a.path, rows.keys[i], err)
				break
			}
			err = each(rows.keys[i], list)
		}
		if err != nil {
			stop()
		}
		free <- rows // there are two, and room for both
	}
	if err != nil {
		return err
	}
	return <-failed
}

// answerRows are the expanded rows of some sessions.
type answerRows struct {
	keys  []int64
	ends  []int // in texts
	texts []byte
}

func (r *answerRows) text(i int) []byte {
	if i == 0 {
		return r.texts[:r.ends[0]]
	}
	return r.texts[r.ends[i-1]:r.ends[i]]
}

// enoughAnswers is how many bytes go from one goroutine to the other at once.
const enoughAnswers = 128 << 10

func (a *Archive) readAnswerRows(ctx context.Context, chosen func(session int64) bool, to chan<- *answerRows, free <-chan *answerRows) error {
	var text []byte // used again for each session
	rows := <-free
	give := func() error {
		to <- rows // two are about, and one of them is free or summed up
		select {
		case rows = <-free:
			rows.keys, rows.ends, rows.texts = rows.keys[:0], rows.ends[:0], rows.texts[:0]
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	err := a.each("SELECT session, rows FROM answers ORDER BY session", func(s *sqlite.Row) error {
		key := s.Int64(0)
		if !chosen(key) {
			return nil
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		expanded, err := expandInto(text, s.Bytes(1))
		if err != nil {
			return fmt.Errorf("%s: the answers of session %d: %w", a.path, key, err)
		}
		text = expanded
		rows.keys, rows.texts = append(rows.keys, key), append(rows.texts, text...)
		rows.ends = append(rows.ends, len(rows.texts))
		if len(rows.texts) < enoughAnswers {
			return nil
		}
		return give()
	})
	if err == nil && len(rows.keys) > 0 {
		err = give()
	}
	return err
}

func expandAnswers(row []byte) ([]Answer, error) {
	text, err := expand(row)
	if err != nil {
		return nil, err
	}
	return readAnswers(text, nil)
}

// readAnswers decodes an expanded row of answers.
func readAnswers(text []byte, list []Answer) ([]Answer, error) {
	w := answerCoder{Coder: wire.Reader(string(text))}
	for w.Left() > 0 {
		list = append(list, Answer{})
		if w.answer(&list[len(list)-1]); w.Err() != nil {
			return nil, errAnswers
		}
	}
	return list, nil
}
