package failure

import (
	"embed"
	"fmt"
	"slices"
	"strings"
)

// phraseFiles say what the commonest tools say in other languages than English, one file a language: the catalogues of glibc
// 2.36, coreutils 9.1, bash 5.2, make 4.3 and git 2.39, and what databases, compilers and Windows say in some of them.
//
//go:embed phrases/*.txt
var phraseFiles embed.FS

// localeClasses is the order in which the classes of the phrase files are tried.
var localeClasses = [...]Class{
	EditMismatch, OOM, Disk, Auth, Conflict, Network, Timeout, Build, Syntax, Type, ToolMisuse, Permission, NotFound,
}

// localeRules makes one rule a class from the phrases of all languages. An error names the first
// bad line; the good lines still count.
func localeRules() (rules []rule, err error) {
	for _, class := range localeClasses {
		rules = append(rules, rule{class: class})
	}
	files, err := phraseFiles.ReadDir("phrases")
	for _, f := range files {
		text, _ := phraseFiles.ReadFile("phrases/" + f.Name())
		if bad := addPhrases(rules, f.Name(), string(text)); err == nil {
			err = bad
		}
	}
	return rules, err
}

// addPhrases reads one file: "[class]" lines, each followed by its phrases; empty lines and
// comments ("# …") are skipped.
func addPhrases(rules []rule, name, text string) (err error) {
	var to *rule
	n := 0
	for line := range strings.Lines(text) {
		n++
		line = strings.TrimSuffix(line, "\n")
		wrong := ""
		if line == "" || strings.HasPrefix(line, "# ") {
			continue
		} else if class, ok := strings.CutPrefix(line, "["); ok && strings.HasSuffix(class, "]") {
			if to = ruleOf(rules, strings.TrimSuffix(class, "]")); to == nil {
				wrong = "not a class with phrases"
			}
		} else if strings.TrimSpace(line) != line {
			wrong = "a blank at the beginning or end"
		} else if to == nil {
			wrong = "a phrase without a class above it"
		} else if wrong = badPhrase(line); wrong == "" {
			to.says = append(to.says, line)
		}
		if wrong != "" && err == nil {
			err = fmt.Errorf("%s:%d: %s: %q", name, n, wrong, line)
		}
	}
	return err
}

func ruleOf(rules []rule, class string) *rule {
	i := slices.IndexFunc(rules, func(r rule) bool { return string(r.class) == class })
	if i < 0 {
		return nil
	}
	return &rules[i]
}

// badPhrase says what is wrong with a phrase, or "". Texts are compared in lower case, by their
// first three bytes.
func badPhrase(phrase string) string {
	bare := strings.TrimSuffix(strings.TrimPrefix(phrase, "*"), "*")
	begin, _, _ := strings.Cut(bare, "…")
	switch {
	case strings.ToLower(phrase) != phrase:
		return "upper case"
	case strings.Count(phrase, "…") > 1:
		return "two gaps"
	case len(begin) < 3:
		return "fewer than three bytes"
	}
	return ""
}
