package rules

import (
	"strings"
	"testing"
)

// What the configuration says of a rule counts for those that are judged once too. What these rules find, the labelled cases say.
func TestLevelsOfWhatIsJudgedOnce(t *testing.T) {
	manifest := []byte("{\n \"devDependencies\": {\"@opentelemetry/api\": \"1\"}\n}")
	message := []LintMessage{{RuleID: "a", Severity: 2, Message: "b"}}
	for _, level := range []Severity{"", Off, Advisory, Blocking} {
		levels := map[string]Severity{"API-002": level, "LINT": level}
		var got []string
		for _, f := range append(APIPlaced("package.json", manifest, Dependencies, levels), Lint("a.js", nil, message, levels)...) {
			got = append(got, string(f.Severity))
			if f.Line < 1 || f.Why == "" || f.Example == "" {
				t.Errorf("%+v", f)
			}
		}
		want := map[Severity]string{"": "advisory blocking", Off: "", Advisory: "advisory advisory", Blocking: "blocking blocking"}[level]
		if strings.Join(got, " ") != want {
			t.Errorf("%q: %v, want %s", level, got, want)
		}
	}
	if list := APIPlaced("package.json", []byte("{"), Dependencies, nil); list != nil {
		t.Errorf("of no JSON: %v", list)
	}
}
