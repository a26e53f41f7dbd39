package report

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"

	"aburn/instrument/registry"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func dollars(f float64) *float64 { return &f }

// whole is a run with something in each field; every text of the repository or a model is h.
func whole(h string) Run {
	span := func(tier int) Span { return Span{h, h, h, tier} }
	return Run{
		Files: []File{
			{Path: "src/" + h, Status: "success", Spans: []Span{span(1), span(3)}, AttributesUsed: 2, AttributesCreated: 1, Attempts: 2, Tokens: 12345,
				Notes: []string{h}, Dropped: []string{h}, Advisory: []string{h}},
			{Path: "b", Status: "success", Spans: []Span{span(2)}}, {Path: "c", Status: "success", Spans: []Span{span(2)}},
			{Path: "d", Status: "success", Spans: []Span{span(2)}},
			{Path: "e", Status: "success", Spans: []Span{span(2)}}, {Path: "f", Status: "success", Spans: []Span{span(2)}},
			{Path: h, Status: "success", Spans: []Span{span(1), span(1), span(1), span(1), span(1), span(1), span(1), span(1)}},
			{Path: h, Status: "failed", Reason: h}, {Path: h, Status: "skipped", Reason: h}, {Path: h, Status: "needs-human", Reason: h},
		},
		Stopped: h, Changes: []registry.Change{{Kind: registry.Added, Item: "attribute", Name: h, File: h},
			{Kind: registry.Added, Item: "attribute", Name: h, Field: "brief"}},
		Weaver: h + "\n# " + h, Libraries: []Library{{h, []string{h, h}}}, Failures: []string{h}, SetUp: &SetUp{File: h, Added: []string{h}, Fallback: h, Why: h},
		Exports: h,
		Tests:   &Tests{Command: h, RedBefore: 0, RedAfter: 1, RedByTheRun: []string{h}},
		Record:  &Record{Spans: 3, Names: 2, Findings: []string{h}, Score: 87.4, Judged: 3, Of: 19},
		Ceiling: &Amount{Calls: 9, Tokens: 90000, USD: dollars(1.5), Basis: "estimated"}, Actual: &Amount{Calls: 3, Tokens: 12345, Basis: "counted"},
		Sensitivity: "strict", Warnings: []string{h}, Versions: []string{h},
	}
}

// TestNoSecretLeaves: others read the text. What a hook, a linter or a package manager said may hold one.
func TestNoSecretLeaves(t *testing.T) {
	secret := "sk-ant-" + "api03-" + strings.Repeat("aB3dE5", 16)
	if text := Body(whole("it found " + secret)); strings.Contains(text, secret) || !strings.Contains(text, "it found") {
		t.Error(text)
	}
}

