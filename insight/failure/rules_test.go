package failure

import (
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
			if strings.ToLower(phrase) != phrase || strings.Count(phrase, "…") > 1 || len(bare) < 3 || strings.TrimSpace(strings.Trim(bare, "…")) == "" {
				t.Errorf("%s: the phrase %q is not as phrases are", r.class, phrase)
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
