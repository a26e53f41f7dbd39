package journal

import (
	"bytes"
	"io"
	"runtime"
	"sync"

	"aburn/logfmt"
)

// poolBlock is how much a worker reads at once: it should stay in the processor's
// cache until its lines are found.
const poolBlock = 256 << 10

// manyBytes is how much of a segment must be left for a pool to pay.
const manyBytes = 4 * poolBlock

// isLong reports whether that much is left, and no carried lines among it.
func (c *cursor) isLong() bool {
	off := c.scan.offset()
	return c.f.size()-off >= manyBytes && !c.watch.watches(off) && !c.scan.skip
}

// pool reads one segment in blocks and parses their lines, as many at once as
// there are processors. Each worker
//
//	takes a free block
//	reads into it what comes next, and queues it     one worker at a time: file order
//	parses its lines
//	says that it is ready
//
// and the consumer takes the blocks from the queue, waits for each, and frees it.
// The number of blocks bounds the memory, and how far the workers run ahead.
//
// A pool ends at the file's end, at an error, and at a line longer than a block.
// What follows is left to the cursor, which knows what to do about these.
type pool[T any] struct {
	r     io.ReaderAt
	free  chan *parsed[T]
	queue chan *parsed[T] // closed when there is nothing more
	quit  chan struct{}   // closed when nobody wants more
	alive sync.WaitGroup

	mu   sync.Mutex
	next int64  // file offset behind rest
	rest []byte // the beginning of a line whose end the next block has
	done bool
}

// parsed is a block and what its lines say.
type parsed[T any] struct {
	buf    []byte
	lines  []byte // the complete ones in buf
	off    int64  // their file offset
	values []T    // of the entries; what is behind them is kept for its memory
	at     []span // where those entries are in lines
	damage int64
	ready  chan struct{}
}

// startPool begins at what c has not given out.
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

// stop ends the workers and waits for them: the file may be closed then.
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

// fill reads the next block and queues it; false if there is none.
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

// parse finds the entries among the lines.
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

// deliver yields the entries in order and leaves c behind the last block whose
// entries it yielded; false if the consumer wants no more.
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
