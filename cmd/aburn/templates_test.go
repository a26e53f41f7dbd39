package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"aburn/cmd/aburn/internal/setup"
	"aburn/cmd/internal/kit"
	"aburn/install"
	"aburn/internal/fault"
	"aburn/internal/lab/world"
	"aburn/templates"
)

// TestTemplatesSpeakOurLanguage runs every command line that a template shows, with its blanks filled in: a prompt that
// asks for an option that does not exist would fail in somebody's session.
func TestTemplatesSpeakOurLanguage(t *testing.T) {
	world.Slow(t)
	dir := t.TempDir()
	home := t.TempDir()
	env := func(name string) string { return map[string]string{"HOME": home}[name] }
	run := func(line string) (int, string) {
		var out bytes.Buffer
		a := &kit.App{Stdin: strings.NewReader(""), Stdout: &out, Stderr: &out, Getenv: env}
		code := run(context.Background(), a, append([]string{"aburn", "-C", dir}, shellWords(line)[1:]...))
		return code, out.String()
	}
	t.Setenv("HOME", home) // the mark of trust goes there
	t.Setenv("XDG_STATE_HOME", "")
	if code, out := run("aburn init"); code != fault.ExitOK {
		t.Fatal(out)
	}
	lines := 0
	for _, agent := range setup.Records(install.Agents()) {
		for _, tmpl := range templates.List() {
			for _, line := range commandLines(string(tmpl.Render(agent))) {
				lines++
				for _, path := range outputsOf(line) {
					path = filepath.Join(dir, path)
					os.MkdirAll(filepath.Dir(path), 0o755)
					if err := os.WriteFile(path, []byte("x"), 0o644); err != nil {
						t.Fatal(err)
					}
				}
				code, out := run(line)
				if wrong := code == fault.ExitUsage || strings.HasPrefix(line, "aburn log") && code != fault.ExitOK; wrong {
					t.Errorf("%s for %s: %s\nexit %d\n%s", tmpl.Name, agent.Name, line, code, out)
				}
			}
		}
	}
	if lines < 60 {
		t.Errorf("only %d command lines were found", lines)
	}
}

// commandLines finds the lines in code marks, in blocks and in !-lines, and fills in their blanks.
func commandLines(text string) []string {
	var lines []string
	for _, m := range regexp.MustCompile("(?m)`(aburn (?:log|chain) [^`]*)`|^ {0,4}(aburn (?:log|chain)\\b.*)$|<backquote>(aburn [^<]*)<").FindAllStringSubmatch(text, -1) {
		line := m[1] + m[2] + m[3]
		line, _, _ = strings.Cut(line, "  #")
		line = strings.TrimRight(strings.TrimSuffix(strings.TrimSpace(line), "…"), " ")
		line = regexp.MustCompile(`"<[^>]*>"`).ReplaceAllString(line, `"text"`)
		line = strings.ReplaceAll(line, "<n>", "3")
		line = regexp.MustCompile(`<[^>]*>`).ReplaceAllString(line, "x")
		if len(shellWords(line)) > 2 || strings.HasPrefix(line, "aburn chain") {
			lines = append(lines, line)
		}
	}
	return lines
}

// outputsOf is what stands behind --output.
func outputsOf(line string) []string {
	var paths []string
	all := shellWords(line)
	for i, w := range all[:len(all)-1] {
		if w == "--output" {
			paths = append(paths, all[i+1])
		}
	}
	return paths
}

// shellWords splits a line as a shell would that knows only double quotes.
func shellWords(line string) []string {
	var all []string
	for _, w := range regexp.MustCompile(`"[^"]*"|\S+`).FindAllString(line, -1) {
		all = append(all, strings.Trim(w, `"`))
	}
	return all
}
