package dashboard

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"

	"github.com/urfave/cli/v3"

	"aburn/cmd/aburn/internal/chosen"
	"aburn/cmd/aburn/internal/supervise"
	"aburn/cmd/internal/kit"
	"aburn/internal/fault"
	"aburn/internal/peer"
	"aburn/internal/shell"
	"aburn/web"
	"aburn/web/demo"
	"aburn/web/links"
	"aburn/web/serve"
	"aburn/web/server"
	"aburn/web/site"
)

// WebCommand is `aburn web`.
func WebCommand(a *kit.App) *cli.Command {
	return &cli.Command{
		Name:  "web",
		Usage: "open sessions, costs and failures in your browser",
		Description: "Serves pages to the browser of this computer until you stop it, and opens one. They show the sessions of\n" +
			"all agents on this machine: what waits for you now, each session with its events, what it cost, what\n" +
			"fails most, and whether recording works. You need no hooks for it, and no project has to be trusted.\n" +
			"Pages follow the agents live. Meanwhile aburn watches the projects that you trust and nobody else\n" +
			"watches, like aburn supervisor watch. It notifies you as notify.* in your own settings says.\n\n" +
			"A link works once, within a minute. If aburn web is running already, this prints a new link to it. Over\n" +
			"SSH it shows how to forward the port. Links are for people: a process that an agent started gets none.",
		Flags: []cli.Flag{
			&cli.IntFlag{Name: "port", Usage: "the `PORT` on this computer; the next free one if it is taken", Value: web.LivePort},
			&cli.BoolFlag{Name: "no-open", Usage: "open no browser"},
			&cli.BoolFlag{Name: "print", Usage: "print the link and nothing else, and open no browser"},
			&cli.BoolFlag{Name: "no-ingest", Usage: "show the archive as it is, without reading new sessions"},
			&cli.BoolFlag{Name: "no-notices", Usage: "do not watch the projects"},
			&cli.BoolFlag{Name: "read-only", Usage: "pages without buttons, and no watching"},
			&cli.StringFlag{Name: "project", Usage: "only this project's `DIR`"},
			&cli.StringFlag{Name: "timezone", Usage: "days of this `ZONE`: UTC, Europe/Berlin (default: the computer's)"},
			&cli.BoolFlag{Name: "demo", Usage: "show recorded examples instead of your sessions"},
		},
		ArgValidator: kit.NoArguments,
		Metadata:     kit.Examples("aburn web", "aburn web --print --no-ingest", "aburn web --demo"),
		Action:       a.Action(runWeb),
	}
}

func runWeb(ctx context.Context, a *kit.App, cmd *cli.Command) error {
	if port := cmd.Int("port"); port < 1 || port > 65535 {
		return fault.Usage("--port: a number from 1 to 65535", "aburn web --port 4781")
	}
	if agent := peer.Starter(os.Getpid(), a.Getenv); agent != "" {
		return fault.Failed("only people get links, and "+agent+" started this process", "run aburn web in your own terminal")
	}
	ctx, stop := kit.UntilSignal(ctx)
	defer stop()
	h := &pageServer{environ: os.Environ()} // a browser that opens is the user's, also in a demo
	if cmd.Bool("demo") {
		d, err := demo.New()
		if err != nil {
			return fault.Failed(err.Error())
		}
		defer d.Clear()
		h.Demo = d.Play
	}
	c := chosen.CallerOf(a, cmd)
	o, err := OptionsOf(ctx, c.Caller, cmd)
	if err != nil {
		return err
	}
	o.Act, o.Demo, o.Workers = !cmd.Bool("read-only"), h.Demo != nil, WorkersOf(a)
	h.Site, h.Ingest, h.Notices, h.Warn, h.Watch = site.New(o), !cmd.Bool("no-ingest"), o.Act && !cmd.Bool("no-notices"), a.Warn, supervise.Watch
	d, err := links.Open(c.Env)
	if errors.Is(err, links.ErrRuns) {
		return h.showLink(a, cmd, d, true)
	}
	if err != nil {
		return err
	}
	defer d.Close()
	return h.run(ctx, a, cmd, d)
}

// pageServer is aburn web as its flags say.
type pageServer struct {
	serve.Options
	environ []string // for the browser
}

func (h *pageServer) run(ctx context.Context, a *kit.App, cmd *cli.Command, d *links.Socket) error {
	list, port, err := server.Listen(cmd.Int("port"))
	if err != nil {
		return fault.Failed("no port is free: "+err.Error(), fmt.Sprintf("aburn web --port %d", cmd.Int("port")+100))
	}
	if port != cmd.Int("port") && !cmd.Bool("print") {
		a.Note(fmt.Sprintf("port %d is taken: using %d", cmd.Int("port"), port))
	}
	return serve.Run(ctx, h.Options, d, list, port, func() {
		if err := h.showLink(a, cmd, d, false); err != nil {
			failed := fault.Of(err)
			a.Warn(failed.Msg, failed.Hints...)
		}
	})
}

// showLink asks the socket for a link, and opens or prints it.
func (h *pageServer) showLink(a *kit.App, cmd *cli.Command, d *links.Socket, again bool) error {
	env := a.Getenv
	link, err := d.Ask()
	switch {
	case err != nil:
		return err
	case cmd.Bool("print"):
		fmt.Fprintln(a.Stdout, link)
		return nil
	}
	if again {
		a.Note("aburn web is running already: this is a new link")
	}
	at, _, _ := strings.Cut(link, "#")
	at = strings.TrimSuffix(strings.TrimPrefix(at, "http://"), "/")
	_, port, _ := net.SplitHostPort(at)
	switch {
	case cmd.Bool("no-open"):
	case env("SSH_CONNECTION") != "":
		fmt.Fprintf(a.Stdout, "On your own computer: ssh -L %s:127.0.0.1:%s %s\nThen open this link there:\n", port, port, shell.Quote(sshTarget(env)))
	case links.OpenBrowser(link, env, h.environ):
		fmt.Fprintf(a.Stdout, "aburn is at http://%s, and opens in your browser. Ctrl-C ends it. `aburn web` in another terminal gives a new link.\n", at)
		return nil
	}
	_, err = fmt.Fprintf(a.Stdout,
		"%s\nThe link works once, and for a minute; `aburn web` makes another. If your browser does not find the name, put 127.0.0.1 in its "+
			"place. Ctrl-C ends "+
			"aburn web.\n", link)
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
