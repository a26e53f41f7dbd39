package projects

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"aburn/internal/fault"
	"aburn/internal/plain"
	"aburn/internal/project"
	"aburn/internal/shell"
	"aburn/worker/config"
	"aburn/worker/manager"
	"aburn/worker/tree"
)

// RulesFile is a file of the repository's that tells workers what to heed. It is read from the commit that they begin at, not
// from a tree that an agent edits.
type RulesFile struct {
	Path   string `json:"path"`
	Text   string `json:"text"`
	SHA256 string `json:"sha256"`
	Counts bool   `json:"counts"` // the person named it in a file of their own, or confirmed exactly this text
}

const (
	usualRules = ".agent-rules.md" // read where no file names another one
	maxRules   = 16 << 10          // bytes: it becomes part of a command line
)

// rulesFile is the project's rules file as of a commit, nil if it has none.
func (o *Project) rulesFile(ctx context.Context, c *config.Config, repo *tree.Repo, at string) (*RulesFile, error) {
	named := c.Word("rules_file")
	path := named
	if named == "" {
		path = usualRules
	}
	if !filepath.IsLocal(path) {
		return nil, fault.Usage("rules_file: "+fault.Quote(path)+" does not stay below the root of the project", c.Where("rules_file"))
	}
	if below, err := filepath.Rel(repo.Root, o.Root); err == nil && filepath.IsLocal(below) {
		path = filepath.Join(below, path)
	}
	text, err := repo.FileAt(ctx, at, filepath.ToSlash(path), maxRules)
	switch {
	case errors.Is(err, fs.ErrNotExist) && named == "":
		return nil, nil
	case errors.Is(err, fs.ErrNotExist):
		return nil, fault.Usage("rules_file: "+fault.Quote(path)+" is in no commit that the worker begins at", "git add "+shell.Quote(path)+", and commit",
			c.Where("rules_file"))
	case err != nil:
		return nil, fault.Usage(plain.Line(path)+": "+err.Error(), "at most "+plain.Size(maxRules)+" of rules can be told to an agent")
	case !utf8.ValidString(text):
		return nil, fault.Usage(plain.Line(path) + " is not UTF-8")
	}
	r := &RulesFile{Path: path, Text: strings.TrimSpace(plain.ModelText(strings.ReplaceAll(text, "\r\n", "\n")))}
	if r.Text == "" {
		return nil, nil
	}
	sum := sha256.Sum256([]byte(r.Path + "\n" + r.Text))
	r.SHA256 = hex.EncodeToString(sum[:])
	own := config.UserFile(project.ConfigDir(o.Env))
	mine := slices.ContainsFunc(c.Settings, func(s config.Setting) bool { return s.Key == "rules_file" && s.File == own })
	r.Counts = mine || config.Accepted(o.AcceptedRules())(r.SHA256)
	return r, nil
}

// AcceptedRules is the file with the hash of the rules file that the person confirmed for this project.
func (o *Project) AcceptedRules() string { return filepath.Join(o.Store.Dir, "confirmed-rules") }

// AddRules puts the rules file of a commit behind the rules of the configuration, if it counts.
func (o *Project) AddRules(ctx context.Context, a fault.Reporter, repo *tree.Repo, rules *string, at string) error {
	c, err := o.Config("")
	if err != nil {
		return err
	}
	r, err := o.rulesFile(ctx, c, repo, at)
	switch {
	case err != nil || r == nil:
		return err
	case !r.Counts:
		a.Warn("the agent is not told what "+plain.Line(r.Path)+" says, as you have not confirmed it", "aburn config check")
		return nil
	}
	*rules = strings.TrimSpace(*rules + "\n\nFrom " + plain.Line(r.Path) + ":\n" + r.Text)
	return nil
}

// RulesAgain is AddRules for a worker that goes on: what is wrong with the file keeps it from nothing.
func (o *Project) RulesAgain(ctx context.Context, a fault.Reporter, repo *tree.Repo, m *manager.Member, p *manager.Plan) {
	at, err := repo.Commit(ctx, m.Base())
	if err != nil {
		return
	}
	if err := o.AddRules(ctx, a, repo, &p.Rules, at); err != nil {
		f := fault.Of(err)
		a.Warn(f.Msg, f.Hints...)
	}
}

// CheckRules is the rules file as `aburn config check` shows it; nil where there is none, or no repository.
func (o *Project) CheckRules(ctx context.Context, c *config.Config) (*RulesFile, error) {
	repo, err := tree.Open(ctx, o.Dir, o.Environ)
	if err != nil {
		return nil, nil
	}
	base := c.Word("base")
	if base == "" {
		base = "HEAD"
	}
	at, err := repo.Commit(ctx, base)
	if err != nil {
		return nil, nil
	}
	return o.rulesFile(ctx, c, repo, at)
}
