// Package links is the socket by which commands of one user find the pages that run, and ask them for a link.
package links

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"aburn/internal/fault"
	"aburn/internal/lockfile"
	"aburn/internal/peer"
	"aburn/internal/project"
)

// The files of a running aburn web in the folder of the user's state.
const (
	lockName   = "web.lock"
	socketName = "web.sock"
)

// ErrRuns says that aburn web runs already.
var ErrRuns = errors.New("aburn web runs already")

// longestSocket is how long a socket's path may be on every system, in bytes.
const longestSocket = 100

// Socket gives links: one aburn web of a user holds it, others ask there. No link is in a file.
type Socket struct {
	Root   *os.Root
	lock   *lockfile.Lock
	path   string // of the socket
	listen net.Listener
}

// Open takes the lock of this user. With ErrRuns the socket can only be asked.
func Open(env func(string) string) (*Socket, error) {
	dir := project.StateDir(env)
	if dir == "" {
		return nil, fault.Usage("there is no place for aburn's state: neither XDG_STATE_HOME nor HOME is set")
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fault.Failed(err.Error())
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fault.Failed(err.Error())
	}
	d := &Socket{Root: root}
	if d.path, err = socketPath(dir); err != nil {
		return nil, fault.Failed(err.Error())
	}
	if d.lock, err = lockfile.Acquire(root, lockName, 0); err != nil {
		root.Close()
		if errors.Is(err, lockfile.ErrBusy) {
			return d, ErrRuns
		}
		return nil, fault.Failed(err.Error())
	}
	os.Remove(d.path) // of an aburn web that was killed: the lock is ours
	if d.listen, err = net.Listen("unix", d.path); err == nil {
		err = os.Chmod(d.path, 0o600)
	}
	if err != nil {
		d.Close()
		return nil, fault.Failed(err.Error())
	}
	return d, nil
}

// Ask asks the aburn web of this user for a link; fs.ErrNotExist says that none runs.
func Ask(env func(string) string) (link string, err error) {
	dir := project.StateDir(env)
	if dir == "" {
		return "", fs.ErrNotExist
	}
	path, err := socketPath(dir)
	if err == nil {
		_, err = os.Lstat(path)
	}
	if err != nil {
		return "", fs.ErrNotExist
	}
	return (&Socket{path: path}).Ask()
}

// socketPath is where the socket is: in a folder that only this user may enter. A path that is too long for a socket is replaced
// by one in the folder for temporary files.
func socketPath(dir string) (string, error) {
	path := filepath.Join(dir, socketName)
	if len(path) <= longestSocket {
		return path, os.Chmod(dir, 0o700)
	}
	sum := sha256.Sum256([]byte(dir))
	dir = filepath.Join(os.TempDir(), "aburn-"+hex.EncodeToString(sum[:8]))
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return "", err
	}
	st, err := os.Lstat(dir)
	switch {
	case err != nil:
		return "", err
	case !st.IsDir():
		return "", fmt.Errorf("%s is no folder", dir)
	}
	return filepath.Join(dir, socketName), os.Chmod(dir, 0o700) // only its owner may do that
}

// Answer gives a link to whoever asks, but not to agents.
func (d *Socket) Answer(ctx context.Context, link func() string, agent func(pid int) string) {
	context.AfterFunc(ctx, func() { d.listen.Close() })
	go func() {
		for {
			conn, err := d.listen.Accept()
			if err != nil {
				return
			}
			conn.SetDeadline(time.Now().Add(5 * time.Second))
			if name := agent(peer.PID(conn)); name != "" {
				fmt.Fprintf(conn, "no %s\n", name)
			} else {
				fmt.Fprintf(conn, "link %s\n", link())
			}
			conn.Close()
		}
	}()
}

// patience is how long an aburn web that has just begun may take until it answers.
const patience = 5 * time.Second

// Ask asks the aburn web of this user for a link.
func (d *Socket) Ask() (string, error) {
	var conn net.Conn
	var err error
	for until := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		if conn, err = net.Dial("unix", d.path); err == nil {
			break
		}
		if time.Now().After(until) {
			return "", fault.Failed("aburn web is running, but gives no link: "+err.Error(), "stop it with Ctrl-C, then run aburn web again")
		}
	}
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(patience))
	line, err := bufio.NewReader(conn).ReadString('\n')
	word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
	switch {
	case word == "link":
		return rest, nil
	case word == "no":
		return "", fault.Failed("only people get links, and "+rest+" started this process", "run aburn web in your own terminal")
	}
	return "", fault.Failed(fmt.Sprintf("aburn web is running, but gives no link: %v", err))
}

// Close gives up the socket and its lock.
func (d *Socket) Close() {
	if d.listen != nil {
		d.listen.Close()
	}
	if dir := filepath.Dir(d.path); dir != d.Root.Name() {
		os.Remove(dir)
	}
	d.lock.Release()
	d.Root.Close()
}

// OpenBrowser opens a link in the user's browser; false if there is none to be seen.
func OpenBrowser(link string, env func(string) string, environ []string) bool {
	var command []string
	switch runtime.GOOS {
	case "darwin":
		command = []string{"open", link}
	case "windows":
		command = []string{"rundll32", "url.dll,FileProtocolHandler", link}
	default:
		if env("DISPLAY") == "" && env("WAYLAND_DISPLAY") == "" {
			return false
		}
		command = []string{"xdg-open", link}
	}
	path, err := exec.LookPath(command[0])
	if err != nil {
		return false
	}
	opener := exec.Command(path, command[1:]...)
	opener.Env = environ
	if opener.Start() != nil {
		return false
	}
	go opener.Wait()
	return true
}
