//go:build unix

package hold

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"time"

	"aburn/internal/vt"
)

// tty is the terminal of an agent, and those who look at it.
type tty struct {
	dir           string
	gen           int
	master, slave *os.File
	socket        *os.File
	keys          chan stroke
	ended         chan struct{} // nothing is printed any more

	mu      sync.Mutex
	screen  *vt.Screen
	viewers []*viewer
	touched time.Time
}

// stroke is what goes to the agent.
type stroke struct {
	text string
	done chan error // may be nil
}

// viewer is one connection. What it gets waits in out.
type viewer struct {
	tty   *tty
	f     *os.File
	wake  chan struct{}
	out   []byte
	lost  bool // more waited than is kept: it gets the screen anew
	left  bool // it has gone, and wake is closed
	shows bool
	types bool
}

func openTTY(dir string, gen int, size Size) (t *tty, err error) {
	t = &tty{dir: dir, gen: gen, keys: make(chan stroke, 16), ended: make(chan struct{}), screen: vt.New(size.Cols, size.Rows)}
	if t.socket, err = listenAt(dir, filepath.Base(Path(dir, "tty", gen))); err != nil {
		return nil, err
	}
	if t.master, t.slave, err = openPair(); err != nil {
		return nil, err
	}
	if err := setSize(t.master, size); err != nil {
		return nil, err
	}
	go t.show()
	go t.write()
	go t.serve()
	return t, nil
}

// files are the descriptors that the agent gets. They are of a file that blocks, as a terminal does.
func (t *tty) files() []uintptr { return []uintptr{t.slave.Fd(), t.slave.Fd(), t.slave.Fd()} }

// running closes the agent's end, so that it ends with the agent.
func (t *tty) running() { t.slave.Close() }

