package record

import (
	"testing"

	"github.com/tidwall/gjson"
)

func TestScrubbedKeepsTheShape(t *testing.T) {
	in := `{"a":[1,2.50,true,null,"x",{}],"b":{"c":"line\nline","d":[]},"e":""}`
	if got := string(ScrubbedJSON("", gjson.Parse(in))); got != in {
		t.Errorf("got %s\nwant %s", got, in)
	}
	token := "gh" + "p_" + "16C7e42F292c6912E7710c838347Ae178B4a"
	for _, in := range []string{`{"x":"` + token + `"}`, `{"x":["a ` + token + ` b"]}`, `{"x":{"y":{"z":"\u0067hp_` + token[4:] + `"}}}`, `{"` + token + `":1}`} {
		got := ScrubbedJSON("", gjson.Parse(in))
		if !gjson.ValidBytes(got) || containsText(got, token[8:20]) {
			t.Errorf("%s became %s", in, got)
		}
	}
}

func containsText(b []byte, text string) bool {
	for i := 0; i+len(text) <= len(b); i++ {
		if string(b[i:i+len(text)]) == text {
			return true
		}
	}
	return false
}

// A value alone may look innocent; its key says what it is.
func TestScrubbedReadsKeys(t *testing.T) {
	in := `{"db":{"pass` + `word":"` + "Tr0ub4dor" + `&3xyz!"},"tests":{"passed":"41 of 41"}}`
	got := ScrubbedJSON("", gjson.Parse(in))
	if !gjson.ValidBytes(got) || containsText(got, "Tr0ub4dor") || gjson.GetBytes(got, "tests.passed").Str != "41 of 41" {
		t.Errorf("%s became %s", in, got)
	}
}
