package aburn_test

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unicode"

	"aburn/internal/lab/world"
)

// Bounds in words, as `wc -w` counts them: a guide is read in the first week, and the whole is no book. The formats are apart.
const (
	mostWords   = 60000 // of the README, the guides, the reference, the evidence and the pages for contributors
	mostReadme  = 900
	leastGuide  = 400
	mostGuide   = 1500
	mostFormats = 33237
	mostBefore  = 90 // of a guide before its three commands
)

// TestWords counts the words of the docs.
func TestWords(t *testing.T) {
	total, formats := 0, 0
	for _, page := range pages(t) {
		n := len(strings.Fields(text(t, page)))
		switch {
		case strings.HasPrefix(page, "docs/formats/"):
			formats += n
		case strings.HasPrefix(page, "docs/"), page == "README.md", page == "CONTRIBUTING.md":
			total += n
		}
		if strings.HasPrefix(page, "docs/guide/") && (n < leastGuide || n > mostGuide) {
			t.Errorf("%s has %d words, a guide has %d to %d: the rest belongs into docs/reference", page, n, leastGuide, mostGuide)
		}
		if page == "README.md" && n > mostReadme {
			t.Errorf("README.md has %d words, at most %d", n, mostReadme)
		}
	}
	t.Logf("%d words, and %d of formats", total, formats)
	if total > mostWords {
		t.Errorf("the docs have %d words, at most %d", total, mostWords)
	}
	if formats > mostFormats {
		t.Errorf("docs/formats has %d words, at most %d", formats, mostFormats)
	}
}

// The pages for people use the words that people have: a session runs and does not live, aburn checks and does not look after.
func TestPlainWords(t *testing.T) {
	private := regexp.MustCompile(`(?i)\b(?:vouch\w*|beside|heard|whom|that which|decisive error|looks? after|goes on|go on|going on|` +
		`living sessions?|mark of trust)\b`)
	for _, page := range pages(t) {
		if page == "CHANGELOG.md" || strings.HasPrefix(page, "docs/formats/") || strings.HasSuffix(page, "AGENTS.md") || strings.Contains(page, "testdata") ||
			strings.HasPrefix(page, "logfmt/") || page == "SECURITY.md" {
			continue
		}
		for i, line := range strings.Split(text(t, page), "\n") {
			for _, word := range private.FindAllString(line, -1) {
				t.Errorf("%s:%d: %q is no word of ours", page, i+1, word)
			}
		}
	}
}

// Each guide opens with three commands, before its first section.
func TestGuidesOpenWithThreeCommands(t *testing.T) {
	guides, err := filepath.Glob("docs/guide/*.md")
	if err != nil || len(guides) == 0 {
		t.Fatal(guides, err)
	}
	for _, page := range guides {
		before, rest, _ := strings.Cut(text(t, page), "```")
		block, _, _ := strings.Cut(rest, "```")
		if n := strings.Count(block, "\n$ "); n != 3 {
			t.Errorf("%s opens with %d commands, want 3 (lines that begin with \"$ \")", page, n)
		}
		if strings.Contains(before, "\n## ") || len(strings.Fields(before)) > mostBefore {
			t.Errorf("%s has more than %d words or a section before its commands", page, mostBefore)
		}
	}
}

// readmeLines bounds the README: it is an entrance, and details belong into docs.
const readmeLines = 130

func TestReadmeIsShort(t *testing.T) {
	if n := strings.Count(text(t, "README.md"), "\n"); n > readmeLines {
		t.Errorf("README.md has %d lines, at most %d are an entrance", n, readmeLines)
	}
}

