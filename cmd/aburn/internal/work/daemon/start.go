package daemon

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	"github.com/urfave/cli/v3"

	"aburn/cmd/aburn/internal/scope"
	"aburn/cmd/aburn/internal/work"
	"aburn/cmd/aburn/internal/work/spawn"
	"aburn/cmd/internal/kit"
	"aburn/internal/fault"
	"aburn/internal/lockfile"
	"aburn/internal/plain"
	"aburn/internal/project"
	"aburn/worker"
	"aburn/worker/config"
	"aburn/worker/crew"
	"aburn/worker/projects"
	"aburn/worker/round"
)

// Page serves the page beside the rounds until ctx ends, from the first free port on, and says where it is.
type Page func(ctx context.Context, a *kit.App, port int, ready func(port int)) error

func StartCommand(a *kit.App, page Page) *cli.Command {
	return &cli.Command{
		Name:  "start",
		Usage: "supervise workers in the background",
		Description: "One process looks after the workers of all your projects. It brings messages that wait, keeps trees at the end of turns,\n" +
			"runs gates, tells agents what their pull requests wait for, and tells you what only you can decide, as notify.* in your\n" +
			"settings says. It serves the page that aburn dashboard opens, unless aburn web does. Everything but pull requests works without\n" +
			"it too, when you look. Workers do not depend on it: it may be killed at any time.\n\n" +
			"If the last `aburn stop` ended workers, it asks once whether they should go on.\n\n" +
			"Exit code: 0 it runs, 1 it does not or another one does, 2 for a mistake in the call.",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "foreground", Usage: "stay here and say what is done; Ctrl-c ends it and the workers, a second Ctrl-c leaves the workers alone"},
			&cli.IntFlag{Name: "port", Usage: "the page's `PORT` on this computer, instead of port: in your own workers.yaml; the next free one if it is taken",
				Value: pagePort},
			&cli.BoolFlag{Name: "replace", Usage: "take over from the one that runs, as after an update"},
			&cli.BoolFlag{Name: "restore", Usage: "have the workers of the last stop go on, without asking"},
			&cli.BoolFlag{Name: "no-restore", Usage: "do not ask"},
			&cli.StringSliceFlag{Name: "env", Usage: "with --restore: also pass the variable `NAME` of your environment to the agents; any number of times"},
			&cli.BoolFlag{Name: "resume-reactions", Usage: "let workers get messages of their pull requests again, after there were too many; also while it runs"},
		},
		Metadata: kit.Examples("aburn start", "aburn start --foreground", "aburn start --replace"),
		Action: a.Action(func(ctx context.Context, a *kit.App, cmd *cli.Command) error {
			return runStart(ctx, a, cmd, page)
		}),
	}
}

// pagePort is where the page is if nobody else is there: as that of aburn web.
const pagePort = 4780

func runStart(ctx context.Context, a *kit.App, cmd *cli.Command, page Page) error {
	port := cmd.Int("port")
	switch {
	case port < 1 || port > 65535:
		return fault.Usage("--port: a number from 1 to 65535", "aburn start --port 4781")
	case cmd.NArg() > 0:
		return fault.Usage("start takes no names: it looks after all workers", "aburn start --help")
	case cmd.Bool("restore") && cmd.Bool("no-restore"):
		return fault.Usage("--restore and --no-restore are two different things", "leave one out")
	case cmd.IsSet("env") && !cmd.Bool("restore"):
		return fault.Usage("--env is for workers that go on: it needs --restore", "aburn start --restore --env NAME")
	case runtime.GOOS == "windows":
		return fault.Usage("workers do not run on Windows yet")
	}
	if err := spawn.CheckEnv(cmd.StringSlice("env")); err != nil {
		return err
	}
	if err := scope.PersonOnly(a, "start what looks after workers"); err != nil {
		return err
	}
	p, err := openPost(a.Getenv)
	if err != nil {
		return err
	}
	defer p.close()
	if cmd.Bool("resume-reactions") {
		names, err := resumeReactions(ctx, a.Getenv, p)
		if err != nil {
			return err
		}
		text := "no worker was paused"
		if len(names) > 0 {
			text = "get messages again: " + strings.Join(names, ", ")
		}
		fmt.Fprintln(a.Stdout, plain.Line(text))
		if _, running := p.running(); running && !cmd.Bool("replace") {
			return nil
		}
	}
	if !cmd.IsSet("port") {
		port = portOf(a.Getenv, a, p, port)
	}
	if r, ok := p.running(); ok && !cmd.Bool("replace") {
		text := fmt.Sprintf("it runs already: process %d, since %s", r.PID, r.At.Local().Format("2006-01-02 15:04"))
		if mine := kit.Version().Version; r.Version != mine {
			text += ", as aburn " + cmp.Or(plain.Line(r.Version), "of another version") + ": this one is " + mine
		}
		return fault.Failed(text, "aburn start --replace", "aburn stop --keep-workers")
	}
	if cmd.Bool("replace") {
		if err := p.end(stopTime / 2); err != nil {
			return fault.Failed("the one that runs does not end: " + err.Error())
		}
	}
	if err := offerRestore(ctx, a, cmd, p); err != nil {
		return err
	}
	if cmd.Bool("foreground") {
		return foreground(ctx, a, p, port, page)
	}
	pid, log, err := p.background(ctx, port)
	if err != nil {
		return err
	}
	fmt.Fprintf(a.Stdout, "aburn looks after your workers (process %d); it says what it does in %s\n", pid, plain.Line(log))
	a.Hint("aburn dashboard opens the board of your workers")
	return nil
}

