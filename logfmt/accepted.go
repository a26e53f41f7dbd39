package logfmt

import (
	"strconv"

	"github.com/tidwall/gjson"
)

// AcceptedData is the data of an ACCEPTED entry: the damage of which a person knows.
type AcceptedData struct {
	Missing []Range // what is gone
	Damage  int     // other findings
	Changed []Seal  // segments that are not what a CHECKPOINT says of them, with their hash as they are now
}

func (a AcceptedData) Bytes() []byte {
	var o Object
	if len(a.Missing) > 0 {
		o.Raw("missing", appendRanges(nil, a.Missing))
	}
	o.Int("damage", int64(a.Damage))
	if len(a.Changed) > 0 {
		o.Raw("changed", appendSeals(nil, a.Changed))
	}
	return o.Bytes()
}

// ParseAccepted reads the data object of an ACCEPTED entry. What it lacks is not accepted.
func ParseAccepted(data []byte) AcceptedData {
	r := gjson.ParseBytes(data)
	return AcceptedData{Missing: rangesOf(r.Get("missing")), Damage: count(r.Get("damage")), Changed: sealsOf(r.Get("changed"))}
}

func acceptedText(data string) string {
	a := ParseAccepted([]byte(data))
	return "known damage: " + strconv.Itoa(len(a.Missing)) + " ranges of entries are missing, " + strconv.Itoa(a.Damage) + " other findings"
}
