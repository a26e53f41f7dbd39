package term

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"

	xterm "golang.org/x/term"
)

// Screen is a whole terminal, on which lines are drawn and keys are read. Whoever opens one restores the terminal with Close, also
// before a panic.
type Screen struct {
	in, out *os.File
	mu      sync.Mutex
	before  *xterm.State // how the terminal was; nil while it is as it was
	shown   []string     // the lines as they were drawn
	width   int
	keys    chan Key
	signals signals
}

// Key is a key, by its character or its name: "j", "up", "enter", "escape", "ctrl-c".
type Key string

// The sequences that enter and leave the alternate screen. A line that is too long by a cell must not scroll it, so it does not wrap.
const (
	enter = "\x1b[?1049h\x1b[?25l\x1b[?7l\x1b[2J"
	leave = "\x1b[?7h\x1b[?25h\x1b[?1049l"
)

// NewScreen takes the terminal over.
func NewScreen(in, out *os.File) (*Screen, error) {
	s := &Screen{in: in, out: out, keys: make(chan Key, 64)}
	if err := s.take(); err != nil {
		return nil, err
	}
	s.watchSignals()
	go s.read()
	return s, nil
}

func (s *Screen) take() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.before != nil {
		return nil
	}
	before, err := xterm.MakeRaw(int(s.in.Fd()))
	if err != nil {
		return err
	}
	s.before, s.shown = before, nil
	_, err = io.WriteString(s.out, enter)
	return err
}

// release leaves the terminal as it was.
func (s *Screen) release() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.before == nil {
		return
	}
	io.WriteString(s.out, leave)
	xterm.Restore(int(s.in.Fd()), s.before)
	s.before = nil
}

// Close leaves the terminal as it was. It may be called twice.
func (s *Screen) Close() {
	s.signals.stop()
	s.release()
}

// Go runs f beside. A panic in it restores the terminal before it ends the process.
func (s *Screen) Go(f func()) {
	go func() {
		defer func() {
			if err := recover(); err != nil {
				s.Close()
				panic(err)
			}
		}()
		f()
	}()
}

// Keys are the keys that are pressed. It is closed when there will be no more: the terminal is gone.
func (s *Screen) Keys() <-chan Key { return s.keys }

// Redraw reports, with a value each time, that the whole screen has to be drawn: its size changed, or it was left for a while.
func (s *Screen) Redraw() <-chan struct{} { return s.signals.redraw }

// Size is the screen's cells.
func (s *Screen) Size() (width, height int) {
	width, height, err := xterm.GetSize(int(s.out.Fd()))
	if err != nil || width <= 0 || height <= 0 {
		return 80, 24
	}
	return width, height
}

// Draw shows these lines, and writes only those that are others than before. Each has to fit the width.
func (s *Screen) Draw(lines []string) {
	width, height := s.Size()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.before == nil {
		return
	}
	var b strings.Builder
	if s.shown == nil || s.width != width || len(s.shown) != height {
		b.WriteString("\x1b[2J")
		s.shown, s.width = make([]string, height), width
	}
	for i := range s.shown {
		line := ""
		if i < len(lines) {
			line = lines[i]
		}
		if line != s.shown[i] {
			fmt.Fprintf(&b, "\x1b[%d;1H\x1b[2K%s", i+1, line) // erased first: behind a full line the cursor is still on its last cell
			s.shown[i] = line
		}
	}
	io.WriteString(s.out, b.String())
}

// forget makes the next Draw write everything.
func (s *Screen) forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.shown = nil
}

// read reads keys until the terminal is gone.
func (s *Screen) read() {
	defer close(s.keys)
	b := make([]byte, 256)
	for {
		n, err := s.in.Read(b)
		for _, k := range keysOf(string(b[:n])) {
			if k == "ctrl-z" {
				s.signals.suspend()
				continue
			}
			s.keys <- k
		}
		if err != nil {
			return
		}
	}
}

// sequences are what terminals send for keys without a character.
var sequences = [...]struct{ text, key string }{
	{"\x1b[A", "up"}, {"\x1bOA", "up"}, {"\x1b[B", "down"}, {"\x1bOB", "down"}, {"\x1b[5~", "page up"}, {"\x1b[6~", "page down"},
	{"\x1b[H", "home"}, {"\x1bOH", "home"}, {"\x1b[1~", "home"}, {"\x1b[F", "end"}, {"\x1bOF", "end"}, {"\x1b[4~", "end"},
	{"\r", "enter"}, {"\n", "enter"}, {"\x7f", "backspace"}, {"\b", "backspace"}, {"\x03", "ctrl-c"}, {"\x1a", "ctrl-z"}, {"\x0c", "ctrl-l"}, {"\x15", "ctrl-u"},
}

// keysOf are the keys of what was read at once. An unknown sequence is none.
func keysOf(text string) (keys []Key) {
next:
	for text != "" {
		for _, s := range sequences {
			if rest, ok := strings.CutPrefix(text, s.text); ok {
				keys, text = append(keys, Key(s.key)), rest
				continue next
			}
		}
		if text[0] == '\x1b' {
			n := unknownSequence(text)
			if n == 1 {
				keys = append(keys, "escape")
			}
			text = text[n:]
			continue
		}
		for _, r := range text {
			size := len(string(r))
			if r >= ' ' && r != '\ufffd' {
				keys = append(keys, Key(string(r)))
			}
			text = text[min(size, len(text)):]
			break
		}
	}
	return keys
}

// unknownSequence is how many bytes a sequence has: up to its final byte. It is 1 for the key Escape, also where another key came with
// it: who types fast does not mean Alt.
func unknownSequence(text string) int {
	if len(text) < 2 || text[1] != '[' && text[1] != 'O' {
		return 1
	}
	for i := 2; i < len(text); i++ {
		if text[i] >= '@' && text[i] <= '~' {
			return i + 1
		}
	}
	return len(text)
}
