//go:build !linux && !darwin

package hooks

import (
	"os"
	"time"
)

// readInput reads f to its end or until deadline, whichever comes first. The
// reading is left behind in its goroutine when time is up.
func readInput(f *os.File, deadline time.Time) input {
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
	var t intake
	timeUp := time.NewTimer(time.Until(deadline)).C
	for {
		select {
		case p, ok := <-pieces:
			if !ok {
				return t.input(nil)
			}
			for len(p) > 0 {
				n := copy(t.room(), p)
				t.add(n)
				p = p[n:]
			}
		case <-timeUp:
			return t.input(errSlow)
		}
	}
}
