package learn

import (
	"slices"

	"aburn/cmd/aburn/internal/scope"
	"aburn/cmd/internal/kit"
	errclass "aburn/insight/failure"
	"aburn/insight/remedy"
	"aburn/internal/project"
	"aburn/internal/settings"
	"aburn/trace"
)

// remedyRules is the rules that count here: the user's own before those that are built in. What is wrong in the settings, a
// project's too, is a warning.
func remedyRules(c *scope.Caller) ([]remedy.Rule, error) {
	dir, err := c.Folder()
	if err != nil {
		return nil, err
	}
	p, err := project.Find(dir, c.Env)
	if err != nil { // none, or one that cannot be read: the user's own file counts all the same
		p = nil
	}
	s := settings.Load(p, c.Env)
	own := s.Rules()
	for _, warning := range s.Warnings {
		c.Warn(warning)
	}
	var rules []remedy.Rule
	for i := range own {
		r, wrong := ruleOf(&own[i])
		if wrong != "" {
			c.Warn(own[i].Place + "remedy.rules: " + wrong + ": ignored")
			continue
		}
		rules = append(rules, r)
	}
	return append(rules, remedy.Registry()...), nil
}

// ruleOf is a rule of the user's settings, or what is wrong with it.
func ruleOf(s *settings.Rule) (r remedy.Rule, wrong string) {
	r = remedy.Rule{
		Name: s.Name, Class: errclass.Class(s.Class), Text: s.Text, Pointer: s.Pointer, User: true,
		Gate: remedy.Gate{Words: s.Words, Type: trace.ToolType(s.ToolType), Tool: s.Tool, Agent: s.Agent, Code: s.Code, Exit: s.Exit, Status: s.Status},
	}
	if r.Name == "" {
		r.Name = "unnamed"
	}
	if classes := kit.AsWords(errclass.Classes()...); s.Class != "" && !slices.Contains(classes, s.Class) {
		return r, "unknown class " + kit.Quote(s.Class) + ", " + kit.Meant(s.Class, classes)[0]
	}
	if s.ToolType != "" && !slices.Contains(scope.ToolTypes(), s.ToolType) {
		return r, "unknown tool_type " + kit.Quote(s.ToolType) + ", " + kit.Meant(s.ToolType, scope.ToolTypes())[0]
	}
	if err := r.Check(); err != nil {
		return r, err.Error()
	}
	return r, ""
}
