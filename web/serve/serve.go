// Package serve is the process of aburn web: it answers pages on this computer, gives links to people and to no agent, reads new
// sessions, keeps status lines up to date, and watches projects that nobody watches.
//
// What the pages are is the Site's: the room knows neither the archive nor the supervisor. Begin with Run; package server decides who
// gets in, package links is where others ask for a link.
package serve

import (
	"context"
	"net"
	"net/http"
	"runtime/debug"
	"strconv"
	"sync"
	"time"

	"aburn/internal/fault"
	"aburn/internal/peer"
	"aburn/internal/workspace"
	"aburn/web"
	"aburn/web/links"
	"aburn/web/pages"
	"aburn/web/server"
)

// Site is the pages, and what keeps them up to date.
type Site interface {
	Handler() http.Handler
	Posts() map[string]http.Handler
	Sockets() http.Handler
	PageOf(session string) string // the path of a session's page

	Live(ctx context.Context) // gives the pages the life of their server
	Follow(ctx context.Context)
	KeepComplete(ctx context.Context, warn func(error))
	KeepStatusLines(ctx context.Context, complete bool, warn func(error))

	Followed() []string // the roots of the projects that are followed
	Now() time.Time
	Caller(dir string) *workspace.Caller
}

// Options are what a server does besides answering, and when that begins.
type Options struct {
	Site    Site
	Ingest  bool                        // reads new sessions
	Notices bool                        // watches projects that nobody watches
	Lazily  bool                        // begins only once somebody asks for a link
	Demo    func(context.Context) error // plays a demo's log, in place of status lines and notices; nil for none
	Warn    workspace.WarnFunc
	// Watch watches one project until ctx ends. link is the page of a session, which notices name.
	Watch func(ctx context.Context, c *workspace.Caller, link func(session string) string) error
}

// collectAt is by how many percent the heap grows between two collections. A server that idles for days should be small.
const collectAt = 30

// Run serves the pages on list, and links to them on socket, until ctx ends. It calls ready once links are given.
func Run(ctx context.Context, o Options, socket *links.Socket, list []net.Listener, port int, ready func()) error {
	files := map[string]server.File{}
	for path, f := range pages.Files() {
		files[path] = server.File{Type: f[0], Text: f[1]}
	}
	guard := server.New(server.Options{Port: port, Pages: o.Site.Handler(), Posts: o.Site.Posts(), Sockets: o.Site.Sockets(), Files: files, Door: pages.Door})
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	o.Site.Live(ctx)
	var running sync.WaitGroup
	defer func() { stop(); running.Wait() }() // watchers give their locks back
	begin := sync.OnceFunc(func() { o.begin(ctx, &running, port) })
	if !o.Lazily {
		begin()
	}
	link := func() string {
		begin()
		return guard.Link(web.LiveHost(), "/")
	}
	socket.Answer(ctx, link, func(pid int) string { return peer.Starter(pid, func(string) string { return "" }) })
	go ready()
	return guard.Serve(ctx, list)
}

// begin follows, reads and watches until ctx ends. What has to be waited for is running.
func (o *Options) begin(ctx context.Context, running *sync.WaitGroup, port int) {
	debug.SetGCPercent(collectAt)
	go o.Site.Follow(ctx)
	if o.Ingest {
		go o.Site.KeepComplete(ctx, func(err error) {
			failed := fault.Of(err)
			o.Warn(failed.Msg, failed.Hints...)
		})
	}
	if o.Demo != nil {
		go func() {
			if err := o.Demo(ctx); err != nil {
				o.Warn("the demo's log cannot be written: " + err.Error())
			}
		}()
		return
	}
	running.Go(func() { o.Site.KeepStatusLines(ctx, o.Ingest, o.warnOnce()) })
	if o.Notices {
		running.Go(func() {
			o.notices(ctx, func(session string) string {
				return "http://" + net.JoinHostPort(web.LiveHost(), strconv.Itoa(port)) + o.Site.PageOf(session)
			})
		})
	}
}

// warnOnce warns of the first failure to write what status lines read: the next one has the same cause.
func (o *Options) warnOnce() func(error) {
	var once sync.Once
	return func(err error) {
		once.Do(func() { o.Warn("status lines and budgets are not up to date: " + err.Error()) })
	}
}
