package setup

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"

	"github.com/urfave/cli/v3"

	"aburn/cmd/internal/kit"
	"aburn/install"
	"aburn/internal/fault"
	"aburn/internal/plain"
	"aburn/internal/scrub"
	"aburn/internal/term"
)

// applyChange shows a change to settings files, asks, and applies it. Without a terminal it applies only with --yes. It returns false if the person refused.
//
// A question follows a summary, and the patch where somebody wants it: the hooks of two agents are two screens of patch.
// Where nobody is asked, the patch is what is left to read. first is shown before the question.
func applyChange(ctx context.Context, a *kit.App, cmd *cli.Command, c *install.Change, first func()) (bool, error) {
	quiet := cmd.Bool("json")
	asks := !c.Nothing() && !cmd.Bool("yes") && !cmd.Bool("dry-run")
	if asks && (quiet || !a.CanAsk(cmd)) {
		if !quiet {
			showDiff(a, a.Screen(cmd), c)
		}
		return false, fault.Usage(cmd.Name+" asks before it changes settings, but there is no terminal: nothing was changed",
			cmd.FullName()+" --dry-run shows the change", "pass --yes to skip the question")
	}
	if !quiet && (!asks || cmd.Bool("diff")) {
		showDiff(a, a.Screen(cmd), c)
	}
	if c.Nothing() && cmd.Name == "install-hooks" || cmd.Bool("dry-run") {
		return true, nil
	}
	if asks && !confirmChange(a, a.Screen(cmd), c, first) {
		fmt.Fprintln(a.Stdout, "Nothing was changed.")
		return false, fault.Exit(fault.ExitFailed)
	}
	done, err := c.Apply()
	for _, line := range done.Init.Found() {
		a.Warn(plain.Line(line))
	}
	if err == nil && c.Tell != nil {
		err = c.Tell.Run(ctx)
	}
	if err == nil {
		forgetTrust(ctx, a, cmd, c)
		return true, nil
	}
	hints := placeHints(err)
	if len(done.Files) > 0 {
		hints = append(hints, "done before that: "+strings.Join(done.Files, ", "))
	}
	return false, fault.Failed(err.Error(), hints...)
}

// placeHints say what a person can do about a place that takes no files. The error names it.
func placeHints(err error) []string {
	switch {
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return []string{"the disk is full: free some space and try again; the file is unchanged"}
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return []string{"you need permission to write there; the file is unchanged"}
	}
	return nil
}

// forgetTrust has the agents take out their records of trust in hooks that are gone. What stays is harmless.
func forgetTrust(ctx context.Context, a *kit.App, cmd *cli.Command, c *install.Change) {
	for _, f := range c.Trust {
		stays := func(why string) {
			a.Warn(fmt.Sprintf("%s still has %s of trust in %s: %s", f.Agent.Title, plain.Plural(int64(f.Count()), "record"), f.File, why),
				"they have no effect without the hooks")
		}
		program := f.Agent.Executable(a.Getenv)
		if program == "" {
			stays("no " + f.Agent.Program + " on PATH")
			continue
		}
		dir, err := kit.Folder(cmd)
		if err == nil {
			err = f.Run(ctx, program, dir)
		}
		if err != nil {
			stays(err.Error())
			continue
		}
		if !cmd.Bool("json") {
			fmt.Fprintf(a.Stdout, "%s removed its %s of trust in them from %s\n", f.Agent.Title, plain.Plural(int64(f.Count()), "record"), plain.Line(f.File))
		}
	}
}

// showDiff prints the change as a patch, without secrets: its lines come from settings files.
func showDiff(a *kit.App, out *term.Out, c *install.Change) {
	for _, l := range c.Diff() {
		text, _ := scrub.Text(plain.Line(strings.TrimSuffix(l.Text, "\r")))
		style := term.Plain
		switch l.Op {
		case 'f':
			style = term.Bold
		case '@':
			style = term.Cyan
		case '+':
			style = term.Green
		case '-':
			style = term.Red
		}
		if l.Op != 'f' && l.Op != '@' {
			text = string(l.Op) + text
		}
		fmt.Fprintln(out, out.Paint(style, text))
	}
	showBeside(out, c)
}

// showBeside says what a change does outside of the settings files.
func showBeside(out *term.Out, c *install.Change) {
	if c.Tell != nil {
		fmt.Fprintf(out, "aburn runs %s\n", plain.Line(c.Tell.String()))
	}
	for _, f := range c.Trust {
		fmt.Fprintf(out, "%s removes its %s of trust in them from %s\n", f.Agent.Title, plain.Plural(int64(f.Count()), "record"), plain.Line(f.File))
	}
	if c.Copy != nil {
		fmt.Fprintf(out, "aburn and aburn-hook are copied from %s to %s, where no package manager moves them\n", plain.Line(c.Copy.From), plain.Line(c.Copy.To))
	}
	if c.Place != "" {
		fmt.Fprintf(out, "aburn removes its copies of itself from %s\n", plain.Line(c.Place))
	}
	if c.Init != "" {
		fmt.Fprintf(out, "you trust %s on this machine from now on\n", plain.Line(c.Init))
	}
}

// warnNotes warns of what prevents the hooks, or an exact removal.
func warnNotes(a *kit.App, c *install.Change) {
	for _, f := range c.Files {
		for _, n := range f.Notes {
			if !strings.Contains(n, f.Path) {
				n = f.Path + ": " + n
			}
			a.Warn(n)
		}
	}
	for _, n := range c.Notes {
		a.Warn(n)
	}
}

func hookJSON(a *kit.App, c *install.Change) error {
	type file struct {
		Agent   string        `json:"agent"`
		Scope   install.Scope `json:"scope"`
		Path    string        `json:"path"`
		Server  bool          `json:"mcp,omitempty"`
		Changed bool          `json:"changed"`
		Removed bool          `json:"removed,omitempty"`
		Exact   bool          `json:"exact,omitempty"`
		Hook    string        `json:"hook,omitempty"`
		Notes   []string      `json:"notes,omitempty"`
	}
	out := struct {
		Files []file   `json:"files"`
		Codex string   `json:"codex,omitempty"` // the command that its program ran; no other agent has one
		Init  string   `json:"init,omitempty"`
		Copy  string   `json:"copy,omitempty"`  // the folder to which aburn and aburn-hook were copied
		Place string   `json:"place,omitempty"` // the folder from which those copies were removed
		Notes []string `json:"notes,omitempty"`
	}{Files: []file{}, Init: c.Init, Place: c.Place, Notes: c.Notes}
	if c.Copy != nil {
		out.Copy = c.Copy.To
	}
	if c.Tell != nil {
		out.Codex = c.Tell.String()
	}
	for _, f := range c.Files {
		out.Files = append(out.Files, file{f.Agent.Name, f.Scope, f.Path, f.Server, !f.Same(), f.Remove, f.Exact, f.Hook, f.Notes})
	}
	return a.PrintJSON(out)
}
