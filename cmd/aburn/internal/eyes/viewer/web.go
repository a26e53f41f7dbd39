package viewer

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/urfave/cli/v3"

	"aburn/archive"
	"aburn/cmd/aburn/internal/eyes"
	"aburn/cmd/aburn/internal/eyes/now"
	"aburn/cmd/aburn/internal/scope"
	"aburn/cmd/internal/kit"
	"aburn/internal/project"
	"aburn/web"
	"aburn/web/pages"
	"aburn/web/server"
)

// WebCommand is `aburn web`.
func WebCommand(a *kit.App) *cli.Command {
	return &cli.Command{
		Name:  "web",
		Usage: "show sessions, costs, failures and what waits for you in your browser",
		Description: "Serves pages to the browser of this computer until you stop it, and opens one. They show the projects that you have vouched for (aburn init): what waits for you\n" +
			"now, every session with its events, what it cost, what fails most, and whether recording works. Pages follow the agents live. New sessions are read meanwhile. Projects that nobody watches are watched, as by aburn supervisor watch: notices\n" +
			"come as notify.* in your own settings says.\n\n" +
			"A link works once, and for a minute. If aburn web runs already, this prints a new link of it. Over SSH it says how to bring the port to your computer. Links are\n" +
			"for people: a process that an agent started gets none.",
		Flags: []cli.Flag{
			&cli.IntFlag{Name: "port", Usage: "the `PORT` on this computer; the next free one if it is taken", Value: web.LivePort},
			&cli.BoolFlag{Name: "no-open", Usage: "open no browser"},
			&cli.BoolFlag{Name: "print", Usage: "print the link and nothing else, and open no browser"},
			&cli.BoolFlag{Name: "no-ingest", Usage: "show the archive as it is, without reading new sessions"},
			&cli.BoolFlag{Name: "no-notices", Usage: "do not watch the projects"},
			&cli.BoolFlag{Name: "read-only", Usage: "pages without buttons, and no watching"},
			&cli.StringFlag{Name: "project", Usage: "only this project's `DIR`"},
			&cli.StringFlag{Name: "timezone", Usage: "days of this `ZONE`: UTC, Europe/Berlin (default: the computer's)"},
			&cli.BoolFlag{Name: "demo", Usage: "recorded sessions instead of yours; it touches none of your files"},
		},
		ArgValidator: kit.NoArguments,
		Metadata:     kit.Examples("aburn web", "aburn web --print --no-ingest", "aburn web --demo"),
		Action:       a.Action(runWeb),
	}
}

func runWeb(ctx context.Context, a *kit.App, cmd *cli.Command) error {
	if port := cmd.Int("port"); port < 1 || port > 65535 {
		return kit.UsageError("--port: a number from 1 to 65535", "aburn web --port 4781")
	}
	if agent := startedByAgent(os.Getpid(), a.Getenv); agent != "" {
		return kit.BadNews("links are for people, and "+agent+" started this process", "run aburn web in a terminal of your own")
	}
	ctx, stop := kit.UntilSignal(ctx)
	defer stop()
	environ := os.Environ() // a browser that opens is the user's, also in a demo
	var d *demo
	if cmd.Bool("demo") {
		var err error
		if d, err = newDemo(); err != nil {
			return kit.BadNews(err.Error())
		}
		defer d.clear()
	}
	c := scope.CallerOf(a, cmd)
	s, err := newSite(c, cmd)
	if err != nil {
		return err
	}
	s.demo, s.environ = d, environ
	desk, err := openDesk(c.Env)
	if errors.Is(err, errRuns) {
		return s.showLink(a, cmd, desk, true)
	}
	if err != nil {
		return err
	}
	defer desk.close()
	return s.serve(ctx, a, cmd, desk)
}

// newSite is the site of a command line.
func newSite(c *scope.Caller, cmd *cli.Command) (*Site, error) {
	dir := archive.Dir(c.Env)
	if dir == "" {
		return nil, scope.NoHome()
	}
	zone, err := eyes.ZoneNamed(cmd.String("timezone"), time.Local)
	if err != nil {
		return nil, err
	}
	s := &Site{dir: dir, env: c.Env, zone: zone, clock: time.Now, act: !cmd.Bool("read-only"), events: server.NewEvents(5 * time.Second)}
	if s.project, err = projectOf(c, cmd.Name, cmd.String("project")); err != nil {
		return nil, err
	}
	s.projects = now.New(now.Options{Caller: s.caller, Only: s.project, Asked: s.looked, Changed: func() { s.events.Say("now") }})
	return s, nil
}

// projectOf is the root of the vouched project around a folder, "" for all.
func projectOf(c *scope.Caller, command, dir string) (string, error) {
	if dir == "" {
		return "", nil
	}
	folder, err := c.Folder()
	if err != nil {
		return "", err
	}
	p, err := project.Find(kit.InFolder(folder, dir), c.Env)
	switch {
	case err != nil:
		return "", kit.UsageError("--project: "+err.Error(), "aburn "+command+" --project ~/src/shop")
	case !p.Marked:
		return "", scope.NotVouched()
	}
	return p.Root, nil
}

// collectAt is by how many percent the heap grows between two collections. A server that idles for days should be small.
const collectAt = 30