// Every relative link of the pages leads to a file that exists, and to a heading of it.
func TestLinks(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^()\s]+)\)`)
	for _, page := range pages(t) {
		prose, _ := split(text(t, page))
		for _, m := range link.FindAllStringSubmatch(prose, -1) {
			if strings.Contains(m[1], "://") {
				continue
			}
			path, heading, _ := strings.Cut(m[1], "#")
			target := page
			if path != "" {
				target = filepath.Join(filepath.Dir(page), path)
			}
			if _, err := os.Stat(target); err != nil {
				t.Errorf("%s: %s leads nowhere", page, m[1])
			} else if heading != "" && !slices.Contains(anchors(text(t, target)), heading) {
				t.Errorf("%s: %s has no heading %q", page, target, heading)
			}
		}
	}
}

// Every page that code names exists: hints, comments and flags of tests lead people to them.
func TestPagesInCode(t *testing.T) {
	path := regexp.MustCompile(`docs/(?:guide|reference|formats|evidence)/[a-z-]+\.md|docs/(?:archive|backtest|benchmarks|errors|export|insight|mcp)\.md|` +
		`docs/(?:readers|remedy|report|scrubbing|settings|supervision|watching)\.md`)
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == ".git" || d.Name() == "testdata"):
			return filepath.SkipDir
		case d.IsDir() || name == "docs_test.go" || filepath.Ext(name) != ".go" && name != "Makefile":
			return nil
		}
		for _, page := range path.FindAllString(text(t, name), -1) {
			if _, err := os.Stat(page); err != nil {
				t.Errorf("%s names %s, which is not there", name, page)
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// Every file, folder and package of this repository that a page names exists, and -update is asked of packages that know it.
func TestPathsInProse(t *testing.T) {
	code := regexp.MustCompile("(?s)```.*?```|`[^`\n]+`")
	names := []string{`\.ci`, "docs"}
	for name := range house(t) {
		if room, _, _ := strings.Cut(name, "/"); !slices.Contains(names, room) {
			names = append(names, room)
		}
	}
	rooms := regexp.MustCompile(`^(?:\./)?((?:` + strings.Join(names, "|") + `)(?:/[^\s'"]*)?)$`)
	placeholder := regexp.MustCompile(`<\w+>`)
	seen := 0
	for _, page := range pages(t) {
		if page == "docs/reference/settings.md" { // its folders are examples of somebody else's
			continue
		}
		for line := range strings.Lines(strings.Join(code.FindAllString(text(t, page), -1), "\n")) {
			words := strings.Fields(strings.Trim(line, "`\n"))
			for _, word := range words {
				m := rooms.FindStringSubmatch(word)
				if m == nil {
					continue
				}
				seen++
				path := placeholder.ReplaceAllString(strings.TrimSuffix(m[1], "/..."), "*")
				for _, path := range alternatives(path) {
					found, _ := filepath.Glob(path)
					beside, _ := filepath.Glob(filepath.Join(filepath.Dir(page), path))
					if len(found)+len(beside) == 0 {
						t.Errorf("%s: %s is not there", page, word)
					}
					if slices.Contains(words, "-update") && strings.HasPrefix(word, "./") && !knowsUpdate(t, path) {
						t.Errorf("%s: the tests of %s have no -update", page, path)
					}
				}
			}
		}
	}
	if seen < 100 {
		t.Errorf("only %d paths were found", seen)
	}
	if got := strings.Join(alternatives("a/{b,c}/d"), " "); got != "a/b/d a/c/d" {
		t.Errorf("alternatives are %s", got)
	}
}

// alternatives are what a path with one {a,b} stands for.
func alternatives(path string) (list []string) {
	before, rest, ok := strings.Cut(path, "{")
	inner, after, closed := strings.Cut(rest, "}")
	if !ok || !closed {
		return []string{path}
	}
	for one := range strings.SplitSeq(inner, ",") {
		list = append(list, before+one+after)
	}
	return list
}

// knowsUpdate says whether the tests of a package define the flag.
func knowsUpdate(t *testing.T, dir string) bool {
	files, _ := filepath.Glob(filepath.Join(dir, "*_test.go"))
	return slices.ContainsFunc(files, func(name string) bool { return strings.Contains(text(t, name), `flag.Bool("update"`) })
}

