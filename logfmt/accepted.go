package logfmt

import (
	"strconv"

	"github.com/tidwall/gjson"
)

// AcceptedData is the data of an ACCEPTED entry: the damage of which a person knows.
type AcceptedData struct {
	Missing []Range // what is gone
	Damage  int     // other findings
}

func (a AcceptedData) Bytes() []byte {
	var o Object
	if len(a.Missing) > 0 {
		o.Raw("missing", appendRanges(nil, a.Missing))
	}
	return o.Int("damage", int64(a.Damage)).Bytes()
}

// ParseAccepted reads the data object of an ACCEPTED entry. What it lacks is not accepted.
func ParseAccepted(data []byte) AcceptedData {
	r := gjson.ParseBytes(data)
	return AcceptedData{Missing: rangesOf(r.Get("missing")), Damage: count(r.Get("damage"))}
}

func acceptedText(data string) string {
	a := ParseAccepted([]byte(data))
	return "known damage: " + strconv.Itoa(len(a.Missing)) + " ranges of entries are missing, " + strconv.Itoa(a.Damage) + " other findings"
}