// close gives viewers what was printed last, for a bounded time.
func (t *tty) close() {
	os.Remove(Path(t.dir, "tty", t.gen))
	late := make(chan struct{})
	timer := time.AfterFunc(time.Second, func() { close(late) })
	defer timer.Stop()
	select {
	case <-t.ended: // what it left may hold the terminal
	case <-late:
	}
	for {
		t.mu.Lock()
		waits := slices.ContainsFunc(t.viewers, func(v *viewer) bool { return len(v.out) > 0 })
		t.mu.Unlock()
		if !waits {
			return
		}
		select {
		case <-late:
			return
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// show takes what the agent prints. Nobody who looks can hold it up.
func (t *tty) show() {
	defer close(t.ended)
	in := make([]byte, 16<<10)
	for {
		n, err := t.master.Read(in)
		if n > 0 {
			t.printed(in[:n])
		}
		if err != nil {
			return
		}
	}
}

func (t *tty) printed(p []byte) {
	t.mu.Lock()
	pass, reply := t.screen.Write(p)
	for _, v := range t.viewers {
		if v.shows {
			v.give('o', string(pass))
		}
	}
	answer := string(reply)
	t.mu.Unlock()
	if answer == "" {
		return
	}
	select {
	case t.keys <- stroke{text: answer}:
	default: // it does not read: it asks again, or does without
	}
}

// write gives the agent its keys, in order. An agent that does not read them holds up those who type, and nobody else.
func (t *tty) write() {
	for k := range t.keys {
		_, err := t.master.WriteString(k.text)
		if k.done != nil {
			k.done <- err
		}
	}
}

// serve takes viewers.
func (t *tty) serve() {
	raw, err := t.socket.SyscallConn()
	if err != nil {
		return
	}
	for {
		var fd int
		var aerr error
		err := raw.Read(func(s uintptr) bool {
			fd, aerr = accept(int(s))
			return !errors.Is(aerr, syscall.EAGAIN) && !errors.Is(aerr, syscall.EINTR)
		})
		switch {
		case err != nil:
			return
		case aerr != nil: // too many files are open, or the viewer has gone
			time.Sleep(10 * time.Millisecond)
			continue
		}
		v := &viewer{tty: t, f: os.NewFile(uintptr(fd), "viewer"), wake: make(chan struct{}, 1)}
		t.mu.Lock()
		t.viewers = append(t.viewers, v)
		t.mu.Unlock()
		go v.send()
		go v.listen()
	}
}

func (t *tty) leave(v *viewer) {
	t.mu.Lock()
	t.viewers = slices.DeleteFunc(t.viewers, func(o *viewer) bool { return o == v })
	v.out, v.left = nil, true
	close(v.wake)
	t.mu.Unlock()
	v.f.Close()
}

// give puts a frame into what waits for the viewer. The caller has the lock.
func (v *viewer) give(kind byte, content string) {
	switch {
	case v.left || kind == 'o' && (v.lost || content == ""):
		return
	case kind == 'o' && len(v.out)+len(content) > maxBehind:
		v.lost = true
		return
	case len(v.out) > maxFrame: // it asks on and on, and reads no answer
		v.f.Close() // listen leaves
		return
	}
	v.out = frame(v.out, kind, content)
	v.poke()
}

func (v *viewer) poke() {
	select {
	case v.wake <- struct{}{}:
	default:
	}
}

// send writes what waits, and closes after the last.
func (v *viewer) send() {
	for range v.wake {
		v.tty.mu.Lock()
		out := v.out
		v.out = nil
		v.tty.mu.Unlock()
		_, err := v.f.Write(out)
		v.tty.mu.Lock()
		if v.lost && len(v.out) == 0 {
			v.lost = false
			v.redraw()
		}
		v.tty.mu.Unlock()
		if err != nil {
			v.f.Close() // listen leaves
			return
		}
	}
}

// redraw gives the whole screen, which may be more than waits for a viewer otherwise. The caller has the lock.
func (v *viewer) redraw() {
	if v.left {
		return
	}
	if len(v.out) > maxBehind {
		v.lost = true
		return
	}
	for part := range slices.Chunk(v.tty.screen.Redraw(nil), maxBehind) {
		v.out = frame(v.out, 'o', string(part))
	}
	v.poke()
}

// listen does what the viewer asks for, until it goes.
func (v *viewer) listen() {
	defer v.tty.leave(v)
	if kind, version, err := readFrame(v.f, 16); err != nil || kind != 'v' || version != ttyVersion {
		return
	}
	for {
		kind, content, err := readFrame(v.f, 64<<10)
		if err != nil {
			return
		}
		switch kind {
		case 'w', 't':
			v.look(kind == 't', parseSize(content))
		case 'z':
			if v.types {
				v.tty.resize(parseSize(content))
			}
		case 's':
			v.tty.mu.Lock()
			v.give('s', v.tty.shown().text())
			v.tty.mu.Unlock()
		case 'k':
			if v.types {
				v.tty.touch()
				v.tty.enter(content)
			}
		case 'p', 'y':
			v.press(kind == 'p', content)
		}
	}
}

func (v *viewer) look(types bool, size Size) {
	if types {
		v.tty.resize(size)
	}
	v.tty.mu.Lock()
	v.shows, v.types = true, types
	v.redraw()
	v.tty.mu.Unlock()
}

// press types for aburn, which is no person.
func (v *viewer) press(paste bool, text string) {
	t := v.tty
	why := ""
	t.mu.Lock()
	bracketed := t.screen.Bracketed()
	t.mu.Unlock()
	switch {
	case paste && !bracketed:
		why = "its program takes no pastes now"
	case paste:
		text = pasted(text)
		fallthrough
	default:
		if err := t.enter(text); err != nil {
			why = err.Error()
		}
	}
	t.mu.Lock()
	v.give('d', why)
	t.mu.Unlock()
}

// enter returns when the agent's terminal has the text.
func (t *tty) enter(text string) error {
	k := stroke{text, make(chan error, 1)}
	select {
	case t.keys <- k:
	case <-t.ended:
		return ErrGone
	}
	select {
	case err := <-k.done:
		return err
	case <-t.ended:
	}
	select {
	case err := <-k.done: // it ended of what it was given
		return err
	case <-time.After(50 * time.Millisecond):
		return ErrGone
	}
}

func (t *tty) touch() {
	t.mu.Lock()
	t.touched = time.Now()
	t.mu.Unlock()
}

func (t *tty) resize(size Size) {
	if size == (Size{}) {
		return
	}
	t.mu.Lock()
	t.screen.Resize(size.Cols, size.Rows)
	t.mu.Unlock()
	setSize(t.master, size) // the agent hears of it by a signal
}

// shown is what the screen shows. The caller has the lock.
func (t *tty) shown() Shown {
	x, y := t.screen.Cursor()
	cols, rows := t.screen.Size()
	return Shown{t.screen.Lines(), x, y, t.touched, Size{Cols: cols, Rows: rows}}
}

// listenAt makes a socket in a folder. Paths of sockets are short, so the holder goes there.
func listenAt(dir, name string) (*os.File, error) {
	if err := os.Chdir(dir); err != nil {
		return nil, err
	}
	fd, err := unixSocket()
	if err != nil {
		return nil, err
	}
	old := syscall.Umask(0o177)
	err = syscall.Bind(fd, &syscall.SockaddrUnix{Name: name})
	syscall.Umask(old)
	if err == nil {
		err = syscall.Listen(fd, 16)
	}
	if err != nil {
		syscall.Close(fd)
		return nil, errors.Join(errors.New("no socket in "+dir), err)
	}
	return os.NewFile(uintptr(fd), name), nil
}

func unixSocket() (int, error) {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	fd, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err == nil {
		syscall.CloseOnExec(fd)
		err = syscall.SetNonblock(fd, true)
	}
	return fd, err
}

func accept(s int) (int, error) {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	fd, _, err := syscall.Accept(s)
	if err == nil {
		syscall.CloseOnExec(fd)
		err = syscall.SetNonblock(fd, true)
	}
	return fd, err
}
