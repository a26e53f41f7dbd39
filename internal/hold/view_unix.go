//go:build unix

package hold

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// setSize tells a terminal, and the program in it, how large it is.
func setSize(f *os.File, s Size) error {
	raw, err := f.SyscallConn()
	if err != nil {
		return err
	}
	var failed error
	err = raw.Control(func(fd uintptr) {
		failed = unix.IoctlSetWinsize(int(fd), unix.TIOCSWINSZ, &unix.Winsize{Col: uint16(s.Cols), Row: uint16(s.Rows)})
	})
	return errors.Join(err, failed)
}

// View is a connection to the terminal of an agent.
type View struct{ f *os.File }

// See connects to the terminal of a generation. The error is ErrGone if nobody shows one.
func See(dir string, gen int) (*View, error) {
	fd, err := unixSocket()
	if err != nil {
		return nil, err
	}
	if err = connect(fd, Path(dir, "tty", gen)); err != nil {
		syscall.Close(fd)
		if errors.Is(err, syscall.ECONNREFUSED) || errors.Is(err, fs.ErrNotExist) {
			err = ErrGone
		}
		return nil, err
	}
	v := &View{os.NewFile(uintptr(fd), "tty")}
	if err := v.Send('v', ttyVersion); err != nil {
		v.Close()
		return nil, err
	}
	return v, nil
}

// connect goes by the folder's descriptor, as paths of sockets are short. Elsewhere than on Linux the path must be.
func connect(fd int, path string) error {
	name := path
	if runtime.GOOS == "linux" {
		dir, err := os.Open(filepath.Dir(path))
		if err != nil {
			return err
		}
		defer dir.Close()
		name = "/proc/self/fd/" + strconv.Itoa(int(dir.Fd())) + "/" + filepath.Base(path)
	}
	for wait := time.Now(); ; {
		err := syscall.Connect(fd, &syscall.SockaddrUnix{Name: name})
		if !errors.Is(err, syscall.EAGAIN) || time.Since(wait) > 5*time.Second { // many connect at once
			return err
		}
		time.Sleep(2 * time.Millisecond)
	}
}

// Close ends the connection. The agent goes on.
func (v *View) Close() error { return v.f.Close() }

// Send sends a frame; tty.go lists them.
func (v *View) Send(kind byte, content string) error {
	_, err := v.f.Write(frame(nil, kind, content))
	return gone(err)
}

// Receive waits for a frame.
func (v *View) Receive() (kind byte, content string, err error) {
	kind, content, err = readFrame(v.f, maxFrame)
	return kind, content, gone(err)
}

func gone(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, syscall.EPIPE) || errors.Is(err, syscall.ECONNRESET) {
		return ErrGone
	}
	return err
}

// ask sends a frame and waits for the one that answers it.
func ask(ctx context.Context, dir string, gen int, kind byte, content string, answer byte) (string, error) {
	v, err := See(dir, gen)
	if err != nil {
		return "", err
	}
	defer v.Close()
	stop := context.AfterFunc(ctx, func() { v.f.SetDeadline(time.Now()) })
	defer stop()
	if err := v.Send(kind, content); err != nil {
		return "", err
	}
	for {
		k, text, err := v.Receive()
		if err != nil && ctx.Err() != nil {
			err = ctx.Err()
		}
		if err != nil || k == answer {
			return text, err
		}
	}
}

// Look gives what the terminal of a generation shows.
func Look(ctx context.Context, dir string, gen int) (Shown, error) {
	text, err := ask(ctx, dir, gen, 's', "", 's')
	if err != nil {
		return Shown{}, err
	}
	return parseShown(text)
}

// Paste puts text in as one paste. It fails where the program takes none: there it would be keys.
func Paste(ctx context.Context, dir string, gen int, text string) error {
	return done(ask(ctx, dir, gen, 'p', text, 'd'))
}

// Press types keys for aburn. No person is taken to have typed.
func Press(ctx context.Context, dir string, gen int, keys string) error {
	return done(ask(ctx, dir, gen, 'y', keys, 'd'))
}

func done(why string, err error) error {
	switch {
	case err == nil && why == ErrGone.Error(): // the agent ended meanwhile
		err = ErrGone
	case err == nil && why != "":
		err = errors.New(why)
	}
	return err
}

// Detach starts a holder in a session of its own, at no terminal.
func Detach(env []string, dir string, argv []string) error {
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer null.Close()
	p, err := os.StartProcess(argv[0], argv, &os.ProcAttr{Dir: dir, Env: env, Files: []*os.File{null, null, null}, Sys: &syscall.SysProcAttr{Setsid: true}})
	if err == nil {
		go p.Wait() // if it ends before this process does
	}
	return err
}
