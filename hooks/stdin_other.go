//go:build !linux && !darwin

package hooks

import (
	"os"
	"time"
)

// readInput reads f to its end or until deadline, whichever comes first, or until last if what came until the deadline looks
// like no whole payload. Then it leaves the reading goroutine behind.
func readInput(f *os.File, deadline, last time.Time) input {
	pieces := make(chan []byte)
	go func() {
		defer close(pieces)
		for {
			b := make([]byte, 64<<10)
			n, err := f.Read(b)
			if n > 0 {
				pieces <- b[:n]
			}
			if err != nil {
				return
			}
		}
	}()
	var t reader
	timeUp := time.NewTimer(time.Until(deadline)).C
	for {
		select {
		case p, ok := <-pieces:
			if !ok {
				return t.input(nil)
			}
			for len(p) > 0 {
				n := copy(t.free(), p)
				t.add(n)
				p = p[n:]
			}
		case <-timeUp:
			if deadline.Before(last) && !t.looksWhole() {
				deadline = last
				timeUp = time.NewTimer(time.Until(last)).C
				continue
			}
			return t.input(errSlow)
		}
	}
}
