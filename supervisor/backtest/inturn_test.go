package backtest

import (
	"maps"
	"slices"
	"testing"

	"aburn/internal/lab/world"
	"aburn/supervisor/limits"
)

// What agents may be told inside of a turn is certain: of the alerts of these types above limits.InTurnAbove, in every
// scenario, none is false. Repeats and debatable ones count neither way, as on the page. The guide names the least count.
func TestInTurnIsCertain(t *testing.T) {
	world.Slow(t)
	told, right := map[string]int{}, 0
	for _, folder := range []string{"tuned", "frozen", "blind", "examiner-2-reworded", "examiner-2-after", "generated"} {
		for _, s := range corpus(t, folder) {
			o := run(t, s, nil)
			for _, a := range o.res.Alerts {
				if !slices.Contains(limits.InTurn(), string(a.Type)) || a.Agent != "" || a.Max <= limits.InTurnAbove {
					continue
				}
				told[folder+" "+string(a.Type)+" "+string(a.Verdict)]++
				if a.Verdict == True {
					right++
				}
				if a.Verdict == False { // which scenario it is stays unsaid: some may not be read
					t.Errorf("%s: a false %s", folder, a.Type)
				}
			}
		}
	}
	if least := 95; right < least {
		t.Errorf("%d true alerts; docs/reference/supervising.md says at least %d", right, least)
	}
	for _, what := range slices.Sorted(maps.Keys(told)) {
		t.Logf("%s: %d", what, told[what])
	}
}
