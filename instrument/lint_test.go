package instrument

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"aburn/instrument/rules"
	"aburn/internal/lab/world"
)

// A stand-in for ESLint: it counts lines, forbids tracers, and fails where it is told to.
const linting = `let s = ''
if (process.argv.slice(2).join(' ') !== '--format json --stdin --stdin-filename a.mjs') throw new Error('called as ' + process.argv)
process.stdin.on('data', (d) => s += d).on('end', () => {
  const messages = [{ ruleId: 'max-lines', severity: 2, message: 'File has ' + s.split('\n').length + ' lines.', line: 1, column: 1 }]
  s.split('\n').forEach((l, i) => { if (l.includes('getTracer')) messages.push({ ruleId: 'no-tracer', severity: SEVERITY, message: 'No tracers here.', line: i + 1, column: 3 }) })
  process.stdout.write(JSON.stringify([{ filePath: 'a.mjs', messages }]))
  process.exitCode = 1
})`

// What the project's linter finds anew keeps the file from being written; what it found before, or only warns of, does not.
func TestTheLinter(t *testing.T) {
	world.Slow(t)
	if _, err := exec.LookPath("node"); err != nil {
		t.Skip("needs node")
	}
	for _, tt := range []struct {
		name, script string
		level        rules.Severity
		status       Status
		want         string
	}{
		{"an error", strings.Replace(linting, "SEVERITY", "2", 1), "", Failed, "the project's linter refuses it: ESLint: No tracers here. (no-tracer)"},
		{"a warning", strings.Replace(linting, "SEVERITY", "1", 1), "", Success, "ESLint: No tracers here."},
		{"an error, advisory by the configuration", strings.Replace(linting, "SEVERITY", "2", 1), rules.Advisory, Success, "ESLint: No tracers here."},
		{"a secret", strings.NewReplacer("SEVERITY", "2", "No tracers here", "'+'sk-ant-'+'api03-'+'aB3dE5'.repeat(16)+'").Replace(linting), "", Failed,
			"ESLint: [redacted:"},
		{"off", "require('fs').writeFileSync('started', '')", rules.Off, Success, ""},
		{"it does not parse",
			"process.stdout.write(JSON.stringify([{ messages: [{ ruleId: null, fatal: true, severity: 2, message: 'Parsing error: ' + Math.random(), line: 1 }] " +
				"}])); process.exitCode = 1", "", Success, "ESLint does not parse the file as it was, so it was not linted"},
		{"it fails", "process.exit(2)", "", Success, "ESLint failed, so the file was not linted: exit code 2"},
		{"it prints something else", "console.log('hello')", "", Success, "it printed no JSON of one file"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := folder(t, map[string]string{"a.mjs": placing, "node_modules/eslint/package.json": `{"bin": {"eslint": "./bin.cjs"}}`,
				"node_modules/eslint/bin.cjs": tt.script})
			l := FindLinter(dir, os.Environ())
			if l == nil || strings.Join(l.Line, " ") != "node node_modules/eslint/bin.cjs" {
				t.Fatalf("%+v", l)
			}
			r := work(t, Applying{Dir: dir, Plan: &Plan{[]Planned{placed("a.mjs")}}, Linter: l, Config: Config{Rules: map[string]rules.Severity{"LINT": tt.level}}})
			f := r.Files[0]
			said := []string{f.Reason, strings.Join(f.Notes, "\n")}
			for _, a := range f.Advisory {
				said = append(said, a.Message)
			}
			if f.Status != tt.status || !strings.Contains(strings.Join(said, "\n"), tt.want) || (f.Status == Failed) != (f.After == nil) {
				t.Errorf("%s: %s, want %s and %s", f.Status, said, tt.status, tt.want)
			}
			if _, err := os.Stat(filepath.Join(dir, "started")); err == nil {
				t.Error("it was started")
			}
			if after, err := os.ReadFile(filepath.Join(dir, "a.mjs")); err != nil || string(after) != placing {
				t.Error("the linter's file was written", err)
			}
		})
	}
}
