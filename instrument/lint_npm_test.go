package instrument

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"aburn/instrument/rules"
	"aburn/internal/lab/world"
)

// linters are releases of npm that are in use, each with a Prettier of its time. The one for few is the first.
var linters = []struct{ eslint, prettier string }{{"9.39.1", "3.10.1"}, {"8.57.1", "2.8.8"}, {"10.15.0", "3.10.1"}}

// Four ways to write one function.
const (
	printed = "export async function place(order) {\n  const receipt = await save(order.id, \"now\");\n  if (!receipt) {\n    throw new Error(\"no " +
		"receipt\");\n  }\n  return receipt;\n}\n\nasync function save(id) {\n  return id;\n}\n"
	standard = "export async function place (order) {\n  const receipt = await save(order.id, 'now')\n  if (!receipt) {\n    throw new Error('no receipt')\n  " +
		"}\n  return receipt\n}\n\nasync function save (id) {\n  return id\n}\n"
	tabbed = "export async function place(order) {\n\tconst receipt = await save(order.id, \"now\")\n\tif (!receipt) throw new Error(\"no " +
		"receipt\")\n\treturn receipt\n}\n\nasync function save(id) {\n\treturn id\n}\n"
	common = "\"use strict\";\n\nexports.place = async function place(order) {\n  return await exports.save(order.id);\n};\n\nexports.save = async (id) => id;\n"
)

// lintCase is a project with ESLint: its rules, as they stand in a configuration of either form.
type lintCase struct {
	name, file, source string
	rules              string
	flat               string // more of a flat configuration; ESLint 8 leaves the case out
	config             string // all of the file, for one that fails
	level              rules.Severity
	few                bool // tried with ABURN_LINTERS=few too
	status             Status
	said               string // "" is nothing at all
}

const restricted = `"no-restricted-imports": ["error", "@opentelemetry/api"]`

