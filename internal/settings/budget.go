package settings

import (
	"strconv"
	"strings"

	"github.com/tidwall/gjson"

	"aburn/internal/agentcli"
	"aburn/internal/plain"
)

// Cost is cost.*, user-only: what a person wants to spend, and how they pay.
type Cost struct {
	Budget   Budget             // cost.budget.day, week and month: of all projects together
	Projects []ProjectBudget    // cost.budget.projects
	Billing  map[string]Billing // cost.billing by the agent's name; an agent that is not in it is BillingUnknown
	Currency Currency           // cost.currency.*
}

// Billing is how a person pays for an agent.
type Billing string

const (
	BillingUnknown      Billing = ""
	BillingAPI          Billing = "api"          // by use
	BillingSubscription Billing = "subscription" // a plan, perhaps with paid use beyond it
)

func (c *Cost) setBilling(agent string, v value) string {
	if agentcli.Of(agent).Name == "" {
		return "names no agent that aburn knows"
	}
	how := Billing(v.text)
	switch {
	case v.string && how == "unknown":
		how = BillingUnknown
	case !v.string || how != BillingAPI && how != BillingSubscription:
		return `should be "api", "subscription" or "unknown"`
	}
	if c.Billing == nil {
		c.Billing = map[string]Billing{}
	}
	c.Billing[agent] = how
	return ""
}

// Budget is how much a period may cost at list prices, in cents; 0 is no budget.
type Budget struct{ Day, Week, Month int64 }

// ProjectBudget is the budget of one project: its folder's name, or its path.
type ProjectBudget struct {
	Project string
	Budget
}

// maxBudget is in dollars. More than an amount can hold is no budget.
const maxBudget = 1_000_000

// setMoney reads dollars, with at most two decimal places.
func setMoney(to *int64, v value) string {
	whole, fraction, _ := strings.Cut(strings.TrimPrefix(strings.TrimSpace(v.text), "$"), ".")
	dollars, err := strconv.ParseUint(whole, 10, 32)
	cents, err2 := strconv.ParseUint((fraction + "00")[:2], 10, 8)
	if err != nil || err2 != nil || !v.scalar || len(fraction) > 2 || dollars > maxBudget {
		return `should be an amount of dollars like 20 or 12.50, or 0 for none`
	}
	*to = int64(dollars*100 + cents)
	return ""
}

const projectBudgetForm = `should be a list like [{"project": "shop", "day": 5, "month": 80}]`

// setProjectBudgets reads cost.budget.projects. A wrong item makes the whole list wrong: a budget that is silently missing
// would never warn.
func setProjectBudgets(to *[]ProjectBudget, v value) (wrong string) {
	items, ok := v.items()
	if v.string && v.text == "[]" {
		items, ok = nil, true // the default
	}
	if !ok || len(items) > maxItems {
		return projectBudgetForm
	}
	var list []ProjectBudget
	for _, item := range items {
		var b ProjectBudget
		object := gjson.Parse(item.text)
		if item.scalar || !object.IsObject() {
			return projectBudgetForm
		}
		object.ForEach(func(k, v gjson.Result) bool {
			switch name := k.String(); {
			case strings.HasPrefix(name, "//"):
			case name == "project":
				b.Project = v.Str
			case name == "day":
				wrong = setMoney(&b.Day, valueOf(v))
			case name == "week":
				wrong = setMoney(&b.Week, valueOf(v))
			case name == "month":
				wrong = setMoney(&b.Month, valueOf(v))
			default:
				wrong = "has " + clipped(name) + ", which no budget has" + plain.Suggest(name, []string{"project", "day", "week", "month"})
			}
			return wrong == ""
		})
		switch {
		case wrong != "":
			return wrong
		case b.Project == "" || b.Budget == Budget{}:
			return projectBudgetForm
		}
		list = append(list, b)
	}
	*to = list
	return ""
}