func (s *Site) serve(ctx context.Context, a *kit.App, cmd *cli.Command, desk *desk) error {
	list, port, err := server.Listen(cmd.Int("port"))
	if err != nil {
		return kit.BadNews("no port is free: "+err.Error(), fmt.Sprintf("aburn web --port %d", cmd.Int("port")+100))
	}
	if port != cmd.Int("port") && !cmd.Bool("print") {
		a.Note(fmt.Sprintf("port %d is taken: %d it is", cmd.Int("port"), port))
	}
	files := map[string]server.File{}
	for path, f := range pages.Files() {
		files[path] = server.File{Type: f[0], Text: f[1]}
	}
	posts := map[string]http.Handler{}
	if s.act {
		posts["/ingest"] = http.HandlerFunc(s.ingestNow)
		posts["/seen"] = http.HandlerFunc(s.seenNow)
		posts["/search/stop"] = http.HandlerFunc(s.stopSearch)
	}
	guard := server.New(server.Options{Port: port, Pages: s.handler(), Posts: posts, Files: files, Door: pages.Door})
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	s.life = ctx
	debug.SetGCPercent(collectAt)
	go s.projects.Run(ctx)
	go s.keepView(ctx, func() {})
	if !cmd.Bool("no-ingest") {
		go s.keepComplete(ctx, func(err error) {
			failed := kit.FailureOf(err)
			a.Warn(failed.Msg, failed.Hints...)
		})
	}
	if s.demo == nil {
		told := make(chan struct{})
		go func() {
			defer close(told)
			s.keepGlance(ctx, !cmd.Bool("no-ingest"), warnOnce(a))
		}()
		defer func() { stop(); <-told }()
	}
	if s.demo != nil {
		go func() {
			if err := s.demo.play(ctx); err != nil {
				a.Warn("the demo's log cannot be written: " + err.Error())
			}
		}()
	}
	if s.demo == nil && s.act && !cmd.Bool("no-notices") {
		watching := make(chan struct{})
		go func() {
			defer close(watching)
			s.notices(ctx, a.Warn, func(session string) string { return s.pageOf(port, session) })
		}()
		defer func() { stop(); <-watching }() // they give their locks back
	}
	desk.answer(ctx, func() string { return guard.Link(web.LiveHost(), "/") }, func(pid int) string { return startedByAgent(pid, func(string) string { return "" }) })
	go func() {
		if err := s.showLink(a, cmd, desk, false); err != nil {
			failed := kit.FailureOf(err)
			a.Warn(failed.Msg, failed.Hints...)
		}
	}()
	return guard.Serve(ctx, list)
}

// pageOf is the address of what a notice is about: the session's page once the archive has it, else Now.
func (s *Site) pageOf(port int, session string) string {
	at := "/"
	if v := s.view.Load(); v != nil && session != "" {
		if r := v.find(session); r != nil {
			at = r.address()
		}
	}
	return "http://" + net.JoinHostPort(web.LiveHost(), strconv.Itoa(port)) + at
}

// warnOnce warns of the first failure to keep what status lines read: the next one has the same cause.
func warnOnce(a *kit.App) func(error) {
	var once sync.Once
	return func(err error) {
		once.Do(func() { a.Warn("status lines and budgets are not kept up to date: " + err.Error()) })
	}
}

// showLink asks the desk for a link, and opens or prints it.
func (s *Site) showLink(a *kit.App, cmd *cli.Command, desk *desk, again bool) error {
	env := s.env
	link, err := desk.ask()
	switch {
	case err != nil:
		return err
	case cmd.Bool("print"):
		fmt.Fprintln(a.Stdout, link)
		return nil
	}
	if again {
		a.Note("aburn web runs already: this is a new link of it")
	}
	at, _, _ := strings.Cut(link, "#")
	at = strings.TrimSuffix(strings.TrimPrefix(at, "http://"), "/")
	_, port, _ := net.SplitHostPort(at)
	switch {
	case cmd.Bool("no-open"):
	case env("SSH_CONNECTION") != "":
		fmt.Fprintf(a.Stdout, "On your own computer: ssh -L %s:127.0.0.1:%s %s\nThen open this link there:\n", port, port, kit.ShellWord(sshTarget(env)))
	case openBrowser(link, env, s.environ):
		fmt.Fprintf(a.Stdout, "aburn is at http://%s, and opens in your browser. Ctrl-C ends it. `aburn web` in another terminal gives a new link.\n", at)
		return nil
	}
	_, err = fmt.Fprintf(a.Stdout, "%s\nThe link works once, and for a minute; `aburn web` makes another. If your browser does not find the name, put 127.0.0.1 in its place. Ctrl-C ends aburn web.\n", link)
	return err
}

// sshTarget is this computer as the other end of the SSH connection reaches it: SSH_CONNECTION is "client port server port".
func sshTarget(env func(string) string) string {
	parts := strings.Fields(env("SSH_CONNECTION"))
	if len(parts) != 4 {
		return "this-computer"
	}
	if user := env("USER"); user != "" {
		return user + "@" + parts[2]
	}
	return parts[2]
}

// openBrowser opens a link in the user's browser; false if there is none to be seen.
func openBrowser(link string, env func(string) string, environ []string) bool {
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

// agentsNames are the executables of agents, and of what holds workers.
func agentsNames() []string { return append([]string{"aburn-hold"}, agentPrograms()...) }

// startedByAgent names the agent that a process descends from, "" if none is seen. It is no wall: whoever runs as this user can do
// what this user can. It keeps a model that tries commands from getting a link in its output.
func startedByAgent(pid int, env func(string) string) string {
	if list := scope.CallingAgents(env); len(list) > 0 {
		return list[0].Of.Title
	}
	for _, p := range ancestors(pid) {
		if slices.Contains(agentsNames(), p.name) {
			return p.name
		}
		if list := scope.CallingAgents(p.env); len(list) > 0 {
			return list[0].Of.Title
		}
	}
	return ""
}
