package daemon

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"aburn/internal/fault"
	"aburn/internal/lockfile"
	"aburn/internal/plain"
	"aburn/internal/project"
	"aburn/worker/config"
)

// PortOf is the port that the person's own file says, else the usual one. It is about no project: where state lies there is no
// repository's file. A mistake in the file keeps nobody from looking after workers.
func PortOf(env func(string) string, a fault.Reporter, p *State, usual int) int {
	c, err := config.Load(config.Places{Root: p.dir, User: config.UserFile(project.ConfigDir(env)), Home: env("HOME")})
	if err != nil {
		a.Warn(plain.Line(err.Error()), "aburn config check")
		return usual
	}
	return cmp.Or(c.Number("port"), usual)
}

const startTime = 15 * time.Second

// lastLine is the last that was written to a file behind a position.
func lastLine(path string, from int64) string {
	f, err := os.Open(path)
	if err != nil {
		return err.Error()
	}
	defer f.Close()
	f.Seek(from, io.SeekStart)
	data, _ := io.ReadAll(io.LimitReader(f, 64<<10))
	lines := strings.Split(strings.TrimSpace(string(data)), "\n")
	return plain.OneLine(lines[len(lines)-1], 200)
}

// Foreground makes rounds until a signal comes or ctx ends. page serves the page meanwhile; stop ends workers after an interrupt.
func (d *daemon) Foreground(ctx context.Context, page func(ctx context.Context, ready func(port int)) error, stop func([]Worker) error) error {
	lock, err := lockfile.Acquire(d.state.root, daemonLock, 10*lockWait)
	if errors.Is(err, lockfile.ErrBusy) {
		return fault.Failed("another one was faster", "aburn daemon start --replace")
	}
	if err != nil {
		return fault.Failed(err.Error())
	}
	defer lock.Release()
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer signal.Stop(signals)
	rounds, end := context.WithCancel(ctx)
	defer end()
	over := make(chan struct{})
	if err := d.announce(time.Now()); err != nil {
		return fault.Failed("it does not run, as it cannot write down which process it is: "+err.Error(), roomHint(d.state))
	}
	d.say("", "supervises workers, as process "+fmt.Sprint(os.Getpid()))
	go func() {
		defer close(over)
		served := make(chan struct{})
		go func() { defer close(served); d.servePage(rounds, page) }()
		d.run(rounds)
		<-served
	}()
	select {
	case s := <-signals:
		end()
		if s == os.Interrupt {
			return d.interrupted(ctx, stop, over, signals)
		}
	case <-ctx.Done():
	}
	<-over
	d.say("", "ends; workers keep running")
	return nil
}

// servePage serves the page. If that fails, the rounds go on without it.
func (d *daemon) servePage(ctx context.Context, page func(ctx context.Context, ready func(port int)) error) {
	err := page(ctx, func(at int) { d.say("", fmt.Sprintf("the page is on port %d: aburn dashboard opens it", at)) })
	if err != nil && ctx.Err() == nil {
		d.say("", "there is no page: "+fault.Of(err).Msg)
	}
}

// interrupted ends the workers too, unless it is interrupted once more.
func (d *daemon) interrupted(ctx context.Context, stop func([]Worker) error, over <-chan struct{}, signals <-chan os.Signal) error {
	done := make(chan error, 1)
	go func() {
		<-over
		list, err := Living(ctx, d.env, "")
		if err == nil && len(list) > 0 {
			err = stop(list)
		}
		done <- err
	}()
	select {
	case err := <-done:
		return err
	case <-signals:
		d.say("", "ends at once; running workers keep running")
		return fault.Exit(fault.ExitFailed)
	}
}

// Background starts this executable once more, in a session of its own, and returns its process and the path of its log when it looks
// after workers.
func (p *State) Background(ctx context.Context, port int) (pid int, log string, err error) {
	self, err := os.Executable()
	if err != nil {
		return 0, "", fault.Failed(err.Error())
	}
	if err := p.tryRoom(); err != nil { // the one that starts could not say so in its log
		return 0, "", fault.Failed("nothing can be written in "+p.dir+": "+err.Error(), roomHint(p))
	}
	path := filepath.Join(p.dir, logFile)
	out, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return 0, "", fault.Failed(err.Error())
	}
	defer out.Close()
	from, _ := out.Seek(0, io.SeekEnd)
	child := exec.Command(self, "daemon", "start", "--foreground", "--no-resume", "--port", fmt.Sprint(port))
	child.Dir, child.Stdout, child.Stderr = p.dir, out, out
	if home, err := os.UserHomeDir(); err == nil {
		child.Dir = home
	}
	child.SysProcAttr = ownSession()
	if err := child.Start(); err != nil {
		return 0, "", fault.Failed(err.Error())
	}
	ended := make(chan error, 1)
	go func() { ended <- child.Wait() }()
	for until := time.Now().Add(startTime); time.Now().Before(until) && ctx.Err() == nil; time.Sleep(20 * time.Millisecond) {
		if r, ok := p.Running(); ok && r.PID == child.Process.Pid {
			return r.PID, path, nil
		}
		select {
		case <-ended:
			return 0, "", fault.Failed("it ended at once: "+lastLine(path, from), "aburn daemon start --foreground")
		default:
		}
	}
	child.Process.Kill() // nothing else would end it
	<-ended
	return 0, "", fault.Failed("it did not say that it runs, and was ended", "less "+path)
}
