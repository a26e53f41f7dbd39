package backtest

import (
	"maps"
	"slices"
	"testing"

	"aburn/supervisor/limits"
)

// What agents may be told inside of a turn is certain: of the alerts of these types above limits.InTurnAbove, in every
// scenario, none is false. Repeats and debatable ones count neither way, as on the page.
func TestInTurnIsCertain(t *testing.T) {
	told := map[string]int{}
	for _, folder := range []string{"tuned", "frozen", "blind", "examiner-2-reworded", "examiner-2-after", "generated"} {
		for _, s := range corpus(t, folder) {
			o := run(t, s, nil)
			for _, a := range o.res.Alerts {
				if !slices.Contains(limits.InTurn(), string(a.Type)) || a.Agent != "" || a.Max <= limits.InTurnAbove {
					continue
				}
				told[folder+" "+string(a.Type)+" "+string(a.Verdict)]++
				if a.Verdict == False { // which scenario it is stays unsaid: some may not be read
					t.Errorf("%s: a false %s", folder, a.Type)
				}
			}
		}
	}
	for _, what := range slices.Sorted(maps.Keys(told)) {
		t.Logf("%s: %d", what, told[what])
	}
}
