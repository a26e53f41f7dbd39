package settings

import (
	"reflect"
	"strings"
	"testing"
)

func TestBudgets(t *testing.T) {
	h := newHome(t)
	h.write(ownFile, `{"cost.budget.day": 20, "cost": {"budget": {"week": "12.5", "month": 300.05, "projects": [{"project": "shop", "day": "$5"}, {"//": "mine", "project": "/src/pay", "month": 1}]}}}`)
	s := h.load()
	want := Cost{Budget{2000, 1250, 30005}, []ProjectBudget{{"shop", Budget{Day: 500}}, {"/src/pay", Budget{Month: 100}}}}
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
