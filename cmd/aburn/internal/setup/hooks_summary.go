package setup

import (
	"fmt"
	"slices"
	"strings"

	"aburn/cmd/internal/kit"
	"aburn/install"
	"aburn/internal/plain"
	"aburn/internal/project"
	"aburn/internal/term"
)

// confirmChange says what would be done, file by file, and asks. After the patch it says so again: by then the summary has
// scrolled away.
func confirmChange(a *kit.App, out *term.Out, c *install.Change) bool {
	summarise(a, out, c)
	return a.ConfirmOr("do this?", "diff", func() {
		showDiff(a, out, c)
		fmt.Fprintln(out)
		summarise(a, out, c)
	})
}

// summarise names each file of a change, and what happens to it. No path is cut.
func summarise(a *kit.App, out *term.Out, c *install.Change) {
	t := term.Table{Columns: make([]term.Column, 3)}
	var calls []string
	for _, f := range c.Files {
		if f.Same() {
			continue
		}
		s := f.Summary()
		t.AddCells(term.Cell{Text: fileName(a, &f), Style: term.Bold}, sizeCell(&f, s), term.Cell{Text: f.Agent.Title + ": " + inWords(s)})
		if f.Hook != "" && !f.Server && !slices.Contains(calls, project.Tilde(f.Hook, a.Getenv)) {
			calls = append(calls, project.Tilde(f.Hook, a.Getenv))
		}
	}
	if n := len(t.Rows); n > 0 {
		fmt.Fprintf(out, "%s would change:\n", plain.Plural(int64(n), "settings file"))
		_ = t.Print(out, 2)
	}
	switch {
	case len(calls) > 0:
		term.HangingParagraph(out, 0, "", plain.Line("the hooks call "+list(calls)+"; all else in these files stays"))
	case len(t.Rows) > 0 && !slices.ContainsFunc(c.Files, func(f install.FileChange) bool { return !f.Same() && !f.Exact }):
		fmt.Fprintln(out, "byte for byte as before the install")
	}
	if made := c.Made(); len(made) > 0 {
		term.HangingParagraph(out, 0, "", plain.Line("and make "+project.Tilde(c.Init, a.Getenv)+" a project: "+list(made)+" in its "+project.OssDir))
	}
	showBeside(out, c)
}

// fileName is the file as the agent names it, and where that leads if it is a link.
func fileName(a *kit.App, f *install.FileChange) string {
	name := project.Tilde(f.Path, a.Getenv)
	if f.Real != f.Path && f.Real != "" {
		name += " → " + project.Tilde(f.Real, a.Getenv)
	}
	return name
}

func sizeCell(f *install.FileChange, s install.Summary) term.Cell {
	switch {
	case f.Remove:
		return term.Cell{Text: "removed", Style: term.Red}
	case !f.Exists:
		return term.Cell{Text: "new", Style: term.Green}
	}
	return term.Cell{Text: fmt.Sprintf("+%d -%d lines", s.Added, s.Removed)}
}

// inWords is what of aburn's comes and goes.
func inWords(s install.Summary) string {
	var parts []string
	for _, p := range []struct {
		verb string
		install.Parts
	}{{"adds ", s.Adds}, {"brings up to date ", s.Renews}, {"removes ", s.Takes}} {
		things := p.Others
		if p.Hooks > 0 {
			things = slices.Insert(slices.Clone(things), 0, plain.Plural(int64(p.Hooks), "hook"))
		}
		if len(things) > 0 {
			parts = append(parts, p.verb+list(things))
		}
	}
	return strings.Join(parts, ", ")
}
