package costs

import "testing"

// A name that a repository chose is no formula in a spreadsheet, and hides nothing in a terminal.
func TestCellsOfATable(t *testing.T) {
	for name, want := range map[string]string{
		"": "", "main": "main", "2026-11": "2026-11", `=HYPERLINK("http://x")`: `'=HYPERLINK("http://x")`, "@SUM(A1)": "'@SUM(A1)", "-2+3": "'-2+3", "+1": "'+1",
		"a\u202eb": "a\ufffdb", "\t=1+1": "' =1+1",
	} {
		if got := cell(name); got != want {
			t.Errorf("%q is %q, want %q", name, got, want)
		}
	}
}
