package commands

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"aburn/archive"
	"aburn/cmd/aburn-push/internal/figures"
	"aburn/cmd/aburn-push/internal/postgres"
	"aburn/cmd/internal/kit"
	"aburn/insight/cost"
	"aburn/internal/fault"
	"aburn/internal/project"
	"aburn/internal/units"
	"aburn/internal/workspace"
)

// ConfigFile holds what a person pushes, in the folder of the user's own settings. A repository has no say in it.
const ConfigFile = "push.json"

// config is ConfigFile.
type config struct {
	URL      string            `json:"url"`
	As       string            `json:"as"`
	Projects map[string]string `json:"projects"` // names by folders
}

// options are what flags and ConfigFile say.
type options struct {
	*kit.App
	cmd     *cli.Command
	archive string // its folder
	address string
	person  string
	since   string // a local day; empty for all
	names   figures.Names
	prices  *cost.Prices
	zone    *time.Location
	warned  bool // of sessions that cannot be read
}

func readOptions(a *kit.App, cmd *cli.Command) (*options, error) {
	dir := project.ConfigDir(a.Getenv)
	own, err := readConfig(dir)
	if err != nil {
		return nil, err
	}
	o := &options{App: a, cmd: cmd, archive: archive.Dir(a.Getenv), address: cmp.Or(cmd.Args().First(), own.URL), person: cmp.Or(cmd.String("as"), own.As),
		zone: time.Local}
	if o.archive == "" {
		return nil, fault.Usage("there is no place for the archive: neither ABURN_HOME nor HOME is set")
	}
	if o.person != "" && !figures.IsName(o.person) {
		return nil, fault.Usage("--as: "+fault.Quote(o.person)+" can't be a name", figures.NameRule)
	}
	if when := cmd.String("since"); when != "" {
		t, err := units.ParseTime(when, time.Now())
		if err != nil {
			return nil, fault.Usage("--since: " + err.Error())
		}
		o.since = t.In(o.zone).Format(time.DateOnly)
	}
	if err := o.readNames(own); err != nil {
		return nil, err
	}
	o.prices, err = prices(dir)
	return o, err
}

// readNames takes the projects of the file, then those of the flags.
func (o *options) readNames(own *config) error {
	for dir, name := range own.Projects {
		if err := o.names.Add(o.inHome(dir), name); err != nil {
			return fault.Usage(ConfigFile+": projects: "+err.Error(), `"projects": {"/home/anna/work/shop": "shop"}`)
		}
	}
	base, err := kit.Folder(o.cmd)
	if err != nil {
		return err
	}
	for _, word := range o.cmd.StringSlice("project") {
		dir, name, ok := strings.Cut(word, "=")
		if !ok || dir == "" {
			return fault.Usage("--project: "+fault.Quote(word)+" has no name for the folder", "--project "+word+"=NAME")
		}
		if err := o.names.Add(workspace.InFolder(base, o.inHome(dir)), name); err != nil {
			return fault.Usage("--project: "+err.Error(), figures.NameRule)
		}
	}
	return nil
}

// inHome is a path with the home folder for a leading ~, which no shell expands in --project=~/x=y nor in a file.
func (o *options) inHome(dir string) string {
	if rest, ok := strings.CutPrefix(dir, "~/"); ok {
		return filepath.Join(o.Getenv("HOME"), rest)
	}
	return dir
}

// readConfig reads ConfigFile in dir; none is an empty one.
func readConfig(dir string) (*config, error) {
	c := &config{}
	if dir == "" {
		return c, nil
	}
	path := filepath.Join(dir, ConfigFile)
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return c, nil
	}
	if err != nil {
		return nil, fault.Usage(err.Error())
	}
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	if err = dec.Decode(c); err == nil && dec.More() {
		err = errors.New("there is more text behind the object")
	}
	if err == nil {
		return c, nil
	}
	if errors.Is(err, io.EOF) {
		err = errors.New("the file is empty")
	}
	offset := min(dec.InputOffset(), int64(len(text)))
	if _, member, ok := strings.Cut(err.Error(), "unknown field "); ok { // found only when all of the object was read
		offset = int64(max(0, bytes.Index(text, []byte(member))))
	}
	line := 1 + bytes.Count(text[:offset], []byte("\n"))
	return nil, fault.Usage(fmt.Sprintf("%s:%d: %s", path, line, strings.TrimPrefix(err.Error(), "json: ")),
		`{"url": "postgres://anna@db.example/team", "as": "anna", "projects": {"/home/anna/work/shop": "shop"}}`)
}

// prices are the shipped ones and the user's own in dir.
func prices(dir string) (*cost.Prices, error) {
	if dir == "" {
		return cost.Shipped(), nil
	}
	path := filepath.Join(dir, "prices.json")
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return cost.Shipped(), nil
	}
	if err != nil {
		return nil, err
	}
	own, err := cost.Read(text)
	if err != nil {
		return nil, fault.Failed(path+": "+err.Error(), "mend the file, or remove it")
	}
	return cost.Shipped().With(own), nil
}

// target is the database.
func (o *options) target() (*postgres.Target, error) {
	if o.address == "" {
		return nil, fault.Usage("no database is named", "aburn push postgres://ROLE@HOST/DATABASE",
			`or "url" in `+filepath.Join(project.ConfigDir(o.Getenv), ConfigFile))
	}
	t, err := postgres.Parse(o.address)
	var refused *postgres.Refused
	if errors.As(err, &refused) {
		return nil, fault.Usage(refused.Msg, refused.Hint())
	}
	return t, err
}
