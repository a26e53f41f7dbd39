//go:build unix

package hold

import (
	"errors"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"syscall"
	"time"

	"aburn/internal/proc"
)

const (
	launchWait = 15 * time.Second // for whoever started the holder to say what to start
	endGrace   = 4 * time.Second  // between the request to end and the kill
	sweepGrace = 2 * time.Second  // the same for what the agent left running
)

// Main is the holder: aburn-hold DIR GENERATION. It returns the agent's exit code, 128 + N after signal N.
func Main(args []string) int {
	if len(args) != 2 {
		complain("usage: aburn-hold DIR GENERATION (aburn spawn starts it)")
		return 2
	}
	gen, err := strconv.Atoi(args[1])
	if err != nil || gen < 1 {
		complain("no generation: " + args[1])
		return 2
	}
	h := &holder{dir: args[0], gen: gen, signals: make(chan os.Signal, 64), requests: make(chan byte)}
	h.parent = os.Getppid()
	signal.Notify(h.signals, syscall.SIGCHLD, syscall.SIGHUP, syscall.SIGINT, syscall.SIGTERM, syscall.SIGQUIT)
	return h.run()
}

func complain(text string) { os.Stderr.WriteString("aburn: error: " + text + "\n") }

// holder does everything in one goroutine once its agent runs, so that nothing is reaped between a look and a signal.
type holder struct {
	dir      string
	gen      int
	signals  chan os.Signal
	requests chan byte
	parent   int // whoever started this process
	lines    *lines
	tty      *tty
	agent    int // its pid, 0 once it is reaped
	status   syscall.WaitStatus
	asked    bool
	kill     *time.Timer
}

func (h *holder) run() int {
	// First, so that a launch that was taken without a living holder means that nothing was started.
	if err := h.listen(); err != nil {
		complain(err.Error())
		return 1
	}
	defer os.Remove(Path(h.dir, "control", h.gen))
	room := make(chan error, 1)
	go func() { room <- h.reserve() }() // which waits for the disk
	launch, err := h.read()
	if err != nil {
		complain("nobody said what to start: " + err.Error())
		return 1
	}
	if err := <-room; err != nil {
		complain(err.Error())
		return 1
	}
	adoptOrphans()
	if launch.Lines {
		if h.lines, err = openLines(h.dir, h.gen); err != nil {
			complain(err.Error())
			return 1
		}
	}
	if launch.Size != (Size{}) {
		if h.tty, err = openTTY(h.dir, h.gen, launch.Size); err != nil {
			complain(err.Error())
			return 1
		}
		defer h.tty.close()
	}
	agent, err := h.start(launch)
	if err != nil {
		h.certify(Ended{Code: 127, Left: 0, Swept: true, Why: err.Error()})
		complain(launch.Argv[0] + ": " + err.Error())
		return 127
	}
	h.await()
	left, _, _, known := h.leftovers()
	e := Ended{Agent: agent, Code: h.status.ExitStatus(), Asked: h.asked, Left: left}
	if h.status.Signaled() {
		e.Code, e.Signal = -1, int(h.status.Signal())
	}
	if !known {
		e.Left = -1
	}
	e.Swept = known && left == 0
	h.certify(e)
	if known {
		h.sweep()
		e.Swept = true
		h.certify(e)
	}
	if h.lines != nil {
		h.lines.close()
	}
	h.after(launch)
	if e.Signal > 0 {
		return 128 + e.Signal
	}
	return e.Code
}

// reserve makes the files that will say who is held, and how that one ended.
func (h *holder) reserve() error {
	return errors.Join(reserve(Path(h.dir, "began", h.gen)), reserve(Path(h.dir, "ended", h.gen)))
}

// read opens the pipe for writing too, so that it neither waits for a writer nor sees an end before one came.
func (h *holder) read() (Launch, error) {
	path := Path(h.dir, "launch", h.gen)
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return Launch{}, err
	}
	defer f.Close()
	late := time.AfterFunc(launchWait, func() {
		complain("nobody said what to start")
		os.Exit(1)
	})
	defer late.Stop()
	l, err := ReadLaunch(f)
	if err == nil {
		err = os.Remove(path) // one launch, one holder
	}
	return l, err
}

// listen makes the control pipe. It is open for writing too, so that no reader of it ever sees an end.
func (h *holder) listen() error {
	path := Path(h.dir, "control", h.gen)
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	go func() {
		var b [1]byte
		for {
			if _, err := f.Read(b[:]); err != nil {
				return
			}
			h.requests <- b[0]
		}
	}()
	return nil
}

