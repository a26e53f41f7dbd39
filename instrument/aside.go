package instrument

import (
	"encoding/json"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// LeftOut is how many files a pattern left out of a folder.
type LeftOut struct {
	Pattern string `json:"pattern"`
	Files   int    `json:"files"`
}

// aside are files that are no code of the program in production: tests, examples, benchmarks,
// configuration, and what a program wrote. One that is named itself counts, and so does such a folder.
var aside = []string{
	"**/{test,tests,__tests__,__mocks__,spec,specs,e2e,cypress}/**", "**/{test,tests,spec}.*", "**/*.{test,tests,tst,spec,e2e,cy,mock}.*",
	"**/*{_test,-test,_spec,-spec}.*", "**/{fixture,fixtures,__fixtures__,__snapshots__,testdata}/**", "**/{example,examples,demo,demos,sample,samples}/**",
	"**/{bench,benches,benchmark,benchmarks}/**", "**/*.bench.*", "**/{bench,benchmark}.*",
	"**/*.{config,conf,setup,stories}.*", "**/{gulpfile,Gruntfile,Gulpfile,Jakefile}.*", "**/.*", "**/*.{min,bundle,generated,gen,pb}.*", "**/{dist,coverage}/**",
}

// asideOf are aside and what the project itself says: where its test runner looks, and what .npmignore
// keeps out of the package. Patterns of the configuration come first.
func asideOf(root *os.Root, c Config) []string {
	list := append(slices.Clone(c.Exclude), aside...)
	m, err := readManifest(root, ".")
	if err != nil {
		return list
	}
	list = append(list, testPaths(root, m)...)
	if text, err := readIn(root, ".npmignore"); err == nil && !m.Private {
		list = append(list, ignored(string(text), m.Main)...)
	}
	return list
}

// testPaths are the files that the script test names, and that jest, mocha or ava look for.
func testPaths(root *os.Root, m *manifest) (list []string) {
	var runners struct {
		Jest  struct{ TestMatch []string } `json:"jest"`
		Mocha struct{ Spec json.RawMessage }
		Ava   struct{ Files []string }
	}
	if text, err := readIn(root, "package.json"); err == nil {
		_ = json.Unmarshal(text, &runners) // one of another form says nothing
	}
	list = append(list, runners.Jest.TestMatch...)
	list = append(list, runners.Ava.Files...)
	var spec []string
	if json.Unmarshal(runners.Mocha.Spec, &spec) != nil {
		var one string
		if json.Unmarshal(runners.Mocha.Spec, &one) == nil {
			spec = []string{one}
		}
	}
	list = append(list, spec...)
	for _, word := range strings.Fields(m.Scripts["test"]) {
		word = strings.Trim(word, `'"`)
		isPath := strings.ContainsAny(word, "/*") || slices.Contains([]string{".js", ".mjs", ".cjs", ".ts", ".mts", ".cts"}, path.Ext(word))
		if isPath && !strings.HasPrefix(word, "-") && !strings.Contains(word, "node_modules") {
			list = append(list, word)
		}
	}
	var out []string
	for _, p := range list {
		p = strings.TrimPrefix(strings.TrimPrefix(p, "<rootDir>/"), "./")
		if st, err := root.Stat(filepath.FromSlash(p)); err == nil && st.IsDir() {
			p = strings.TrimSuffix(p, "/") + "/**"
		}
		first, _, _ := strings.Cut(p, "/")
		isProgram := slices.Contains([]string{"src", "lib", "app", "**", "*.js"}, first) && !strings.Contains(p, "test") && !strings.Contains(p, "spec")
		if p == "" || p == "." || strings.HasPrefix(p, "!") || isProgram {
			continue
		}
		out = append(out, p)
	}
	return out
}

// ignored are the patterns of an .npmignore that leave the package's main file in it.
func ignored(text, main string) (list []string) {
	for line := range strings.Lines(text) {
		line = strings.Trim(strings.TrimSpace(line), "/")
		if line == "" || strings.HasPrefix(line, "#") || strings.HasPrefix(line, "!") || slices.Contains([]string{"src", "lib", "*", "**"}, line) {
			continue
		}
		patterns := []string{line, line + "/**"}
		if !strings.Contains(line, "/") {
			patterns = []string{"**/" + line, "**/" + line + "/**"}
		}
		if main == "" || !matches(patterns, path.Clean(main)) {
			list = append(list, patterns...)
		}
	}
	return list
}

// leave counts a file that a pattern left out.
func (s *Selection) leave(pattern string) {
	i := slices.IndexFunc(s.LeftOut, func(l LeftOut) bool { return l.Pattern == pattern })
	if i < 0 {
		s.LeftOut = append(s.LeftOut, LeftOut{Pattern: pattern})
		i = len(s.LeftOut) - 1
	}
	s.LeftOut[i].Files++
}
