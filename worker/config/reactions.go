package config

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"aburn/worker"
	"aburn/worker/react"
)

// Rules are the reactions that count: aburn's own, and what files say of each.
func (c *Config) Rules() react.Rules {
	rules := react.Defaults()
	if idle := rules[react.KeyIdle]; c.ReadyFor() > 0 { // a threshold of its own, below, says it nearer
		idle.Threshold = c.ReadyFor()
		rules[react.KeyIdle] = idle
	}
	most := map[string]int{} // attempts, where escalateAfter counts them; it comes before retries
	for _, s := range c.Settings {
		parts := strings.Split(s.Key, ".")
		if len(parts) != 3 || parts[0] != "reactions" || !slices.Contains(react.Keys(), parts[1]) {
			continue
		}
		r := rules[parts[1]]
		if parts[2] == "auto" && r.Action == worker.ActionMerge && c.fileOf("reactions."+parts[1]+".action") != s.File {
			s.Value = false // one file may not set off what another one says; action comes before auto
		}
		switch v := s.Value.(type) {
		case bool:
			if parts[2] == "auto" {
				r.Auto = v
			} else {
				r.Summary = v
			}
		case int:
			r.Retries = v
			if n, ok := most[parts[1]]; ok {
				r.Retries = min(v, n)
			}
		case string:
			switch parts[2] {
			case "action":
				r.Action = v
			case "message":
				r.Message = strings.TrimSpace(v)
			case "priority":
				r.Priority = v
			case "threshold":
				r.Threshold, _ = time.ParseDuration(v)
			case "escalateAfter":
				if n, err := strconv.Atoi(v); err == nil {
					r.Retries, most[parts[1]] = n, n
				} else {
					r.EscalateAfter, _ = time.ParseDuration(v)
				}
			}
		}
		rules[parts[1]] = r
	}
	return rules
}

// usual reports whether a repository's file only says of a reaction what happens anyway, or that a person is told.
func usual(s said, mine *document) bool {
	if s.name != "action" || s.parts[len(s.parts)-3] != "reactions" {
		return false
	}
	key, v := s.parts[len(s.parts)-2], fmt.Sprint(s.value)
	ofMine := mine != nil && slices.ContainsFunc(mine.said, func(other said) bool { return other.canon() == s.canon() })
	return v == worker.ActionNotify || v == react.Defaults()[key].Action && !ofMine
}

// ReadyFor is after how long an agent that said nothing is idle; 0 if nobody says it.
func (c *Config) ReadyFor() time.Duration {
	return time.Duration(c.Number("readyThresholdMs")) * time.Millisecond
}

func (c *Config) fileOf(key string) string {
	for _, s := range c.Settings {
		if s.Key == key {
			return s.File
		}
	}
	return ""
}

// reaction says what is wrong with a value of a reaction.
func reaction(parts []string, value any) error {
	key, v := parts[1], fmt.Sprint(value)
	switch parts[2] {
	case "action":
		switch {
		case !slices.Contains(react.Actions, v):
			return fmt.Errorf("one of %s, not %q", strings.Join(react.Actions, ", "), v)
		case v == worker.ActionMerge && key != react.KeyGreen:
			return fmt.Errorf("%s is for %s alone", v, react.KeyGreen)
		case v == worker.ActionSend && !tellsAgent(key):
			return fmt.Errorf("%s tells a person: an agent could do nothing about it", key)
		}
	case "priority":
		if !slices.Contains(react.Priorities, v) {
			return fmt.Errorf("one of %s, not %q", strings.Join(react.Priorities, ", "), v)
		}
	case "threshold", "escalateAfter":
		if n, err := strconv.Atoi(v); err == nil && n >= 0 && parts[2] == "escalateAfter" {
			return nil
		}
		if d, err := time.ParseDuration(v); err != nil || d <= 0 {
			return fmt.Errorf("a time such as 90s or 30m, not %q", v)
		}
	}
	return nil
}

func tellsAgent(key string) bool {
	return slices.Contains([]string{worker.KeyCI, worker.KeyChanges, worker.KeyBots, worker.KeyConflicts, react.KeyIdle}, key)
}
