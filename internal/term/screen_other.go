//go:build !unix

package term

// CanScreen is false where nobody has tried it.
const CanScreen = false

type signals struct {
	redraw  chan struct{}
	suspend func()
	stop    func()
}

func (s *Screen) watchSignals() {
	s.signals = signals{redraw: make(chan struct{}), suspend: func() {}, stop: func() {}}
}
