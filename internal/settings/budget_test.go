package settings

import (
	"reflect"
	"strings"
	"testing"
)

func TestBudgets(t *testing.T) {
	h := newHome(t)
	h.write(ownFile,
		`{"cost.budget.day": 20, "cost": {"budget": {"week": "12.5", "month": 300.05, "projects": [{"project": "shop", "day": "$5"}, {"//": "mine", "project": `+
			`"/src/pay", "month": 1}]}}}`)
	s := h.load()
	want := Cost{Budget{2000, 1250, 30005}, []ProjectBudget{{"shop", Budget{Day: 500}}, {"/src/pay", Budget{Month: 100}}}, nil, Currency{}}
	if !reflect.DeepEqual(s.Cost, want) || s.Warnings != nil {
		t.Errorf("%+v, warnings %q; want %+v", s.Cost, s.Warnings, want)
	}
}

// A wrong budget is left out and said: a mistake must not look like a budget that is never reached.
func TestWrongBudgets(t *testing.T) {
	for value, wrong := range map[string]string{
		`"cost.budget.day": -1`:                                     "should be an amount of dollars",
		`"cost.budget.day": 1.005`:                                  "should be an amount of dollars",
		`"cost.budget.day": 1e3`:                                    "should be an amount of dollars",
		`"cost.budget.day": "a lot"`:                                "should be an amount of dollars",
		`"cost.budget.day": ""`:                                     "should be an amount of dollars",
		`"cost.budget.day": null`:                                   "should be an amount of dollars",
		`"cost.budget.day": 1000001`:                                "should be an amount of dollars",
		`"cost.budget.yaer": 1`:                                     "is not a setting",
		`"cost.budget.projects": {}`:                                "",
		`"cost.budget.projects": "shop"`:                            "should be a list like",
		`"cost.budget.projects": ["shop"]`:                          "should be a list like",
		`"cost.budget.projects": [{"day": 1}]`:                      "should be a list like",
		`"cost.budget.projects": [{"project": "shop"}]`:             "should be a list like",
		`"cost.budget.projects": [{"project": "shop", "day": "x"}]`: "should be an amount of dollars",
		`"cost.budget.projects": [{"project": "shop", "dya": 1}]`:   "did you mean day?",
	} {
		h := newHome(t)
		h.write(ownFile, "{"+value+"}")
		s := h.load()
		if !reflect.DeepEqual(s.Cost, Cost{}) || wrong != "" && !strings.Contains(strings.Join(s.Warnings, "\n"), wrong) {
			t.Errorf("%s: %+v, %q", value, s.Cost, s.Warnings)
		}
	}
}

// A project cannot set what its user may spend.
func TestProjectSetsNoBudget(t *testing.T) {
	h := newHome(t)
	h.mark()
	h.write(projectFile, `{"cost.budget.day": 1}`)
	if s := h.load(); !reflect.DeepEqual(s.Cost, Cost{}) || len(s.Warnings) != 1 {
		t.Errorf("%+v, %q", s.Cost, s.Warnings)
	}
}

func TestBilling(t *testing.T) {
	h := newHome(t)
	h.write(ownFile, `{"cost": {"billing": {"claude": "subscription", "//": "mine", "codex": "unknown"}}, "cost.billing.gemini": "api"}`)
	s := h.load()
	want := map[string]Billing{"claude": BillingSubscription, "codex": BillingUnknown, "gemini": BillingAPI}
	if !reflect.DeepEqual(s.Cost.Billing, want) || s.Warnings != nil {
		t.Errorf("%v, warnings %q", s.Cost.Billing, s.Warnings)
	}
	for value, wrong := range map[string]string{
		`"cost.billing.claude": "free"`:         `cost.billing.claude should be "api", "subscription" or "unknown"`,
		`"cost.billing.claude": true`:           "should be",
		`"cost.billing": {"claude": ["api"]}`:   "should be",
		`"cost.billing": {"cluade": "api"}`:     "cost.billing.cluade names no agent",
		`"cost.billing": {"": "api"}`:           "names no agent",
		`"cost.billing": "subscription"`:        "is a group of settings, like cost.billing.AGENT",
		`"cost.billing": {"a\u001b[1m": "api"}`: `"cost.billing.a\x1b[1m" names no agent`,
	} {
		h := newHome(t)
		h.write(ownFile, "{"+value+"}")
		if s := h.load(); s.Cost.Billing != nil || len(s.Warnings) != 1 || !strings.Contains(s.Warnings[0], wrong) {
			t.Errorf("%s: %v, %q", value, s.Cost.Billing, s.Warnings)
		}
	}
	h = newHome(t)
	h.mark()
	h.write(projectFile, `{"cost": {"billing": {"claude": "api"}}}`)
	if s := h.load(); s.Cost.Billing != nil || len(s.Warnings) != 1 {
		t.Errorf("a project says how its user pays: %v, %q", s.Cost.Billing, s.Warnings)
	}
}