// facts are what the daemon asks of the archive and of the supervisor.
func facts(env func(string) string) Facts {
	return Facts{
		Spent: func(ctx context.Context, o *projects.Project, m *crew.Member) (worker.Spent, string, error) {
			return work.SpentNow(ctx, o, env, m)
		},
		Grown: func(ctx context.Context, o *projects.Project, m *crew.Member) (string, error) {
			return work.TranscriptsNow(ctx, o, env, m)
		},
		Judge: func(ctx context.Context, root string) ([]round.Standstill, error) {
			return work.Standstills(ctx, projects.CallerOf(env, root))
		},
		Version: kit.Version().Version,
	}
}

// portOf is the port that the person's own file says, else the usual one. It is about no project: where post lies there is no
// repository's file. A mistake in the file keeps nobody from looking after workers.
func portOf(env func(string) string, a fault.Reporter, p *post, usual int) int {
	c, err := config.Load(config.Places{Root: p.dir, User: config.UserFile(project.ConfigDir(env)), Home: env("HOME")})
	if err != nil {
		a.Warn(plain.Line(err.Error()), "aburn config check")
		return usual
	}
	return cmp.Or(c.Number("port"), usual)
}

// foreground makes rounds in this process.
func foreground(ctx context.Context, a *kit.App, p *post, port int, page Page) error {
	d := newDaemon(a.Getenv, a.Stdout, p, facts(a.Getenv))
	return d.foreground(ctx, func(ctx context.Context, ready func(int)) error { return page(ctx, a, port, ready) }, func(list []hand) error {
		return stopAll(ctx, a, p, list, work.NewActs(a, false))
	})
}

// foreground makes rounds until a signal comes or ctx ends. page serves the page meanwhile; stop ends workers after an interrupt.
func (d *daemon) foreground(ctx context.Context, page func(ctx context.Context, ready func(port int)) error, stop func([]hand) error) error {
	lock, err := lockfile.Acquire(d.post.root, daemonLock, 10*aMoment)
	if errors.Is(err, lockfile.ErrBusy) {
		return fault.Failed("another one was faster", "aburn start --replace")
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
		return fault.Failed("it does not run, as it cannot write down which process it is: "+err.Error(), roomHint(d.post))
	}
	d.say("", "looks after workers, as process "+fmt.Sprint(os.Getpid()))
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
	d.say("", "ends; workers go on")
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
func (d *daemon) interrupted(ctx context.Context, stop func([]hand) error, over <-chan struct{}, signals <-chan os.Signal) error {
	done := make(chan error, 1)
	go func() {
		<-over
		list, err := living(ctx, d.env, "")
		if err == nil && len(list) > 0 {
			err = stop(list)
		}
		done <- err
	}()
	select {
	case err := <-done:
		return err
	case <-signals:
		d.say("", "ends at once; workers that live go on")
		return fault.Exit(fault.ExitFailed)
	}
}

// background starts this executable once more, in a session of its own, and returns its process and the path of its log when it looks
// after workers.
func (p *post) background(ctx context.Context, port int) (pid int, log string, err error) {
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
	child := exec.Command(self, "start", "--foreground", "--no-restore", "--port", fmt.Sprint(port))
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
		if r, ok := p.running(); ok && r.PID == child.Process.Pid {
			return r.PID, path, nil
		}
		select {
		case <-ended:
			return 0, "", fault.Failed("it ended at once: "+lastLine(path, from), "aburn start --foreground")
		default:
		}
	}
	child.Process.Kill() // nothing else would end it
	<-ended
	return 0, "", fault.Failed("it did not say that it runs, and was ended", "less "+path)
}

func roomHint(p *post) string { return "make room on the disk of " + p.dir }

// tryRoom reports whether a file like running.json can be written.
func (p *post) tryRoom() error {
	const name = "room"
	defer p.root.Remove(name)
	return p.write(name, Running{Version: strings.Repeat("x", 4<<10)})
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

// Stopped are the workers that a stop ended.
type Stopped struct {
	At      time.Time       `json:"at"`
	Workers []StoppedWorker `json:"workers"`
	Asked   bool            `json:"asked,omitempty"` // the person was asked whether they should go on
}

// StoppedWorker is one of them, as it stood.
type StoppedWorker struct {
	Project string `json:"project"`
	Worker  string `json:"worker"`
	Gen     int    `json:"gen"`
	Session string `json:"session,omitempty"`
	State   string `json:"state"`
}

func (p *post) stopped() (s Stopped) {
	data, err := p.root.ReadFile(lastStop)
	if err == nil {
		json.Unmarshal(data, &s)
	}
	return s
}

// offerRestore asks once whether the workers of the last stop should go on.
func offerRestore(ctx context.Context, a *kit.App, cmd *cli.Command, p *post) error {
	s := p.stopped()
	if len(s.Workers) == 0 || cmd.Bool("no-restore") || s.Asked && !cmd.Bool("restore") {
		return nil
	}
	var names []string
	for _, w := range s.Workers {
		names = append(names, w.Worker)
	}
	if !cmd.Bool("restore") {
		if !a.CanAsk(cmd) {
			a.Hint("aburn restore: " + plain.Plural(int64(len(names)), "worker") + " of the last stop: " + plain.OneLine(strings.Join(names, ", "), 120))
			return nil
		}
		s.Asked = true
		if err := p.write(lastStop, s); err != nil {
			return fault.Failed(err.Error())
		}
		if !a.Confirm("Have " + plain.Plural(int64(len(names)), "worker") + " of the last stop go on? " + plain.OneLine(strings.Join(names, ", "), 120)) {
			return nil
		}
	}
	restoreStopped(ctx, a, p, cmd.StringSlice("env"), work.NewActs(a, false))
	return nil
}
