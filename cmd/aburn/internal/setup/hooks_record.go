package setup

import (
	"errors"
	"path/filepath"

	"github.com/urfave/cli/v3"

	"aburn/cmd/aburn/internal/scope"
	"aburn/cmd/internal/kit"
	"aburn/install"
	"aburn/internal/fault"
	"aburn/internal/project"
	"aburn/internal/settings"
	"aburn/internal/term"
)

// chooseRecord settles which projects hooks record: by --record, else by a question that comes only once, because its answer is saved. Only
// hooks in the user's own settings are asked about. Where nobody can be asked, the setting stays as it is.
func chooseRecord(a *kit.App, cmd *cli.Command, out *term.Out, o install.Options) error {
	if cmd.Bool("dry-run") {
		return nil
	}
	to := settings.Record(cmd.String("record"))
	if to == "" {
		saved, err := install.OwnRecord(a.Getenv)
		if err != nil || saved != "" || o.Scope != "" && o.Scope != install.User || cmd.Bool("yes") || cmd.Bool("json") || !a.CanAsk(cmd) ||
			scope.AgentTitle(a.Getenv) != "" {
			return nil // a file that doesn't parse is reported by whatever reads it
		}
		if to = settings.RecordMarked; a.Confirm(recordQuestion(a, o)) {
			to = settings.RecordEverywhere
		}
	}
	if err := install.SetRecord(a.Getenv, to); err != nil {
		syntax := (*install.SyntaxError)(nil)
		if errors.As(err, &syntax) {
			return fault.Failed(err.Error(), "the hooks are installed; repair this file to change record")
		}
		return fault.Failed(err.Error())
	}
	if !cmd.Bool("json") {
		term.Paragraph(out, 0, "", `saved "record": "`+string(to)+`" in `+project.Tilde(filepath.Join(project.ConfigDir(a.Getenv), settings.File), a.Getenv))
	}
	return nil
}

// recordQuestion asks with the project that is recorded in any case.
func recordQuestion(a *kit.App, o install.Options) string {
	if root, err := install.ProjectRoot(o.Dir, a.Getenv); err == nil {
		return "Record each git repository that you work in, not only " + filepath.Base(root) + "?"
	}
	return "Record each git repository that you work in, without running aburn init there?"
}
