package instrument

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"aburn/instrument/rules"
	"aburn/internal/run"
	"aburn/internal/scrub"
)

// Linter is the project's own ESLint. A nil one finds nothing.
type Linter struct {
	Dir  string
	Line []string // the program and its first arguments
	Env  []string
}

// FindLinter finds the ESLint that is installed in dir, without starting it; nil if
// there is none.
func FindLinter(dir string, environ []string) *Linter {
	bin := installedBin(dir, "eslint")
	if bin == "" {
		return nil
	}
	return &Linter{dir, []string{"node", bin}, environ}
}

// installedBin is the program of a package in node_modules, by its name; "" if it is
// not there.
func installedBin(dir, name string) string {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return ""
	}
	defer root.Close()
	folder := "node_modules/" + name
	m, err := readManifest(root, folder)
	if err != nil {
		return ""
	}
	var bin string
	if json.Unmarshal(m.Bin, &bin) != nil {
		var named map[string]string
		_ = json.Unmarshal(m.Bin, &named)
		bin = named[name]
	}
	bin = path.Join(folder, bin)
	if st, err := root.Stat(filepath.FromSlash(bin)); err != nil || !st.Mode().IsRegular() || !strings.HasPrefix(bin, folder+"/") {
		return ""
	}
	return bin
}

// judge says what ESLint finds in after, and did not find in before. why is what went
// wrong: then nothing is found.
func (l *Linter) judge(ctx context.Context, name string, before, after []byte, levels map[string]rules.Severity) (list []rules.Finding, why string) {
	if l == nil || levels["LINT"] == rules.Off {
		return nil, ""
	}
	was, err := l.messages(ctx, name, before)
	var now []rules.LintMessage
	if err == nil {
		now, err = l.messages(ctx, name, after)
	}
	if err != nil {
		return nil, "ESLint failed, so the file was not linted: " + err.Error()
	}
	if slices.ContainsFunc(was, func(m rules.LintMessage) bool { return m.Fatal }) {
		return nil, "ESLint does not parse the file as it was, so it was not linted"
	}
	return rules.Lint(name, was, now, levels), ""
}

// messages is what ESLint says of a text as if it stood in a file: its configuration
// depends on the path.
func (l *Linter) messages(ctx context.Context, name string, source []byte) ([]rules.LintMessage, error) {
	r, err := run.Do(ctx, run.Program{
		Argv: append(append([]string{}, l.Line...), "--format", "json", "--stdin", "--stdin-filename", name), Dir: l.Dir, Env: run.Clean(l.Env),
		Stdin: bytes.NewReader(source), Timeout: formatTime, Output: 4 << 20,
	})
	switch {
	case err != nil:
		return nil, err
	case r.Code > 1: // 1: there are errors in the file
		return nil, fmt.Errorf("exit code %d: %s", r.Code, firstLine(r.Stderr))
	}
	return lintMessages(r.Stdout)
}

func lintMessages(out []byte) ([]rules.LintMessage, error) {
	var files []struct {
		Messages []rules.LintMessage `json:"messages"`
	}
	if err := json.Unmarshal(out, &files); err != nil || len(files) != 1 {
		return nil, errors.New("it printed no JSON of one file")
	}
	for i, m := range files[0].Messages {
		files[0].Messages[i].Message, _ = scrub.Text(m.Message) // a rule may quote the code
	}
	return files[0].Messages, nil
}
