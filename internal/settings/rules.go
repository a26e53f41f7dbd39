package settings

import (
	"strconv"
	"strings"

	"github.com/tidwall/gjson"

	"aburn/internal/plain"
)

// Rule is one item of remedy.rules, as in the file: a fix that the user knows for a class of
// errors. Package remedy checks whether a rule is complete.
type Rule struct {
	Name, Class, Text, Pointer  string
	Words                       []string
	ToolType, Tool, Agent, Code string
	Exit                        *int
	Status                      int
	Place                       string // "file:line:column: " of the rule
}

// Bounds of a rule, whose texts agents receive; lengths in bytes.
const (
	maxRules    = 256
	maxRuleText = 500
)

// Rules returns remedy.rules. The first call reads them, which may add Warnings. No hook needs
// them.
func (s *Settings) Rules() []Rule {
	if l := s.unread; l != nil {
		s.unread = nil
		l.file.settings = s // the Settings were copied after loading
		s.rules = l.rules()
	}
	return s.rules
}

// rules reads the list without its wrong items.
func (l *later) rules() (list []Rule) {
	items, ok := l.value.items()
	if !ok {
		l.wrong("should be a list of rules")
		return nil
	}
	for i, item := range items {
		if i == maxRules {
			l.wrongItem(item, "more than "+strconv.Itoa(maxRules))
			break
		}
		object := gjson.Parse(item.text)
		if item.scalar || !object.IsObject() {
			l.wrongItem(item, "a rule should be an object")
			continue
		}
		r := Rule{Place: place(l.file.name, l.file.text, l.at+item.at)}
		if wrong := r.read(object); wrong != "" {
			l.wrongItem(item, wrong)
			continue
		}
		list = append(list, r)
	}
	return list
}

// read sets the fields from an object, and returns what is wrong with it.
func (r *Rule) read(object gjson.Result) (wrong string) {
	texts := map[string]*string{
		"name": &r.Name, "class": &r.Class, "text": &r.Text, "pointer": &r.Pointer, "tool_type": &r.ToolType, "tool": &r.Tool, "agent": &r.Agent, "code": &r.Code,
	}
	object.ForEach(func(k, v gjson.Result) bool {
		name := k.String()
		switch to := texts[name]; {
		case strings.HasPrefix(name, "//"):
		case to != nil:
			if *to = v.Str; !isRuleText(v) {
				wrong = name + " should be a text on one line, of at most " + strconv.Itoa(maxRuleText) + " bytes"
			}
		case name == "words":
			wrong = r.readWords(v)
		case name == "exit":
			n := int(v.Int())
			if r.Exit = &n; !isInteger(v) {
				wrong = "exit should be an exit code"
			}
		case name == "status":
			if r.Status = int(v.Int()); !isInteger(v) {
				wrong = "status should be the status of an HTTP response"
			}
		default:
			wrong = clipped(name) + " is not a field of a rule" + plain.Suggest(name, []string{
				"name", "class", "text", "pointer", "words", "tool_type", "tool", "agent", "code", "exit", "status",
			})
		}
		return wrong == ""
	})
	return wrong
}

func (r *Rule) readWords(v gjson.Result) (wrong string) {
	items, ok := valueOf(v).items()
	for _, item := range items {
		ok = ok && item.string && item.text != "" && len(item.text) <= maxItem
		r.Words = append(r.Words, item.text)
	}
	if !ok || len(items) > maxItems {
		return "words should be a list of texts of at most " + strconv.Itoa(maxItem) + " bytes"
	}
	return ""
}

// isRuleText reports whether v is one line that an agent can be shown unchanged.
func isRuleText(v gjson.Result) bool {
	return v.Type == gjson.String && v.Str != "" && len(v.Str) <= maxRuleText && strings.Join(strings.Fields(v.Str), " ") == v.Str
}

func isInteger(v gjson.Result) bool {
	return v.Type == gjson.Number && v.Num == float64(int32(v.Num))
}
