package journal

import (
	"iter"

	"aburn/logfmt"
)

// Record is one entry of a replay.
type Record[T any] struct {
	Line
	Value *T // what the line says; valid until the next iteration
}

// Headers is Forward with the routing fields of each entry. A line that turns
// out to be no entry is damage.
func (j *Journal) Headers(from Position) iter.Seq2[*Record[logfmt.Header], error] {
	return replay(j, from, func() parser[logfmt.Header] {
		return new(logfmt.Parser).Header
	})
}

// Entries is Headers for all fields. An entry's strings may be kept, its Data
// is valid until the next iteration.
func (j *Journal) Entries(from Position) iter.Seq2[*Record[logfmt.Entry], error] {
	return replay(j, from, func() parser[logfmt.Entry] {
		var p logfmt.Parser
		return func(line []byte, e *logfmt.Entry) bool { return p.Parse(line, e) == nil }
	})
}

// parser reads line into a value, which may be one that it read before, and
// reports whether it is an entry.
type parser[T any] func(line []byte, into *T) bool

// replay is Forward with each line parsed: on all processors where there is
// much to read, but always in the order of the log.
func replay[T any](j *Journal, from Position, newParser func() parser[T]) iter.Seq2[*Record[T], error] {
	return func(yield func(*Record[T], error) bool) {
		parse, r := newParser(), &Record[T]{Value: new(T)}
		one := func(line Line, err error) bool {
			r.Line = line
			if err == nil && !parse(line.JSON, r.Value) {
				j.read.Damage++
				return true
			}
			return yield(r, err)
		}
		j.forward(from, 0, one, func(c *cursor) bool {
			p := startPool(c, newParser)
			defer p.stop()
			return p.deliver(c, yield)
		})
	}
}