// Every command that the README and the guide name is one of aburn's, and takes the flags that they give it.
func TestCommandsInProse(t *testing.T) {
	world.Slow(t)
	h := newHelp(t)
	checksFind(t, h)
	named := map[string]bool{}
	for _, page := range pages(t) {
		if page != "README.md" && !strings.HasPrefix(page, "docs/guide/") && !strings.HasPrefix(page, "docs/reference/") {
			continue
		}
		prose, fences := split(text(t, page))
		for _, span := range append(regexp.MustCompile("`[^`]+`").FindAllString(prose, -1), fences...) {
			for _, call := range calls(span) {
				named[call[0]] = true
				if fault := h.fault(call); fault != "" {
					t.Errorf("%s: aburn %s: %s", page, strings.Join(call, " "), fault)
				}
			}
		}
	}
	for _, name := range []string{"install-hooks", "status", "supervisor", "chain", "ingest", "report", "remedy", "instrument"} {
		if !named[name] {
			t.Errorf("no page names aburn %s", name)
		}
	}
}

// The checks find planted faults.
func checksFind(t *testing.T, h *help) {
	for line, want := range map[string]string{
		"$ aburn status --json":                        "",
		"cat x | aburn queue add --project - # --nope": "",
		"aburn -C DIR supervisor watch":                "",
		"aburn tail -n 20 -f":                          "",
		"aburn supervisor --explain loop":              "",
		"aburn nothing":                                "no command nothing",
		"aburn queue nothing":                          "no command nothing",
		"aburn cost today --wide":                      "",
		"aburn cost prices update --nothing":           "no flag --nothing",
		"ABURN=0 aburn status --nothing":               "no flag --nothing",
		"source <(aburn completion csh)":               "no command csh",
	} {
		got := calls("```\n" + line + "\n```")
		if len(got) != 1 {
			t.Errorf("%s: %d calls", line, len(got))
		} else if fault := h.fault(got[0]); fault != want {
			t.Errorf("%s: %q, want %q", line, fault, want)
		}
	}
}

func TestAnchors(t *testing.T) {
	page := "# A `b`: c, d's\n## A b c ds\n```\n# none\n```\n## A `b`: c, d's\n## 9. verify\n"
	if got := strings.Join(anchors(page), " "); got != "a-b-c-ds a-b-c-ds-1 a-b-c-ds-2 9-verify" {
		t.Errorf("anchors are %s", got)
	}
}

// pages are the repository's texts for people and agents.
func pages(t *testing.T) []string {
	t.Helper()
	list := []string{"README.md", "AGENTS.md", "worker/AGENTS.md", "instrument/AGENTS.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md", "logfmt/SPEC.md",
		"insight/failure/testdata/errors/README.md", "supervisor/testdata/README.md"}
	for _, pattern := range []string{"docs/*.md", "docs/*/*.md"} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, found...)
	}
	for i := range list {
		list[i] = filepath.ToSlash(list[i])
	}
	return list
}

func text(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// split parts a page into its prose and its fenced blocks, fences included. The prose keeps its inline code.
func split(page string) (prose string, fences []string) {
	inside := false
	for line := range strings.Lines(page) {
		fence := strings.HasPrefix(strings.TrimSpace(line), "```")
		switch {
		case fence && !inside:
			fences = append(fences, line)
		case inside:
			fences[len(fences)-1] += line
		default:
			prose += line
		}
		inside = inside != fence
	}
	return prose, fences
}

// anchors are the link names of a page's headings, by GitHub's rule.
func anchors(page string) (list []string) {
	prose, _ := split(page)
	for line := range strings.Lines(prose) {
		title := strings.TrimLeft(line, "#")
		if level := len(line) - len(title); level == 0 || level > 6 || !strings.HasPrefix(title, " ") {
			continue
		}
		name := strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case r == '-', r == '_', unicode.IsLetter(r), unicode.IsDigit(r):
				return unicode.ToLower(r)
			}
			return -1
		}, strings.TrimSpace(title))
		first, n := name, 0
		for slices.Contains(list, name) {
			n++
			name = first + "-" + string(rune('0'+n))
		}
		list = append(list, name)
	}
	return list
}

