package commands

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v3"

	"aburn/cmd/internal/kit"
	"aburn/instrument"
	"aburn/internal/consent"
	"aburn/internal/fault"
	"aburn/internal/plain"
	"aburn/internal/project"
)

// initWork is what init would write: a registry if there is none, and the configuration if a run could
// start with it.
type initWork struct {
	dir      string
	config   instrument.Config
	project  *instrument.Project
	registry map[string]string // new files, by path
	had      []byte            // the configuration that is there; nil for none
	text     []byte
	added    []string // keys
	trusted  *project.Project
	why      error // why no command can be permitted
}

func planned(p *instrument.Project, dir string, c instrument.Config) *initWork {
	w := &initWork{dir: dir, config: c, project: p, registry: map[string]string{}}
	if p.Registry == "" {
		for name, text := range instrument.SmallestRegistry(p.Namespace()) {
			w.registry[instrument.NewRegistry+"/"+name] = text
		}
	}
	return w
}

// read looks at the configuration that is there, and works out the new one.
func (w *initWork) read(a *kit.App) error {
	had, err := os.ReadFile(filepath.Join(w.dir, instrument.ConfigFile))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fault.Failed(plain.Line(err.Error()))
	}
	w.had = had
	others := slices.DeleteFunc(w.project.Lacks(), func(r instrument.Prerequisite) bool { return r.Name == "registry" && len(w.registry) > 0 })
	if w.trusted, w.why = project.Find(w.dir, a.Getenv); w.why == nil && !w.trusted.Marked {
		w.why = errNotTrusted
	}
	if len(others) > 0 && had == nil { // a run could not start
		return nil
	}
	later := *w.project
	if len(w.registry) > 0 {
		later.Registry = instrument.NewRegistry
	}
	w.text, w.added = later.ConfigText(had, w.config)
	return nil
}

var errNotTrusted = errors.New("the project is not trusted")

func (w *initWork) nothing() bool {
	return len(w.registry) == 0 && (w.text == nil || w.had != nil && len(w.added) == 0)
}

// open are the project's commands that nobody permitted yet.
func (w *initWork) open(answer *initAnswer) (list []string) {
	for _, line := range w.project.Commands {
		if w.trusted != nil && consent.Given(w.trusted, line) {
			answer.Permitted = append(answer.Permitted, line)
		} else {
			list = append(list, line)
		}
	}
	return list
}

func (w *initWork) files() []string {
	var list []string
	for name := range w.registry {
		list = append(list, name)
	}
	slices.Sort(list)
	if w.text != nil && (w.had == nil || len(w.added) > 0) {
		list = append(list, instrument.ConfigFile)
	}
	return list
}

// confirmed asks once, for all that would be written and permitted.
func (w *initWork) confirmed(a *kit.App, open []string) bool {
	var parts []string
	for _, f := range w.files() {
		fmt.Fprintf(a.Stdout, "  write %s\n", plain.Line(f))
	}
	if len(w.files()) > 0 {
		parts = append(parts, "write these files")
	}
	if len(open) > 0 && w.why == nil {
		for _, line := range open {
			fmt.Fprintf(a.Stdout, "  start %s\n", plain.Line(line))
		}
		parts = append(parts, "let aburn start these commands (the lines, not what they run)")
	}
	if len(parts) == 0 {
		notPermitted(a, w, open)
		return true
	}
	question := strings.Join(parts, ", and ")
	return a.Confirm(strings.ToUpper(question[:1]) + question[1:] + "?")
}

func (w *initWork) write(ctx context.Context, a *kit.App, answer *initAnswer) error {
	if err := instrument.WriteNew(w.dir, w.registry); err != nil {
		return fault.Failed(plain.Line(err.Error()))
	}
	for _, f := range w.files() {
		if f != instrument.ConfigFile {
			answer.Created = append(answer.Created, f)
		}
	}
	if w.text != nil && (w.had == nil || len(w.added) > 0) {
		if err := instrument.WriteConfig(w.dir, w.had, w.text); err != nil {
			return fault.Failed(plain.Line(err.Error()))
		}
		answer.Added = append(answer.Added, w.added...)
	}
	if len(w.registry) == 0 {
		return nil
	}
	p, err := examine(ctx, a, w.dir, w.config)
	if err == nil {
		answer.Project = p
	}
	return err
}

func (w *initWork) permit(a *kit.App, answer *initAnswer, open []string) error {
	if len(open) == 0 || w.why != nil {
		return nil
	}
	if err := consent.Give(w.trusted, open...); err != nil {
		a.Warn(plain.Line(err.Error()))
		return nil
	}
	answer.Permitted = append(answer.Permitted, open...)
	return nil
}

// notPermitted says which commands aburn will not start, and why.
func notPermitted(a *kit.App, w *initWork, open []string) {
	switch {
	case len(open) == 0:
	case w.why != nil:
		a.Warn("aburn starts none of the project's commands: the project is not trusted", "aburn init, then aburn instrument init")
	default:
		a.Warn("nobody permitted yet: "+plain.Line(strings.Join(open, ", ")), "aburn instrument init, on a terminal")
	}
}

// refuse writes nothing without a person and without --yes.
func refuse(a *kit.App, cmd *cli.Command, answer *initAnswer, w *initWork) error {
	if cmd.Bool("json") {
		if err := a.PrintJSON(answer); err != nil {
			return err
		}
	} else {
		printProject(a.Screen(cmd), answer.Project)
	}
	return fault.Usage("nothing was written: "+strings.Join(w.files(), ", ")+" would be", "aburn instrument init --yes writes without a question")
}
