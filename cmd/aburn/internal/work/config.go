package work

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v3"

	"aburn/cmd/internal/kit"
	"aburn/internal/plain"
	"aburn/internal/project"
	"aburn/worker/config"
)

func ConfigCommand(a *kit.App) *cli.Command {
	return &cli.Command{
		Name:  "config",
		Usage: "what aburn.yaml and your workers.yaml say about workers",
		Description: "Your own file is workers.yaml in the folder of aburn's settings. A project's is aburn.yaml at its root or beside it, or\n" +
			"agent-orchestrator.yaml where there is none.",
		Metadata: kit.Examples("aburn config check"),
		Commands: []*cli.Command{configCheckCommand(a), configConfirmCommand(a)},
	}
}

func configCheckCommand(a *kit.App) *cli.Command {
	return &cli.Command{
		Name:  "check",
		Usage: "what counts, where it is said, and what was left out and why",
		Description: "A repository's file may say names, bases, ports and what is copied. What it would run counts once you confirmed exactly\n" +
			"that text. Addresses, and what lifts a fence, count only from your own file.\n\n" +
			"Exit code: 0 if the files can be read, 2 if there is a mistake in one.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "from", Usage: "read only `FILE`, in aburn's form or as agent-orchestrator.yaml, as if it were the project's", TakesFile: true},
			kit.JSONFlag(),
		},
		Metadata: kit.Examples("aburn config check", "aburn config check --from ../agent-orchestrator.yaml"),
		Action:   a.Action(runConfigCheck),
	}
}

func configConfirmCommand(a *kit.App) *cli.Command {
	return &cli.Command{
		Name:        "confirm",
		Usage:       "let the project's file run what `aburn config check` showed",
		ArgsUsage:   "HASH",
		Description: "HASH stands for exactly the text that was shown. A change of the text asks again.",
		ArgValidator: func(_ context.Context, cmd *cli.Command) error {
			if cmd.NArg() != 1 || len(cmd.Args().First()) < 8 {
				return kit.UsageError("name the hash, or its first 8 digits", "aburn config check")
			}
			return nil
		},
		Metadata: kit.Examples("aburn config confirm 3f2c1aa0"),
		Action:   a.Action(runConfigConfirm),
	}
}

// accepted is the file with hashes of texts that the person confirmed for this project.
func (o *office) accepted() string { return filepath.Join(o.Store.Dir, "confirmed") }

// config is what counts for the project.
func (o *office) config(a *kit.App, only string) (*config.Config, error) {
	root := o.Root
	p := config.Places{
		Root: root, User: config.UserFile(project.ConfigDir(a.Getenv)), Only: only, Home: a.Getenv("HOME"), Accepted: config.Accepted(o.accepted()),
	}
	c, err := config.Load(p)
	var m *config.Mistake
	switch {
	case errors.As(err, &m):
		var hints []string
		if m.Word != "" {
			hints = kit.DidYouMean(m.Word, m.Known)
		}
		return nil, kit.UsageError(plain.Line(m.Error()), append(hints, "aburn config check")...)
	case errors.Is(err, fs.ErrNotExist):
		return nil, kit.UsageError(err.Error())
	}
	return c, err
}

func runConfigCheck(_ context.Context, a *kit.App, cmd *cli.Command) error {
	if cmd.NArg() > 0 {
		return kit.UsageError("config check takes no names", "--from FILE")
	}
	o, err := openOffice(a, cmd)
	if err != nil {
		return err
	}
	defer o.close()
	only := cmd.String("from")
	if only != "" {
		only = kit.InFolder(o.dir, only)
	}
	c, err := o.config(a, only)
	if err != nil {
		return err
	}
	if cmd.Bool("json") {
		return a.PrintJSON(c)
	}
	return configText(a, cmd, o, c)
}

// relative is a path as seen from the project, where that is shorter.
func (o *office) relative(path string) string {
	if rel, err := filepath.Rel(o.Root, path); err == nil && len(rel) < len(path) {
		return rel
	}
	return path
}

func configText(a *kit.App, cmd *cli.Command, o *office, c *config.Config) error {
	out := a.Screen(cmd)
	if len(c.Files) == 0 {
		_, err := fmt.Fprintln(out, "no file says anything: "+config.UserFile(project.ConfigDir(a.Getenv))+", "+filepath.Join(o.Root, "aburn.yaml"))
		return err
	}
	width, later := 0, false
	for _, s := range c.Settings {
		width = max(width, len(s.Key))
	}
	for _, s := range c.Settings {
		value, _ := json.Marshal(s.Value)
		if text, ok := s.Value.(string); ok {
			value = []byte(text)
		}
		line := fmt.Sprintf("%-*s  %s  (%s:%d", width, s.Key, plain.Cut(plain.Line(string(value)), 80), o.relative(s.File), s.Line)
		if s.Said != "" {
			line += ", " + s.Said
		}
		if line += ")"; s.Use == "" {
			line, later = line+" *", true
		}
		fmt.Fprintln(out, plain.Line(line))
	}
	if later {
		fmt.Fprintln(out, "* nothing uses it yet")
	}
	if len(c.LeftOut) > 0 {
		fmt.Fprintln(out, "Left out:")
	}
	for _, l := range c.LeftOut {
		fmt.Fprintln(out, plain.Line(fmt.Sprintf("  %s (%s:%d): %s", l.Key, o.relative(l.File), l.Line, l.Why)))
	}
	if c.Confirm == "" {
		return nil
	}
	fmt.Fprintln(out, "Waits for your word, as it would run or be told to an agent:")
	for _, text := range c.Texts {
		fmt.Fprintln(out, "  "+plain.Line(text))
	}
	a.Hint("aburn config confirm " + c.Confirm[:8])
	return nil
}

func runConfigConfirm(_ context.Context, a *kit.App, cmd *cli.Command) error {
	if err := personOnly(a, "confirm what a repository would run"); err != nil {
		return err
	}
	o, err := openOffice(a, cmd)
	if err != nil {
		return err
	}
	defer o.close()
	c, err := o.config(a, "")
	if err != nil {
		return err
	}
	want := strings.ToLower(cmd.Args().First())
	switch {
	case c.Confirm == "":
		return kit.BadNews("nothing waits for your word", "aburn config check")
	case !strings.HasPrefix(c.Confirm, want):
		return kit.BadNews("the text is another one by now", "aburn config check")
	}
	if err := os.MkdirAll(o.Store.Dir, 0o700); err != nil {
		return kit.BadNews(err.Error())
	}
	f, err := os.OpenFile(o.accepted(), os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err == nil {
		_, err = f.WriteString(c.Confirm + "\n") // one text a project: an older one does not count again
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		return kit.BadNews(err.Error())
	}
	for _, text := range c.Texts {
		fmt.Fprintln(a.Stdout, plain.Line("counts now: "+text))
	}
	return nil
}