// calls are the calls of aburn in an inline span or a fenced block, as words without comments. Where a block has
// lines that begin with "$ ", the others are output.
func calls(span string) (list [][]string) {
	lines := strings.Split(strings.Trim(span, "`"), "\n")
	if slices.ContainsFunc(lines, func(l string) bool { return strings.HasPrefix(l, "$ ") }) {
		lines = slices.DeleteFunc(lines, func(l string) bool { return !strings.HasPrefix(l, "$ ") })
	}
	call := regexp.MustCompile(`(?:^\s*|[|;&(] ?|^\$ |^[A-Z_]+=\S* )aburn((?: +[^\s|;&()]+)+)`)
	for _, line := range lines {
		line, _, _ = strings.Cut(line, " #")
		for _, m := range call.FindAllStringSubmatch(line, -1) {
			list = append(list, strings.Fields(m[1]))
		}
	}
	return list
}

// help reads commands and flags from the help of the built aburn.
type help struct {
	t     *testing.T
	exe   string
	texts map[string]string
}

func newHelp(t *testing.T) *help {
	t.Helper()
	dir := t.TempDir()
	exe := filepath.Join(dir, "aburn")
	if runtime.GOOS == "windows" {
		exe += ".exe"
	}
	if out, err := exec.Command("go", "build", "-ldflags=-s -w", "-o", dir+string(filepath.Separator), "./cmd/aburn", "./cmd/aburn-instrument",
		"./cmd/aburn-push").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return &help{t, exe, map[string]string{}}
}

func (h *help) of(command []string) string {
	key := strings.Join(command, " ")
	if h.texts[key] == "" {
		ask := append(slices.Clone(command), "--help")
		if len(command) == 0 {
			ask = []string{"help", "all"}
		}
		out, err := exec.Command(h.exe, ask...).Output()
		if err != nil {
			h.t.Fatalf("aburn %s --help: %v", key, err)
		}
		h.texts[key] = string(out)
	}
	return h.texts[key]
}

// fault names the part of a call that aburn would reject; "" for none.
func (h *help) fault(words []string) string {
	var command []string
	hasCommands := true
	for i := 0; i < len(words); i++ {
		word := words[i]
		switch name, _, _ := strings.Cut(word, "="); {
		case word == "-":
		case word == "--": // another command
			return ""
		case word == "-C":
			i++ // its folder
		case strings.HasPrefix(word, "-"):
			// "  -n, --dry-run  only show", "  --explain ISSUE  tell", "  -n N  begin with"
			flag := `(?:-\w, )?` + regexp.QuoteMeta(name)
			if !h.lists(command, flag+`[ ,\n]`) {
				return "no flag " + name
			}
			if name == word && h.lists(command, flag+` [A-Z]`) {
				i++ // its value
			}
		case !hasCommands: // an argument, or a flag's value
		case strings.HasSuffix(word, "/"): // a folder, for a command that takes paths or commands
			hasCommands = false
		case h.lists(command, regexp.QuoteMeta(word)+" "):
			command = append(command, word)
			hasCommands = strings.Contains(h.of(command), "\nCommands:\n")
		case h.takesArguments(command): // beside its commands
			hasCommands = false
		default:
			return "no command " + word
		}
	}
	return ""
}

// takesArguments says whether the usage of a command with commands of its own names arguments too.
func (h *help) takesArguments(command []string) bool {
	return len(command) > 0 && regexp.MustCompile(`(?m)^Usage: aburn [a-z -]+ \[options\] \S`).MatchString(h.of(command))
}

// lists says whether a line of a command's help begins with what the pattern matches.
func (h *help) lists(command []string, pattern string) bool {
	return regexp.MustCompile(`(?m)^  ` + pattern).MatchString(h.of(command))
}
