//go:build !linux && !darwin

package hooks

import (
	"os"
	"time"
)

// readInput reads f to its end, or as long as w says. Then it leaves the reading goroutine behind.
func readInput(f *os.File, w wait) input {
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
	timeUp := time.NewTimer(time.Until(w.deadline)).C
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
			if left := time.Until(w.end(&t)); left > 0 {
				timeUp = time.NewTimer(min(left, stdinDeadline)).C // the end comes nearer once there is a whole payload
				continue
			}
			return t.input(errSlow)
		}
	}
}