var lintCases = []lintCase{
	{name: "what most projects want", few: true, file: "src/a.mjs", source: printed, status: Success,
		rules: `"no-undef": "off", "no-unused-vars": "error", "no-shadow": "error", "consistent-return": "error", "prefer-const": "error", "no-var": "error", ` +
			`"no-useless-catch": "error", "no-unsafe-finally": "error", "eqeqeq": "error", "curly": "error", "prefer-arrow-callback": "error", "no-return-assign": ` +
			`"error", "no-else-return": "error"`},
	{name: "a wait in each async function", file: "src/a.mjs", source: printed, rules: `"require-await": "error"`, status: Failed,
		said: "Async function 'place' has no 'await' expression. (require-await)"},
	{name: "CommonJS", file: "src/a.cjs", source: common, status: Success,
		rules: `"strict": ["error", "global"], "no-shadow": "error", "no-unused-vars": "error"`},
	{name: "an import that is not wanted", few: true, file: "src/a.mjs", source: printed, rules: restricted, status: Failed,
		said: "ESLint: '@opentelemetry/api' import is restricted from being used. (no-restricted-imports)"},
	{name: "one that is warned of", file: "src/a.mjs", source: printed, rules: strings.Replace(restricted, "error", "warn", 1), status: Success,
		said: "import is restricted"},
	{name: "advisory by the configuration", file: "src/a.mjs", source: printed, rules: restricted, level: rules.Advisory, status: Success,
		said: "import is restricted"},
	{name: "off by the configuration", file: "src/a.mjs", source: printed, rules: restricted, level: rules.Off, status: Success},
	{name: "a number that was too high before", few: true, file: "src/a.mjs", source: printed, rules: `"max-lines": ["error", 3]`, status: Success},
	{name: "one that was not", file: "src/a.mjs", source: printed, rules: `"max-lines": ["error", 15]`, status: Failed,
		said: "File has too many lines (24). Maximum allowed is 15. (max-lines)"},
	{name: "the wrapper is a function too", file: "src/a.mjs", source: printed, rules: `"max-nested-callbacks": ["error", 1], "max-depth": ["error", 1]`,
		status: Failed, said: "(max-depth)"},
	{name: "a rule of another folder", file: "lib/a.mjs", source: printed, flat: `, {files: ["src/**"], rules: {` + restricted + `}}`, status: Success},
	{name: "a rule of this folder", file: "src/a.mjs", source: printed, flat: `, {files: ["src/**"], rules: {` + restricted + `}}`, status: Failed,
		said: "import is restricted"},
	{name: "a file that ESLint ignores", file: "src/a.mjs", source: printed, rules: restricted, flat: `, {ignores: ["src/**"]}`, status: Success},
	{name: "a language that ESLint does not parse", few: true, file: "src/a.mjs", source: printed, rules: restricted,
		flat: `, {languageOptions: {ecmaVersion: 5, sourceType: "script"}}`, status: Success, said: "ESLint does not parse the file as it was, so it was not linted"},
	{name: "a configuration that fails", file: "src/a.mjs", source: printed, config: "throw new Error('none')", status: Success,
		said: "ESLint failed, so the file was not linted: exit code 2"},
	{name: "no configuration", file: "src/a.mjs", source: printed, status: Success, said: "ESLint failed, so the file was not linted: exit code 2"},
	{name: "standard's style", file: "src/a.mjs", source: standard, status: Success,
		flat: `, {plugins: {s: require("@stylistic/eslint-plugin")}, rules: {"s/semi": ["error", "never"], "s/quotes": ["error", "single"], "s/indent": ["error",` +
			` 2], "s/space-before-function-paren": "error", "s/comma-dangle": "error", "s/eol-last": "error", "s/no-trailing-spaces": "error", ` +
			`"s/object-curly-spacing": ["error", "always"], "s/arrow-parens": ["error", "always"]}}`},
	{name: "tabs and double quotes", file: "src/a.mjs", source: tabbed, status: Success,
		flat: `, {plugins: {s: require("@stylistic/eslint-plugin")}, rules: {"s/semi": ["error", "never"], "s/quotes": ["error", "double"], "s/indent": ` +
			`["error", "tab"]}}`},
	{name: "semicolons and double quotes", file: "src/a.mjs", source: printed, status: Success,
		flat: `, {plugins: {s: require("@stylistic/eslint-plugin")}, rules: {"s/semi": "error", "s/quotes": ["error", "double"], "s/indent": ["error", 2]}}`},
}

// TestLintersOfNpm holds LINT against the real ESLint and Prettier, which it gets from npm: ABURN_LINTERS=1 tries all
// releases, ABURN_LINTERS=few some cases with one.
func TestLintersOfNpm(t *testing.T) {
	world.Slow(t)
	few := os.Getenv("ABURN_LINTERS") == "few"
	if os.Getenv("ABURN_LINTERS") == "" {
		t.Skip("ABURN_LINTERS is not set")
	}
	if few {
		linters = linters[:1]
	}
	for _, l := range linters {
		t.Run("ESLint "+l.eslint+", Prettier "+l.prettier, func(t *testing.T) {
			dir := t.TempDir()
			npm := exec.Command("npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", "--legacy-peer-deps", "eslint@"+l.eslint, "prettier@"+l.prettier,
				"@stylistic/eslint-plugin@5.10.0")
			npm.Dir = dir
			if err := os.WriteFile(filepath.Join(dir, "package.json"), []byte(`{"private": true}`), 0o600); err != nil {
				t.Fatal(err)
			}
			if out, err := npm.CombinedOutput(); err != nil {
				t.Fatalf("npm: %v\n%s", err, out)
			}
			old := strings.HasPrefix(l.eslint, "8")
			for _, c := range lintCases {
				if (!old || c.flat == "") && (c.few || !few) {
					t.Run(c.name, func(t *testing.T) { c.try(t, dir, old) })
				}
			}
			for _, c := range printCases {
				if c.few || !few {
					t.Run("Prettier, "+c.name, func(t *testing.T) { c.try(t, dir) })
				}
			}
		})
	}
}

