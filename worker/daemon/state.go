package daemon

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"

	"aburn/internal/atomicfile"
	"aburn/internal/fault"
	"aburn/internal/lockfile"
	"aburn/internal/proc"
	"aburn/internal/project"
	"aburn/worker/ledger"
)

// State is the folder of the daemon's files.
type State struct {
	dir  string
	root *os.Root
}

func OpenState(env func(string) string) (*State, error) {
	state := project.StateDir(env)
	if state == "" {
		return nil, fault.Usage(ledger.ErrNoState.Error())
	}
	p := &State{dir: filepath.Join(state, "daemon")}
	if err := os.MkdirAll(p.dir, 0o700); err != nil {
		return nil, fault.Failed(err.Error())
	}
	var err error
	if p.root, err = os.OpenRoot(p.dir); err != nil {
		return nil, fault.Failed(err.Error())
	}
	return p, nil
}

func (p *State) Close() { p.root.Close() }

// Running says who holds the lock. Without a holder there is nobody, whatever the file says.
func (p *State) Running() (r Running, ok bool) {
	lock, err := lockfile.Acquire(p.root, daemonLock, lockWait)
	if err == nil {
		lock.Release()
		return r, false
	}
	data, _ := p.root.ReadFile(runningFile)
	json.Unmarshal(data, &r) // as far as it was written
	return r, errors.Is(err, lockfile.ErrBusy)
}

// Running is how to find the process that looks after workers.
type Running struct {
	PID      int       `json:"pid"`
	Start    int64     `json:"start"`
	Boot     string    `json:"boot"`
	At       time.Time `json:"at"`
	Version  string    `json:"version"`
	Projects []string  `json:"projects"`
}

// PID is the process that supervises workers; 0 if there is none. It makes no file.
func PID(env func(string) string) int {
	state := project.StateDir(env)
	if state == "" {
		return 0
	}
	p := &State{dir: filepath.Join(state, "daemon")}
	root, err := os.OpenRoot(p.dir)
	if err != nil {
		return 0
	}
	defer root.Close()
	p.root = root
	if _, err := root.Lstat(daemonLock); err != nil {
		return 0
	}
	r, _ := p.Running()
	return r.PID
}

func (p *State) Write(name string, v any) error {
	data, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	return atomicfile.Write(filepath.Join(p.dir, name), append(data, '\n'), 0o600, atomicfile.Options{Sync: true})
}

// End asks the one who looks after workers to go, and returns when the lock is free.
func (p *State) End(patience time.Duration) error {
	r, ok := p.Running()
	if !ok {
		return nil
	}
	which := proc.Process{PID: r.PID, Start: r.Start}
	held, err := os.FindProcess(r.PID)
	if err != nil {
		return err
	}
	defer held.Release()
	if r.PID <= 0 || proc.Of(which, proc.Host()) != proc.Runs {
		return errors.New("it cannot be seen which process it is")
	}
	endGently(held)
	lock, err := lockfile.Acquire(p.root, daemonLock, patience)
	if errors.Is(err, lockfile.ErrBusy) && proc.Of(which, proc.Host()) == proc.Runs {
		held.Kill() // it hangs; all that it did stands in the ledgers
		lock, err = lockfile.Acquire(p.root, daemonLock, patience)
	}
	if err != nil {
		return err
	}
	return lock.Release()
}

// tryRoom reports whether a file like running.json can be written.
func (p *State) tryRoom() error {
	const name = "room"
	defer p.root.Remove(name)
	return p.Write(name, Running{Version: strings.Repeat("x", 4<<10)})
}

func roomHint(p *State) string { return "make room on the disk of " + p.dir }

// lockWait is how long somebody may hold the lock who only asks whether it is free.
const lockWait = 100 * time.Millisecond
