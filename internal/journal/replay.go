package journal

import (
	"bytes"
	"io"
	"iter"
	"runtime"
	"sync"

	"aburn/logfmt"
)

// Record is one entry of a replay.
type Record[T any] struct {
	Line
	Value *T // the parsed line; valid until the next iteration
}

// Headers is Forward with the routing fields of each entry. A line that turns out to be no entry
// counts as damage.
func (j *Journal) Headers(from Position) iter.Seq2[*Record[logfmt.Header], error] {
	return replay(j, from, func() parser[logfmt.Header] {
		return new(logfmt.Parser).Header
	})
}

// Entries is Headers with all fields. An entry's strings may be kept; its Data is valid until the
// next iteration.
func (j *Journal) Entries(from Position) iter.Seq2[*Record[logfmt.Entry], error] {
	return replay(j, from, func() parser[logfmt.Entry] {
		var p logfmt.Parser
		return func(line []byte, e *logfmt.Entry) bool { return p.Parse(line, e) == nil }
	})
}

// parser parses line into a value, possibly one it used before, and reports whether the line is
// an entry.
type parser[T any] func(line []byte, into *T) bool

// replay is Forward with each line parsed. It uses all processors where there is much to read,
// and always keeps the log's order.
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

// poolBlock is how much a worker reads at once. It should stay in the processor's cache until its
// lines are found.
const poolBlock = 256 << 10

// manyBytes is how much of a segment must be left for a pool to pay off.
const manyBytes = 4 * poolBlock

// isLong reports whether that much is left, without carried lines.
func (c *cursor) isLong() bool {
	off := c.scan.offset()
	return c.f.size()-off >= manyBytes && !c.watch.watches(off) && !c.scan.skip
}

// pool reads one segment in blocks and parses them in parallel, one worker a processor. Each
// worker
//
//	takes a free block
//	reads the next bytes into it, and queues it     one worker at a time: file order
//	parses its lines
//	marks it as ready
//
// The consumer takes the blocks from the queue, waits for each, and frees it. The number of
// blocks bounds the memory, and how far the workers run ahead.
//
// A pool ends at the file's end, at an error, and at a line longer than a block. The cursor then
// continues, because it can handle these.
type pool[T any] struct {
	r     io.ReaderAt
	free  chan *parsed[T]
	queue chan *parsed[T] // closed at the end of the input
	quit  chan struct{}   // closed when the consumer stops
	alive sync.WaitGroup

	mu   sync.Mutex
	next int64  // file offset after rest
	rest []byte // the beginning of a line that ends in the next block
	done bool
}

// parsed is a block and its entries.
type parsed[T any] struct {
	buf    []byte
	lines  []byte // the complete lines in buf
	off    int64  // their file offset
	values []T    // the entries; capacity beyond them is kept
	at     []span // their places in lines
	damage int64
	ready  chan struct{}
}

// startPool begins at the first line that c has not returned.
func startPool[T any](c *cursor, newParser func() parser[T]) *pool[T] {
	workers := runtime.GOMAXPROCS(0)
	blocks := 2*workers + 1
	p := &pool[T]{
		r: c.f, next: c.scan.offset(),
		free: make(chan *parsed[T], blocks), queue: make(chan *parsed[T], blocks), quit: make(chan struct{}),
	}
	for range blocks {
		p.free <- &parsed[T]{buf: make([]byte, poolBlock), ready: make(chan struct{}, 1)}
	}
	for range workers {
		p.alive.Go(func() { p.work(newParser()) })
	}
	return p
}

// stop ends the workers and waits for them, so that the file may be closed.
func (p *pool[T]) stop() {
	close(p.quit)
	p.alive.Wait()
}

func (p *pool[T]) work(parse parser[T]) {
	for {
		select {
		case <-p.quit:
			return
		case b := <-p.free:
			if !p.fill(b) {
				return
			}
			b.parse(parse)
			b.ready <- struct{}{}
		}
	}
}

// fill reads the next block and queues it; false at the end.
func (p *pool[T]) fill(b *parsed[T]) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.done {
		return false
	}
	kept := copy(b.buf, p.rest)
	n, err := p.r.ReadAt(b.buf[kept:], p.next)
	b.off = p.next - int64(kept)
	b.lines = b.buf[:bytes.LastIndexByte(b.buf[:kept+n], '\n')+1]
	p.rest = append(p.rest[:0], b.buf[len(b.lines):kept+n]...)
	p.next += int64(n)
	if len(b.lines) > 0 {
		p.queue <- b
	}
	if err != nil || len(b.lines) == 0 {
		p.done = true
		close(p.queue)
	}
	return len(b.lines) > 0
}

func (b *parsed[T]) parse(read parser[T]) {
	b.at, b.damage = b.at[:0], 0
	n := 0
	for from := 0; from < len(b.lines); {
		to := from + bytes.IndexByte(b.lines[from:], '\n')
		line := b.lines[from:to]
		switch kindOf(line) {
		case logfmt.EntryLine:
			if n == len(b.values) {
				var zero T
				b.values = append(b.values, zero)
			}
			if read(line, &b.values[n]) {
				b.at = append(b.at, span{from, to})
				n++
			} else {
				b.damage++
			}
		case logfmt.Damage:
			b.damage++
		}
		from = to + 1
	}
}

// deliver yields the entries in order, and leaves c after the last block from which it yielded;
// false if the consumer stopped.
func (p *pool[T]) deliver(c *cursor, yield func(*Record[T], error) bool) bool {
	r := Record[T]{Line: c.f.lineAt(nil, 0, false)}
	for b := range p.queue {
		<-b.ready
		c.scan.damage += b.damage
		for i, at := range b.at {
			r.JSON, r.Offset, r.Value = b.lines[at.from:at.to], b.off+int64(at.from), &b.values[i]
			if !yield(&r, nil) {
				return false
			}
		}
		c.scan.next, c.scan.buf = b.off+int64(len(b.lines)), nil
		p.free <- b
	}
	return true
}