func (h *holder) start(l Launch) (proc.Process, error) {
	attr := &syscall.ProcAttr{Dir: l.Dir, Env: l.Env, Files: h.lines.files()}
	if h.tty != nil {
		attr.Files, attr.Sys = h.tty.files(), &syscall.SysProcAttr{Setsid: true, Setctty: true}
	}
	pid, err := syscall.ForkExec(l.Argv[0], l.Argv, attr)
	if err != nil {
		return proc.Process{}, err
	}
	h.agent = pid
	if h.tty != nil {
		h.tty.running()
	}
	if h.lines != nil {
		h.lines.running()
		h.lines.poke() // the first lines were there before
	}
	agent, ok := proc.Lookup(pid)
	if !ok { // it has ended already, and is not reaped
		agent = proc.Process{PID: pid}
	}
	self, _ := proc.Self()
	boot, up := proc.Clock()
	b := Began{Holder: self, Agent: agent, Host: proc.Host(), Boot: boot, At: time.Now(), Up: up}
	if err := put(Path(h.dir, "began", h.gen), b.lines()); err != nil {
		complain(err.Error()) // the certificate will say that it ran
	}
	return agent, nil
}

// await returns once the agent is reaped.
func (h *holder) await() {
	h.kill = time.NewTimer(time.Hour)
	h.kill.Stop()
	for h.reap(); h.agent != 0; h.reap() {
		select {
		case s := <-h.signals:
			h.forward(s)
		case r := <-h.requests:
			switch {
			case r == askEnd:
				h.forward(syscall.SIGTERM)
			case r == askSay && h.lines != nil:
				h.lines.poke()
			}
		case <-h.kill.C:
			syscall.Kill(h.agent, syscall.SIGKILL)
		}
	}
}

// forward passes on what asks for an end. The terminal sends an interrupt to the agent itself.
func (h *holder) forward(s os.Signal) {
	if s == syscall.SIGCHLD || s == syscall.SIGINT {
		return
	}
	if !h.asked {
		h.asked = true
		h.kill.Reset(endGrace)
	}
	syscall.Kill(h.agent, s.(syscall.Signal))
	syscall.Kill(h.agent, syscall.SIGCONT) // a stopped agent ends too
}

// reap takes everything that has ended. It reports whether any child is left.
func (h *holder) reap() bool {
	for {
		var status syscall.WaitStatus
		pid, err := syscall.Wait4(-1, &status, syscall.WNOHANG, nil)
		switch {
		case errors.Is(err, syscall.EINTR):
		case err != nil:
			return false
		case pid == 0:
			return true
		case pid == h.agent:
			h.agent, h.status = 0, status
		}
	}
}

func (h *holder) certify(e Ended) {
	e.Host, e.At = proc.Host(), time.Now()
	e.Boot, e.Up = proc.Clock()
	if err := put(Path(h.dir, "ended", h.gen), e.lines()); err != nil {
		complain(err.Error())
	}
}

// sweep ends what is left of the tree. Only children are signalled: whatever lies deeper becomes a child when its parent
// ends, so the loop reaches all of it, and a process of somebody else never.
func (h *holder) sweep() {
	began := time.Now()
	told := map[int]bool{}
	for none := 0; h.reap(); {
		n, children, spared, known := h.leftovers()
		// The kernel says when no child is left, but for one that is spared. One scan may miss what starts in the middle of it.
		if none++; n > 0 || spared == 0 || !known {
			none = 0
		} else if none == 3 {
			return
		}
		for _, pid := range children {
			if time.Since(began) > sweepGrace {
				syscall.Kill(pid, syscall.SIGKILL)
			} else if !told[pid] {
				told[pid] = true
				syscall.Kill(pid, syscall.SIGTERM)
				syscall.Kill(pid, syscall.SIGCONT)
			}
		}
		select {
		case <-h.signals:
		case <-h.requests:
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// leftovers says how many processes the agent left, and which of them are children of this one. Holders of other workers, and what
// they hold, are not among them; spared is how many such holders are there.
func (h *holder) leftovers() (n int, children []int, spared int, known bool) {
	all, children, known := proc.Descendants(os.Getpid())
	n = len(all)
	for _, p := range sparedIn(h.dir) {
		if slices.Contains(all, p) { // by its start too: the number may be another's by now
			held, _, _ := proc.Descendants(p.PID)
			n -= 1 + len(held)
			spared++
			children = slices.DeleteFunc(children, func(pid int) bool { return pid == p.PID })
		}
	}
	return n, children, spared, known
}

// after starts the program that follows, and leaves it alone.
func (h *holder) after(l Launch) {
	if len(l.After) == 0 || l.Waited && os.Getppid() == h.parent {
		return
	}
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return
	}
	defer null.Close()
	fd := null.Fd()
	_, err = syscall.ForkExec(l.After[0], l.After, &syscall.ProcAttr{
		Env: os.Environ(), Files: []uintptr{fd, fd, fd}, Sys: &syscall.SysProcAttr{Setsid: true},
	})
	if err != nil {
		complain(l.After[0] + ": " + err.Error())
	}
}
