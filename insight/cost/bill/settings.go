package bill

import (
	"strings"

	"aburn/internal/settings"
	"aburn/internal/workspace"
)

// SettingsOf are cost.* of the user's settings. It warns of those that are wrong.
func SettingsOf(c *workspace.Caller) *settings.Cost {
	set := settings.Load(nil, c.Env)
	for _, warning := range set.Warnings {
		if strings.Contains(warning, "cost.") {
			c.Warn(warning)
		}
	}
	return &set.Cost
}
