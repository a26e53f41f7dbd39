// Package debug is `aburn debug`: it collects what a bug report needs into one file, without texts of sessions and without secrets.
//
// Invariants:
//   - No prompt, command, output, path below the home folder, task or message gets into a bundle: of entries and settings only
//     structure, numbers and words of fixed sets.
//   - Whatever gets in is scrubbed, and values of variables that are named like secrets are taken out wherever they are.
//   - What a bundle holds is listed before it is written. It is written where the user says, and sent nowhere.
package debug

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/urfave/cli/v3"

	"aburn/cmd/internal/kit"
	"aburn/internal/fault"
	"aburn/internal/plain"
)

// Command is `aburn debug`.
func Command(a *kit.App) *cli.Command {
	return &cli.Command{
		Name:  "debug",
		Usage: "collect a scrubbed bundle for a bug report",
		Description: "Collects versions, doctor's answer, settings, the newest entries of the log, workers' ledgers and aburn's own\n" +
			"logs into a zip file, and lists exactly what is in it before it writes it. The bundle has no prompt, command,\n" +
			"output, task or message: of entries and settings it keeps structure, numbers and fixed words. The rest is\n" +
			"scrubbed. Nothing is sent. Look into the file before you attach it.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Usage: "the zip `FILE` to write (default: aburn-debug-TIME.zip here)", TakesFile: true},
			&cli.IntFlag{Name: "entries", Usage: "how many of the log's newest `N` entries", Value: 200},
			&cli.BoolFlag{Name: "dry-run", Usage: "list what would be in it, and write nothing"},
			kit.JSONFlag(),
		},
		ArgValidator: kit.NoArguments,
		Metadata:     kit.Examples("aburn debug", "aburn debug --dry-run", "aburn debug --output ~/aburn.zip --json"),
		Action:       a.Action(run),
	}
}

// mostEntries is how many entries a bundle may hold: a report that nobody can read helps nobody.
const mostEntries = 10_000

func run(ctx context.Context, a *kit.App, cmd *cli.Command) error {
	if n := cmd.Int("entries"); n < 0 || n > mostEntries {
		return fault.Usage(fmt.Sprintf("--entries: a number from 0 to %d", mostEntries), "aburn debug --entries 500")
	}
	now := time.Now()
	path := cmd.String("output")
	if path == "" {
		path = "aburn-debug-" + now.Format("20060102-150405") + ".zip"
	}
	dir, err := kit.Folder(cmd)
	if err != nil {
		return err
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	b, err := collect(ctx, a, dir, cmd.Int("entries"), now)
	if err != nil {
		return fault.Failed("the bundle cannot be made: " + err.Error())
	}
	if cmd.Bool("dry-run") {
		path = ""
	}
	if !cmd.Bool("json") {
		list(a, b, path)
	}
	if path != "" {
		if err := save(b, path, now); err != nil {
			return err
		}
	}
	if cmd.Bool("json") {
		return a.PrintJSON(struct {
			File    string `json:"file,omitempty"`
			Parts   []Part `json:"parts"`
			Secrets int    `json:"secrets_removed"`
		}{path, b.Parts, b.Secrets})
	}
	if path != "" {
		_, err = fmt.Fprintf(a.Stdout, "written: %s\n", plain.Line(path))
	}
	return err
}

// list prints what a bundle holds.
func list(a *kit.App, b *bundle, path string) {
	fmt.Fprintln(a.Stdout, "The bundle has no prompt, command, output, task or message. Exactly this is in it:")
	total := 0
	for _, p := range b.Parts {
		total += p.Bytes
		fmt.Fprintf(a.Stdout, "  %s  %s  %s\n", plain.Pad(p.Name, 22), plain.Pad(fmt.Sprintf("%d bytes", p.Bytes), 13), p.About)
	}
	fmt.Fprintf(a.Stdout, "%d files, %d bytes; %s taken out\n", len(b.Parts), total, plain.Plural(int64(b.Secrets), "secret"))
}

// save writes the bundle for this user alone. It replaces nothing.
func save(b *bundle, path string, now time.Time) error {
	var data bytes.Buffer
	if err := b.write(&data, now); err != nil {
		return fault.Failed("the bundle cannot be made: " + err.Error())
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return fault.Failed(plain.Line(path)+" exists already", "aburn debug --output ANOTHER.zip")
	}
	if err != nil {
		return fault.Failed(err.Error())
	}
	_, err = f.Write(data.Bytes())
	if err = errors.Join(err, f.Close()); err != nil {
		os.Remove(path)
		return fault.Failed(err.Error())
	}
	return nil
}
