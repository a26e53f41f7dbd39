//go:build unix

package term

import (
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"
)

// CanScreen reports whether this system can give a whole screen away and take it back.
const CanScreen = true

// signals are those of a screen: its size, and leaving it for a while.
type signals struct {
	redraw  chan struct{}
	suspend func()
	stop    func()
}

func (s *Screen) watchSignals() {
	sized, back, left := make(chan os.Signal, 1), make(chan os.Signal, 1), make(chan struct{}, 1)
	signal.Notify(sized, syscall.SIGWINCH)
	signal.Notify(back, syscall.SIGCONT)
	over := make(chan struct{})
	s.signals = signals{redraw: make(chan struct{}, 1), suspend: func() {
		select {
		case left <- struct{}{}:
		default:
		}
	}, stop: sync.OnceFunc(func() {
		signal.Stop(sized)
		signal.Stop(back)
		close(over)
	})}
	s.Go(func() {
		for {
			select {
			case <-over:
				return
			case <-sized:
			case <-left:
				s.release()
				stopUntil(back)
				s.take()
			case <-back: // after a stop that nobody could see coming
				s.release()
				s.take()
			}
			s.forget()
			select {
			case s.signals.redraw <- struct{}{}:
			default:
			}
		}
	})
}

// stopUntil stops this process and the others of its job, as the terminal does at Ctrl-Z, until it is told to go on. A system that
// would never wake it, because no shell looks after the job, does not stop it. Nobody may have asked Go for SIGTSTP: its handler
// would stay, and swallow it.
func stopUntil(back chan os.Signal) {
	for len(back) > 0 {
		<-back
	}
	syscall.Kill(0, syscall.SIGTSTP)
	select {
	case <-back:
	case <-time.After(300 * time.Millisecond):
	}
}
