package settings

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"aburn/internal/plain"
	"aburn/supervisor/limits"
	"aburn/workflow"
)

// Bounds of a list: hooks compare each path and command with all of it.
const (
	maxItems = 256
	maxItem  = 256 // bytes
)

// builtIn in a list stands for the list's earlier content.
const builtIn = "..."

func isPattern(pattern string) string {
	if _, err := path.Match(pattern, ""); err != nil || strings.Trim(pattern, "/") == "" {
		return "is no pattern"
	}
	return ""
}

func isWords(words string) string {
	if words == "" || strings.Join(strings.Fields(words), " ") != words {
		return "should be words with a blank between"
	}
	return ""
}

// setList replaces a list by the items that pass check. builtIn in it stands for the earlier
// content. Like all functions of rows it returns true: the key is known.
func (b *builder) setList(l *later, to *[]string, check func(item string) (wrong string)) bool {
	items, ok := l.value.items()
	if !ok {
		l.wrong("should be a list of texts")
		return true
	}
	var texts []string
	for i, item := range items {
		if i == maxItems {
			l.wrongItem(item, "more than "+strconv.Itoa(maxItems))
			break
		}
		if !item.string || len(item.text) > maxItem {
			l.wrongItem(item, clipped(item.text)+" should be a text of at most "+strconv.Itoa(maxItem)+" bytes")
		} else if item.text == builtIn {
			texts = append(texts, *to...)
		} else if wrong := check(item.text); wrong != "" {
			l.wrongItem(item, clipped(item.text)+" "+wrong)
		} else {
			texts = append(texts, item.text)
		}
	}
	if len(texts) > 0 || len(items) == 0 {
		*to = texts
	}
	return true
}

// flags sets the phases that a rule applies to.
func (b *builder) flags(l *later, flag func(*workflow.Phase) *bool) bool {
	items, ok := l.value.items()
	if !ok {
		l.wrong("should be a list of phases")
		return true
	}
	on := make([]bool, len(b.Phases))
	right := len(items) == 0
	for _, item := range items {
		i := slices.IndexFunc(b.Phases, func(p workflow.Phase) bool { return item.string && p.Name == item.text })
		if i < 0 {
			l.wrongItem(item, clipped(item.text)+" is no phase"+plain.Suggest(item.text, b.phaseNames()))
			continue
		}
		on[i], right = true, true
	}
	for i := range b.Phases {
		if right {
			*flag(&b.Phases[i]) = on[i]
		}
	}
	return true
}

// off sets the types of issues that are not looked for.
func (b *builder) off(l *later, _ string) bool {
	items, ok := l.value.items()
	if !ok {
		l.wrong("should be a list of types of issues")
		return true
	}
	var off []string
	for _, item := range items {
		if !item.string || !slices.Contains(limits.Types(), item.text) {
			l.wrongItem(item, clipped(item.text)+" is no type of issue"+plain.Suggest(item.text, limits.Types()))
			continue
		}
		if !slices.Contains(off, item.text) {
			off = append(off, item.text)
		}
	}
	if len(off) > 0 || len(items) == 0 {
		b.Limits.Off = off
	}
	return true
}

// setTypes sets a list of the known types of issues; "off" is none. known is called only for a list, because hooks load
// settings.
func setTypes(to *[]string, v value, known func() []string) string {
	items, ok := v.items()
	if !ok {
		if v.text != "off" && v.text != "false" {
			return `should be "off", or a list of: ` + strings.Join(known(), ", ")
		}
		*to = nil
		return ""
	}
	var types []string
	for _, item := range items {
		if !item.string || !slices.Contains(known(), item.text) {
			return "has " + clipped(item.text) + ", and knows only: " + strings.Join(known(), ", ")
		}
		if !slices.Contains(types, item.text) {
			types = append(types, item.text)
		}
	}
	*to = types
	return ""
}

// clipped shortens a file's text for a message to one line, quoted unless it is a name.
func clipped(text string) string {
	if len(text) > 40 {
		text = strings.ToValidUTF8(text[:40], "") + "…"
	}
	if text == "" {
		return `""`
	}
	return quoted(text)
}
