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

// confirmChange shows what would change, file by file, and asks. After the patch it shows that again: by then the summary has
// scrolled away. first is shown before the question.
func confirmChange(a *kit.App, out *term.Out, c *install.Change, first func()) bool {
	summarise(a, out, c)
	first()
	return a.ConfirmOr("Write these changes?", "diff", func() {
		showDiff(a, out, c)
		fmt.Fprintln(out)
		summarise(a, out, c)
		first()
	})
}

// summarise has a line for each file of a change. No path is cut.
func summarise(a *kit.App, out *term.Out, c *install.Change) {
	var calls []string
	changed, exact := 0, 0
	for _, f := range c.Files {
		if f.Same() {
			continue
		}
		changed++
		if f.Exact {
			exact++
		}
		fmt.Fprintf(out, "%s for %s in %s%s\n", inWords(f.Summary()), f.Agent.Title, out.Paint(term.Bold, plain.Line(fileName(a, &f))), fateOf(&f))
		if f.Hook != "" && !f.Server && !slices.Contains(calls, project.Tilde(f.Hook, a.Getenv)) {
			calls = append(calls, project.Tilde(f.Hook, a.Getenv))
		}
	}
	switch {
	case len(calls) > 0:
		term.Paragraph(out, 0, "", "The hooks call "+list(calls)+". Nothing else in these files changes.")
	case changed > 0 && changed == exact:
		fmt.Fprintln(out, "Each file will be byte for byte as before the install.")
	}
	if made := c.Made(); len(made) > 0 {
		term.Paragraph(out, 0, "", "New project: "+project.Tilde(c.Init, a.Getenv)+" gets "+list(made)+" in "+project.OssDir+".")
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

// fateOf says whether a file is made or removed as a whole.
func fateOf(f *install.FileChange) string {
	switch {
	case f.Remove:
		return " (removes the file)"
	case !f.Exists:
		return " (new file)"
	}
	return ""
}

// inWords is what of aburn's comes and goes: +17 hooks and a status line.
func inWords(s install.Summary) string {
	var parts []string
	for _, p := range []struct {
		verb string
		install.Parts
	}{{"+", s.Adds}, {"updates ", s.Renews}, {"-", s.Takes}} {
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