// write writes files into dir, and takes them out when the test ends.
func write(t *testing.T, dir string, texts map[string]string) {
	t.Helper()
	for name, text := range texts {
		path := filepath.Join(dir, name)
		if os.MkdirAll(filepath.Dir(path), 0o755) != nil || os.WriteFile(path, []byte(text), 0o600) != nil {
			t.Fatal(name)
		}
		t.Cleanup(func() { os.Remove(path) })
	}
}

func (c lintCase) try(t *testing.T, dir string, old bool) {
	texts := map[string]string{c.file: c.source}
	switch {
	case c.config != "" && old:
		texts[".eslintrc.cjs"] = c.config
	case c.config != "":
		texts["eslint.config.cjs"] = c.config
	case c.rules == "" && c.flat == "":
	case old:
		texts[".eslintrc.cjs"] = `module.exports = {root: true, parserOptions: {ecmaVersion: 2022, sourceType: "module"}, overrides: [{files: "*.cjs", ` +
			`parserOptions: {sourceType: "script"}}], rules: {` + c.rules + `}}`
	default:
		texts["eslint.config.cjs"] = `module.exports = [{rules: {` + c.rules + `}}` + c.flat + `]`
	}
	write(t, dir, texts)
	l := FindLinter(dir, os.Environ())
	if l == nil {
		t.Fatal("ESLint was not found")
	}
	plan := placed(c.file)
	r := work(t, Applying{Dir: dir, Plan: &Plan{[]Planned{plan}}, Linter: l, Config: Config{Rules: map[string]rules.Severity{"LINT": c.level}}})
	f := r.Files[0]
	said := append([]string{}, f.Notes...)
	for _, a := range append(f.Advisory, f.Blocking...) {
		if a.Rule == "LINT" {
			said = append(said, a.Message)
		}
	}
	told := strings.Join(said, "\n")
	if f.Status != c.status || c.said == "" && told != "" || !strings.Contains(told, c.said) {
		t.Errorf("%s %s: %q, want %s %q\n%s", f.Status, f.Reason, told, c.status, c.said, f.After)
	}
}

// printCase is a project with Prettier.
type printCase struct {
	name, config, ignore string
	source               string
	note                 string
	few, prints          bool // prints: what aburn leaves is what Prettier prints
}

var printCases = []printCase{
	{name: "as it is", source: printed, prints: true},
	{name: "with tabs and few columns", few: true, config: `{"useTabs": true, "printWidth": 50, "semi": false}`, source: tabbed, prints: true},
	{name: "by a rule of the folder",
		config: `{"overrides": [{"files": "src/**", "options": {"singleQuote": true, "trailingComma": "none", "arrowParens": "avoid"}}]}`,
		source: strings.ReplaceAll(printed, `"`, "'"), prints: true},
	{name: "not before", source: standard, note: "was not printed by the project's formatter before"},
	{name: "a file that it ignores", ignore: "src/\n", source: standard},
	{name: "a configuration that is broken", config: `{"semi": [}`, source: printed, note: "the formatter failed, so the file is as aburn wrote it: exit code 2"},
}

func (c printCase) try(t *testing.T, dir string) {
	texts := map[string]string{"src/a.mjs": c.source}
	if c.config != "" {
		texts[".prettierrc"] = c.config
	}
	if c.ignore != "" {
		texts[".prettierignore"] = c.ignore
	}
	write(t, dir, texts)
	f := FindFormatter(dir, os.Environ())
	if f == nil {
		t.Fatal("Prettier was not found")
	}
	r := work(t, Applying{Dir: dir, Plan: &Plan{[]Planned{placed("src/a.mjs")}}, Formatter: f})
	file := r.Files[0]
	if notes := strings.Join(file.Notes, "\n"); file.Status != Success || !strings.Contains(notes, c.note) || c.note == "" && notes != "" {
		t.Errorf("%s %s: %q, want %q\n%s", file.Status, file.Reason, notes, c.note, file.After)
	}
	if !c.prints {
		return
	}
	if again, err := f.print(t.Context(), "src/a.mjs", file.After); err != nil || !bytes.Equal(again, file.After) {
		t.Errorf("Prettier prints it otherwise: %v\n%s", err, file.After)
	}
}
