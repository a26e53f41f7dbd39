//go:build unix

package hold

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Poke has the holder look for what is to be said. The error is ErrGone if nobody holds the generation.
func Poke(dir string, gen int) error { return request(dir, gen, askSay) }

// lines connects an agent without a terminal to the files of its generation.
type lines struct {
	dir   string
	gen   int
	agent [3]*os.File // the agent's ends; closed here once it runs
	in    *os.File
	poked chan struct{}
	ended sync.WaitGroup // of the readers of what it prints

	mu   sync.Mutex // of said.N: a line is written whole
	said *os.File
	size int64 // of said, without its first line
	base int64
	torn bool // the last line could not be written whole: is there no space left?
}

func openLines(dir string, gen int) (*lines, error) {
	l := &lines{dir: dir, gen: gen, poked: make(chan struct{}, 1)}
	if err := l.begin(); err != nil {
		return nil, err
	}
	errs, err := os.OpenFile(Path(dir, "errs", gen), os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return nil, err
	}
	var out, err2 *os.File
	if l.agent[0], l.in, err = os.Pipe(); err == nil {
		if out, l.agent[1], err = os.Pipe(); err == nil {
			err2, l.agent[2], err = os.Pipe()
		}
	}
	if err != nil {
		return nil, err
	}
	l.ended.Go(func() { l.record(out) })
	l.ended.Go(func() {
		io.CopyN(errs, err2, maxErrs)
		errs.Close()
		io.Copy(io.Discard, err2)
	})
	go l.speak()
	return l, nil
}

// begin makes a new said.N.
func (l *lines) begin() (err error) {
	l.said, err = os.OpenFile(Path(l.dir, "said", l.gen), os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err == nil {
		_, err = l.said.WriteString(saidHead + strconv.FormatInt(l.base, 10) + "\n")
	}
	return err
}

// running closes the agent's ends of the pipes, so that they end with it.
func (l *lines) running() {
	for _, f := range l.agent {
		f.Close()
	}
}

// close waits until everything that the agent printed is written, for a bounded time: what it left may hold its pipes.
func (l *lines) close() {
	done := make(chan struct{})
	go func() {
		l.ended.Wait()
		close(done)
	}()
	select {
	case <-done:
	case <-time.After(endGrace):
	}
}

// record writes what the agent prints. A disk that is full does not stop the agent: what does not fit is lost. It makes no
// garbage, because it runs for days in a small process.
func (l *lines) record(out *os.File) {
	in, text := make([]byte, 32<<10), make([]byte, 0, 64<<10)
	midway := false // in a line, and l.mu is held
	for {
		n, err := out.Read(in)
		if !midway {
			l.mu.Lock()
		}
		text, midway = l.stamped(text[:0], in[:n], midway)
		if err != nil && midway {
			text, midway = append(text, '\n'), false
		}
		l.put(text)
		if !midway {
			l.turn()
			l.mu.Unlock()
		}
		if err != nil {
			return
		}
	}
}

// stamped appends lines with their stamps, in parts that fit. midway says that the last line is not whole.
func (l *lines) stamped(dst, in []byte, midway bool) ([]byte, bool) {
	for len(in) > 0 {
		if cap(dst)-len(dst) < 64 {
			l.put(dst)
			dst = dst[:0]
		}
		if !midway {
			dst = mark(dst, 'o')
		}
		end := bytes.IndexByte(in, '\n') + 1
		if midway = end == 0; midway {
			end = len(in)
		}
		fits := min(end, cap(dst)-len(dst))
		dst = append(dst, in[:fits]...)
		midway = midway || fits < end
		in = in[fits:]
	}
	return dst, midway
}

func mark(dst []byte, kind byte) []byte {
	return append(strconv.AppendInt(dst, time.Now().UnixMilli(), 10), ' ', kind, ' ')
}

// put writes parts of lines. After one that failed, what follows is left out until turn can close the line.
func (l *lines) put(part []byte) {
	if l.torn || len(part) == 0 {
		return
	}
	n, err := l.said.Write(part)
	l.size += int64(n)
	l.torn = err != nil
}

// turn follows whole lines.
func (l *lines) turn() {
	if l.torn {
		n, err := l.said.WriteString("\n")
		l.size += int64(n)
		l.torn = err != nil
	}
	path := Path(l.dir, "said", l.gen)
	if l.size < maxSaid || os.Rename(path, path+".old") != nil {
		return
	}
	l.said.Close()
	l.base += l.size
	l.size = 0
	l.torn = l.begin() != nil
}

// poke never waits.
func (l *lines) poke() {
	select {
	case l.poked <- struct{}{}:
	default:
	}
}

// speak writes what is to be said, in order. What cannot be written stays: the agent is gone.
func (l *lines) speak() {
	for range l.poked {
		folder := Path(l.dir, "say", l.gen)
		names, _ := sayings(folder)
		for _, name := range names {
			path := filepath.Join(folder, name)
			text, err := os.ReadFile(path)
			if err != nil {
				break
			}
			_, tag, _ := strings.Cut(name, ".")
			l.mu.Lock()
			l.put(append(append(mark(nil, 'i'), tag...), '\n')) // before whatever the agent says about it
			l.turn()
			l.mu.Unlock()
			if _, err := l.in.Write(text); err != nil {
				return
			}
			os.Remove(path)
		}
	}
}

// files are the descriptors that the agent gets.
func (l *lines) files() []uintptr {
	if l == nil {
		return []uintptr{0, 1, 2}
	}
	return []uintptr{l.agent[0].Fd(), l.agent[1].Fd(), l.agent[2].Fd()}
}

// request writes one byte to the holder.
func request(dir string, gen int, what byte) error {
	f, err := openControl(dir, gen)
	if err != nil {
		return err
	}
	_, err = f.Write([]byte{what})
	if errors.Is(err, syscall.EPIPE) {
		err = ErrGone
	}
	return errors.Join(err, f.Close())
}