// TestGolden: the whole text of a plain run, an empty one, and one that failed.
func TestGolden(t *testing.T) {
	for name, r := range map[string]Run{
		"whole": whole("order.js"), "empty": {},
		"plan": {Files: []File{{Path: "src/order.js", Status: "success", Spans: []Span{{"placeOrder", "shop.order.place", "", 0}}, AttributesUsed: 1, Attempts: 1}},
			SetUp: &SetUp{File: "src/telemetry.js", Added: []string{"@opentelemetry/instrumentation-pg"}},
			Tests: &Tests{RedBefore: 2, RedAfter: 2}, Record: &Record{}, Exports: "nowhere: no file sets up telemetry"},
	} {
		got := Title(r) + "\n\n" + Body(r)
		file := filepath.Join("testdata", name+".md")
		if *update {
			if err := os.WriteFile(file, []byte(got), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil || got != string(want) {
			t.Errorf("%s: %v\n%s", name, err, got)
		}
	}
}

// hostile is what a repository or a model may write to look like somebody else.
var hostile = []string{
	"a`b` <img src=x onerror=alert(1)>", "x\n\n# All checks passed\n\n", "](https://evil.example) [x", "@everyone #1", "| a | b |\n|---|---|", `x\|<b>y</b>`,
	"x\\\\|[a](https://evil.example)", "<!-- hidden -->",
	"\u202Egnp.exe\u202C\u200B", "```\nrm -rf /\n```", "\\`<script>alert(1)</script>", "http://evil.example/?a=1", "&lt;b&gt;", strings.Repeat("long ", 2000),
	"\x1b[31mred\x00", "- [x] done", "**bold**", "    code", "$(x) ${{ secrets.X }}",
}

var tags = regexp.MustCompile(`<([a-z0-9]+)[ >]`)

// TestHostile: whatever the texts are, the page has the same elements, and no link, picture or mention.
func TestHostile(t *testing.T) {
	md := goldmark.New(goldmark.WithExtensions(extension.GFM))
	render := func(r Run) string {
		var b bytes.Buffer
		if err := md.Convert([]byte(Body(r)), &b); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	elements := func(html string) (list []string) {
		for _, m := range tags.FindAllStringSubmatch(html, -1) {
			list = append(list, m[1])
		}
		return list
	}
	want := elements(render(whole("order.js")))
	for _, h := range hostile {
		page := render(whole(h))
		if got := elements(page); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%.60q changes the page:\n%v\n%v", h, got, want)
		}
		for _, bad := range []string{"<a ", "<img", "<script", "<!--", "\u202E", "\x1b", "\u200B"} {
			if strings.Contains(page, bad) {
				t.Errorf("%.60q: %q stands in the page", h, bad)
			}
		}
		if mention := regexp.MustCompile(`(^|[^<\w>])@everyone`).FindString(regexp.MustCompile(`<code>[^<]*</code>`).ReplaceAllString(page, "")); mention != "" &&
			!strings.Contains(page, "<pre>") {
			t.Errorf("%.60q is a mention", h)
		}
		if Title(whole(h)) != Title(whole("order.js")) {
			t.Error("the title holds text of the repository")
		}
	}
}

// TestFits: GitHub takes the text of a large run.
func TestFits(t *testing.T) {
	r := whole(strings.Repeat("é", 300))
	for range 2000 {
		r.Files = append(r.Files, r.Files[0])
		r.Warnings = append(r.Warnings, r.Warnings[0])
	}
	if n := len([]rune(Body(r))); n > 65_536 || !strings.Contains(Body(r), " more\n") {
		t.Error(n)
	}
}

// TestAttention: what deserves a look depends on the sensitivity alone.
func TestAttention(t *testing.T) {
	for sensitivity, want := range map[string]int{"strict": 2, "moderate": 1, "off": 0} {
		r := whole("x")
		r.Sensitivity = sensitivity
		_, section, _ := strings.Cut(Body(r), "## Look at\n")
		section, _, _ = strings.Cut(section, "\n## ")
		if got := strings.Count(section, "\n- "); got != want {
			t.Errorf("%s: %d\n%s", sensitivity, got, section)
		}
	}
}

// TestOutliers: in strict a file is one from a smaller distance on.
func TestOutliers(t *testing.T) {
	r := Run{}
	for i, n := range []int{1, 1, 1, 1, 2, 4} {
		r.Files = append(r.Files, File{Path: fmt.Sprint("f", i), Status: "success", Spans: make([]Span, n)})
	}
	for sensitivity, want := range map[string]string{"strict": "f5", "moderate": "f5", "off": ""} {
		r.Sensitivity = sensitivity
		if _, text, _ := strings.Cut(Body(r), "## Look at\n"); strings.Contains(text, "f5") != (want != "") || strings.Contains(text, "f4") {
			t.Errorf("%s: %s", sensitivity, text)
		}
	}
	r.Files[5].Spans = make([]Span, 3) // mean 1.5, deviation 0.76
	for sensitivity, want := range map[string]bool{"strict": true, "moderate": false} {
		r.Sensitivity = sensitivity
		if got := strings.Contains(Body(r), "## Look at\n"); got != want {
			t.Errorf("%s: %s", sensitivity, Body(r))
		}
	}
}
