package bill

import (
	"slices"
	"strings"

	"aburn/internal/workspace"

	"aburn/insight/cost"
	"aburn/internal/settings"
)

// Billing says how the user pays for agents, as cost.billing has it.
type Billing map[string]settings.Billing

// Title is what every amount is called: the cost at the vendors' list prices.
const Title = "cost"

// Note says once what amounts of these agents are, without a full stop.
func (b Billing) Note(prices cost.Day, agents ...string) string {
	text := "Cost at list prices of " + prices.Words()
	if len(agents) > 0 && !slices.ContainsFunc(agents, func(a string) bool { return b[a] != settings.BillingAPI }) {
		return text + ", without discounts and taxes"
	}
	text += ", not your bill"
	if byUse := b.of(settings.BillingAPI, agents); len(byUse) > 0 {
		text += " except for " + strings.Join(byUse, ", ")
	}
	if plans := b.of(settings.BillingSubscription, agents); len(plans) > 0 {
		text += ": you have a subscription to " + strings.Join(plans, ", ")
	}
	return text
}

func (b Billing) of(how settings.Billing, agents []string) (list []string) {
	for _, a := range agents {
		if b[a] == how && !slices.Contains(list, a) {
			list = append(list, a)
		}
	}
	slices.Sort(list)
	return list
}

// Plans are the agents that the user has a subscription to.
func (b Billing) Plans() (agents []string) {
	for a, how := range b {
		if how == settings.BillingSubscription {
			agents = append(agents, a)
		}
	}
	slices.Sort(agents)
	return agents
}

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
