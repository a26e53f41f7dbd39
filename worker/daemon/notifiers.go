package daemon

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"aburn/internal/notify"
	"aburn/internal/plain"
	"aburn/internal/settings"
	"aburn/worker/config"
	"aburn/worker/react"
	"aburn/worker/round"
)

// Names of the ways that the settings have.
const (
	wayDesktop = "desktop"
	wayCommand = "command"
)

// priorities of notices, as notificationRouting calls them; the others are action.
var priorities = map[string]string{
	round.KeyNeeds: "urgent", round.KeyStuck: "urgent", round.KeyExited: "urgent", round.KeyMass: "urgent", round.KeyGates: "urgent",
	round.KeySilent: "warning", round.KeyForge: "warning", round.KeyConflict: "warning", round.KeyIdle: "info",
	react.KeyMerged: "info", react.KeyComplete: "info",
}

// WaysFor are the ways that a notice goes: those of notificationRouting for its priority, else defaults.notifiers, else all.
// Addresses and programs are the person's own; a project's file only chooses among their names.
func WaysFor(c *config.Config, s settings.Notify, x round.Notice, env func(string) string) (o notify.Options, wrong []string) {
	known := []string{wayDesktop, wayCommand}
	for _, setting := range c.Settings {
		if name, ok := strings.CutPrefix(setting.Key, "notifiers."); ok && !slices.Contains(known, name) {
			known = append(known, name)
		}
	}
	priority := cmp.Or(c.Word("reactions."+x.Key+".priority"), priorities[x.Key], "action")
	names := known
	for _, wanted := range [][]string{c.Words("notificationRouting." + priority), c.Words("defaults.notifiers")} {
		if wanted = slices.DeleteFunc(slices.Clone(wanted), func(n string) bool { return !slices.Contains(known, n) }); len(wanted) > 0 {
			names = wanted
			break
		}
	}
	for _, name := range names {
		way, own, err := wayOf(c, name, env)
		switch {
		case err != nil:
			wrong = append(wrong, "notifiers."+name+": "+err.Error())
		case own == wayDesktop:
			o.Desktop = s.Desktop
		case own == wayCommand:
			o.Command = s.Command
		default:
			o.Ways = append(o.Ways, way)
		}
	}
	return o, wrong
}

// wayOf is the way of a name, or which of the settings' own ways it means.
func wayOf(c *config.Config, name string, env func(string) string) (w notify.Way, own string, err error) {
	part := c.Part("notifiers." + name)
	plugin, _ := part["plugin"].(string)
	w = notify.Way{Name: "notifiers." + name}
	switch plugin = cmp.Or(plugin, name); plugin {
	case wayDesktop:
		return w, wayDesktop, nil
	case wayCommand:
		if w.Command = config.Argv(part["command"]); len(w.Command) == 0 {
			return w, wayCommand, nil
		}
	case "slack", "webhook":
		w.Slack, w.Header = plugin == "slack", map[string]string{}
		addresses := []string{"webhook", "webhookUrl", "url"}
		if w.URL = secretWord(part, env, addresses...); w.URL == "" {
			for _, name := range addresses {
				word, _ := part[name].(string)
				if variable, ok := variableOf(word); ok {
					return w, "", fmt.Errorf("its address is in the variable %s, which is not set here", plain.Quote(variable, 40))
				}
			}
		}
		headers, _ := part["headers"].(map[string]any)
		for k, v := range headers {
			w.Header[k] = expand(fmt.Sprint(v), env)
		}
	default:
		return w, "", fmt.Errorf("no way to notify is called %s", plain.Quote(plugin, 40))
	}
	return w, "", w.Check()
}

// WrongNotifiers says what is wrong with the person's notifiers.
func WrongNotifiers(c *config.Config, env func(string) string) (wrong []string) {
	for _, setting := range c.Settings {
		if name, ok := strings.CutPrefix(setting.Key, "notifiers."); ok {
			if _, _, err := wayOf(c, name, env); err != nil {
				wrong = append(wrong, setting.Key+": "+err.Error())
			}
		}
	}
	return wrong
}

// secretWord is a word of the person's file under one of its names: itself, as ${NAME}, or under NAME_env, where a variable has it.
func secretWord(part map[string]any, env func(string) string, names ...string) string {
	for _, name := range names {
		if variable, _ := part[name+"_env"].(string); variable != "" && env(variable) != "" {
			return env(variable)
		}
		if word, _ := part[name].(string); word != "" {
			return expand(word, env)
		}
	}
	return ""
}

// expand is the value of a variable for ${NAME}.
func expand(word string, env func(string) string) string {
	if name, ok := variableOf(word); ok {
		return env(name)
	}
	return word
}

// variableOf is NAME of ${NAME}.
func variableOf(word string) (name string, ok bool) {
	name, ok = strings.CutPrefix(word, "${")
	return strings.TrimSuffix(name, "}"), ok && strings.HasSuffix(name, "}")
}
