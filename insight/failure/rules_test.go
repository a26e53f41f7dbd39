package failure

import (
	"fmt"
	"strings"
	"testing"
)

// Every phrase is written as phrases are, and is found where it stands; within a longer word it is not, unless it may be.
func TestRules(t *testing.T) {
	p := compiled()
	if len(p.rules) > maxRules || len(p.all) > 1<<16 {
		t.Fatalf("%d rules with %d phrases", len(p.rules), len(p.all))
	}
	for i, r := range p.rules {
		if r.class == "" || r.says == nil && r.http == nil && r.exits == nil && r.codes == nil {
			t.Errorf("rule %d has no class or no condition: %+v", i, r)
		}
		for _, phrase := range r.says {
			bare := strings.TrimSuffix(strings.TrimPrefix(phrase, "*"), "*")
			if wrong := badPhrase(phrase); wrong != "" {
				t.Errorf("%s: the phrase %q has %s", r.class, phrase, wrong)
			}
			const sign = "\x00"
			sample := strings.NewReplacer("##", sign, "#", "42", "%", "7", "…", " it all ").Replace(bare)
			sample = strings.ReplaceAll(sample, sign, "#")
			if found := told(p, "x "+sample+" x"); !found.said[i] {
				t.Errorf("%s: %q is not found in %q", r.class, phrase, sample)
			}
			last := sample[len(sample)-1]
			if !strings.HasSuffix(phrase, "*") && !strings.Contains(phrase, "…") && last >= 'a' && last <= 'z' && len(r.says) == 1 && told(p, sample+"x").said[i] {
				t.Errorf("%s: %q is found in %q", r.class, phrase, sample+"x")
			}
		}
		for _, phrase := range r.unless {
			if found := told(p, "x "+strings.Trim(phrase, "*")+" x"); !found.unless[i] {
				t.Errorf("%s: unless %q is not found", r.class, phrase)
			}
		}
	}
}

// Each language says something of most classes, and no line of a phrase file is bad.
func TestPhraseFiles(t *testing.T) {
	rules, err := localeRules()
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rules {
		if len(r.says) < 20 {
			t.Errorf("%s has %d phrases", r.class, len(r.says))
		}
	}
	files, err := phraseFiles.ReadDir("phrases")
	if err != nil || len(files) < 15 {
		t.Fatalf("%d languages, %v", len(files), err)
	}
	for _, f := range files {
		text, err := phraseFiles.ReadFile("phrases/" + f.Name())
		if err != nil {
			t.Fatal(err)
		}
		seen, class, phrases := make(map[string]bool), "", 0
		for line := range strings.Lines(string(text)) {
			if line == "\n" || strings.HasPrefix(line, "# ") {
				continue
			}
			if line[0] == '[' && strings.HasSuffix(line, "]\n") {
				class = line
			}
			if seen[class+line] {
				t.Errorf("%s: twice: %s", f.Name(), line)
			}
			seen[class+line] = true
			phrases++
		}
		if !strings.HasPrefix(string(text), "# ") || phrases < 50 {
			t.Errorf("%s has no comment on top, or only %d lines", f.Name(), phrases)
		}
	}
}

// What is wrong in a phrase file is found with its line, and the rest counts.
func TestBadPhraseFile(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"# x\n\n[disk]\nvoll\n", ""},
		{"# x\nvoll\n[disk]\nvoll\n", `xx.txt:2: a phrase without a class above it: "voll"`},
		{"[disk]\nvoll\n[dsk]\n", `xx.txt:3: not a class with phrases: "[dsk]"`},
		{"[disk]\nVoll\nvoll\n", `xx.txt:2: upper case: "Voll"`},
		{"[disk]\nvoll\n voll\n", `xx.txt:3: a blank at the beginning or end: " voll"`},
		{"[disk]\nvoll\r\nvoll\n", `xx.txt:2: a blank at the beginning or end: "voll\r"`},
		{"[disk]\nvoll\na…voll\n", `xx.txt:3: fewer than three bytes: "a…voll"`},
		{"[disk]\nist…so…voll\nvoll\nvo", `xx.txt:2: two gaps: "ist…so…voll"`},
	} {
		rules := []rule{{class: Disk}}
		err := addPhrases(rules, "xx.txt", c.text)
		if got := fmt.Sprint(err); got != c.want && (c.want != "" || err != nil) {
			t.Errorf("%q: %v, not %s", c.text, err, c.want)
		}
		if len(rules[0].says) != 1 || rules[0].says[0] != "voll" {
			t.Errorf("%q: %q", c.text, rules[0].says)
		}
	}
}

func told(p *phrases, text string) *found {
	f := new(found)
	p.find(lower(make([]byte, maxText), text), f)
	return f
}

// Words have bounds, numbers are numbers, and gaps are short.
func TestPhrases(t *testing.T) {
	for _, c := range []struct {
		phrase, text string
		want         bool
	}{
		{"no such", "x: no such thing", true},
		{"auth", "author", false},
		{"auth", "the coauth", false},
		{"auth", "auth", true},
		{"auth", "an auth.", true},
		{"auth", "auth.go", false},
		{"auth", "my/auth", false},
		{"auth", "auth/x", false},
		{"auth", "_auth", false},
		{"auth", "ñauth", false},
		{"auth", "‘auth’", true},
		{"auth*", "author", true},
		{"*auth", "coauth", true},
		{"% failed", "13 failed", true},
		{"% failed", "0 failed", false},
		{"% failed", "00 failed", false},
		{"% failed", "10 failed", true},
		{"# failed", "0 failed", true},
		{":#:#:", "a:12:345: x", true},
		{":#:#:", "a:12: x", false},
		{"e5#", "an e501 x", true},
		{"hunk ###", "hunk #12 failed", true},
		{"hunk ###", "hunk 12 failed", false},
		{"a tool…not found", "a tool \"x\" was not found", true},
		{"a tool…not found", "a tool" + strings.Repeat(" x", 70) + " not found", false},
		{"不存在", "文件不存在。", true},
		{"недоступна", "сеть недоступна", true},
		{"недоступна", "сеть недоступная", false},
	} {
		p := new(phrases)
		p.rules = append(p.rules, &rule{says: []string{c.phrase}})
		p.add(phrase{text: c.phrase})
		if got := told(p, c.text).said[0]; got != c.want {
			t.Errorf("%q in %q: %v", c.phrase, c.text, got)
		}
	}
}
