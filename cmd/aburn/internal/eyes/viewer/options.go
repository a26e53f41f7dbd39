package viewer

import (
	"context"
	"time"

	"github.com/urfave/cli/v3"

	"aburn/archive"
	"aburn/archive/lookup"
	"aburn/attention"
	"aburn/cmd/aburn/internal/eyes"
	"aburn/cmd/aburn/internal/eyes/workers"
	"aburn/cmd/aburn/internal/work/board"
	"aburn/cmd/internal/kit"
	"aburn/internal/fault"
	"aburn/internal/project"
	"aburn/internal/workspace"
	"aburn/web/server"
)

// Options say whose pages they are, and what they have.
type Options struct {
	Dir     string // of the archive
	Env     func(string) string
	Zone    *time.Location
	Clock   func() time.Time
	Project string // the root of the only one that is shown, "" for all
	Act     bool   // the pages have buttons
	Demo    bool
	// CostsOnly says that nobody asks how sessions ended, which takes most of the time.
	CostsOnly bool
	Workers   *kit.App // nil: none are shown
	Changed   func()   // what Things says may have changed; nil: nobody is told
}

// OptionsFor are those of all projects.
func OptionsFor(env func(string) string) (Options, error) {
	o := Options{Dir: archive.Dir(env), Env: env, Zone: time.Local, Clock: time.Now, Act: true}
	if o.Dir == "" {
		return o, lookup.NoHome()
	}
	return o, nil
}

// OptionsOf are those of a command line with --timezone and --project.
func OptionsOf(c *workspace.Caller, cmd *cli.Command) (Options, error) {
	o, err := OptionsFor(c.Env)
	if err != nil {
		return o, err
	}
	if o.Zone, err = eyes.ZoneNamed(cmd.String("timezone"), time.Local); err != nil {
		return o, err
	}
	o.Project, err = projectOf(c, cmd.Name, cmd.String("project"))
	return o, err
}

// projectOf is the root of the vouched project around a folder, "" for all.
func projectOf(c *workspace.Caller, command, dir string) (string, error) {
	if dir == "" {
		return "", nil
	}
	folder, err := c.Folder()
	if err != nil {
		return "", err
	}
	p, err := project.Find(workspace.InFolder(folder, dir), c.Env)
	switch {
	case err != nil:
		return "", fault.Usage("--project: "+err.Error(), "aburn "+command+" --project ~/src/shop")
	case !p.Marked:
		return "", workspace.NotTrusted(p)
	}
	return p.Root, nil
}

// New prepares the pages, and looks at nothing.
func New(o Options) *Site {
	s := &Site{dir: o.Dir, env: o.Env, zone: o.Zone, clock: o.Clock, project: o.Project, act: o.Act, costsOnly: o.CostsOnly, demo: o.Demo, changed: o.Changed,
		events: server.NewEvents(5 * time.Second), life: context.Background(), read: make(chan struct{}, 1)}
	if s.changed == nil {
		s.changed = func() {}
	}
	s.projects = attention.New(attention.Options{Caller: s.Caller, Only: s.project, Asked: s.looked, Changed: func() { s.say("now") }})
	with := workers.Options{Projects: s.projects, Act: s.act, Now: s.Now, Life: func() context.Context { return s.life }, Changed: func() { s.say("work") },
		Sessions: func(root string) string { return filter{project: root}.at("/sessions") }}
	if o.Workers != nil {
		s.board = board.New(o.Workers, board.Options{Shown: s.shows, Asked: s.looked, Changed: with.Changed, Recorded: o.Demo})
		with.Board = s.board
	}
	s.workers = workers.New(with)
	return s
}

// say says what has changed, to pages and to who made the site.
func (s *Site) say(what string) {
	s.events.Say(what)
	s.changed()
}

// shows reports whether a project is one of those that the pages show.
func (s *Site) shows(root string) bool {
	p, err := project.Find(root, s.env)
	return err == nil && p.Marked && p.Root == root && (s.project == "" || s.project == root)
}
