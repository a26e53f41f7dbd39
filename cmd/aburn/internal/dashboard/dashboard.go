// Package dashboard is the commands that show everything that goes on: aburn web, aburn dashboard and aburn top.
package dashboard

import (
	"context"
	"errors"
	"time"

	"github.com/urfave/cli/v3"

	"aburn/cmd/aburn/internal/supervise"
	"aburn/cmd/internal/kit"
	"aburn/internal/fault"
	"aburn/web/links"
	"aburn/web/serve"
	"aburn/web/server"
	"aburn/web/site"
)

// DashboardCommand is `aburn dashboard`: the page of aburn web, whoever serves it.
func DashboardCommand(a *kit.App) *cli.Command {
	c := WebCommand(a)
	c.Name, c.Usage = "dashboard", "open the board of all workers in your browser"
	c.Description = "The board is the first page of `aburn web`. If the daemon runs, this command opens a new link to its page and ends. Otherwise\n" +
		"it serves the page itself, as `aburn web` does, until you stop it.\n\n" +
		"A link works once, within a minute. Agents and workers get no link."
	c.Metadata = kit.Examples("aburn dashboard", "aburn dashboard --print")
	return c
}

// retryEvery is how often aburn daemon start looks whether the aburn web that ran before has ended.
const retryEvery = 5 * time.Second

// Serve serves the page in the process of aburn daemon start until ctx ends, from the first free port on. While an aburn web runs it waits for its
// end. Until somebody asks for a link, it only listens.
func Serve(ctx context.Context, a *kit.App, port int, ready func(port int)) error {
	o, err := OptionsFor(a.Getenv)
	if err != nil {
		return err
	}
	o.Workers = WorkersOf(a)
	with := serve.Options{Site: site.New(o), Ingest: true, Notices: true, Lazily: true, Warn: a.Warn, Watch: supervise.Watch}
	var d *links.Socket
	for {
		if d, err = links.Open(a.Getenv); err == nil {
			break
		}
		if !errors.Is(err, links.ErrRuns) {
			return err
		}
		d.Root.Close()
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(retryEvery):
		}
	}
	defer d.Close()
	list, at, err := server.Listen(port)
	if err != nil {
		return fault.Failed("no port is free: " + err.Error())
	}
	return serve.Run(ctx, with, d, list, at, func() { ready(at) })
}
