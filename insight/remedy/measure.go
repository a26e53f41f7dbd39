package remedy

import (
	"time"

	"aburn/insight"
)

// Applied is that a user tried a remedy against the failure with this key.
type Applied struct {
	V    int       `json:"v"`
	Key  string    `json:"key"` // whole: f1-…, s1-… or e1-…
	Time time.Time `json:"time"`
	Note string    `json:"note"`
}

// MinAfter is how many sessions there have to be after a remedy before a rate is one.
const MinAfter = 5

// Measured is how often a failure came before and after a remedy was tried against it.
//
// Looked at are the sessions of the agents that have ever had the key, between the application before this one of the same
// key and the one after it. Before are those that ended before Time, After those that began at or after it. Rate.Failed is those
// that fail and have the key, Rate.Of those that failed or completed.
type Measured struct {
	Applied
	Before   Rate     `json:"before"`
	After    Rate     `json:"after"`
	Excluded Excluded `json:"excluded"`
	// Insufficient says that After has fewer than MinAfter sessions: then the two are not to be compared.
	Insufficient bool `json:"insufficient"`
}

// Rate is a number of failures with its denominator.
type Rate struct {
	Failed int `json:"failed"`
	Of     int `json:"of"`
}

// Excluded is the sessions that are in neither rate, each counted under the first that holds.
type Excluded struct {
	Live      int `json:"live"`      // going on now
	Undated   int `json:"undated"`   // without a time
	Straddled int `json:"straddled"` // begun before the remedy and ended after it
	Undecided int `json:"undecided"` // interrupted, or of an unknown outcome
}

// Observation is the sentence that goes with every measure.
const Observation = "This is observation, not proof: other things may have changed at the same time."

// Measure is what became of each failure that a remedy was tried against, in the order of applied.
func Measure(all []*insight.Digest, applied []Applied) []Measured { return nil }

// String is the measure in words, both rates with their denominators.
func (m *Measured) String() string { return "" }
