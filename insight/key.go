package insight

// The keys under which sessions are comparable. Each is a letter and the number of its rules, a dash, and the first 12 hex
// digits of a SHA-256 over what it stands for, so that equal keys mean equal shapes, on every machine:
//
//	f1-…  coarse: agent, outcome, the three classes with most errors in alphabetical order, bucket of the rate of failure, edit loops or not
//	s1-…  sub-signature: agent and all classes of errors, sorted; sessions that ended otherwise can have it too
//	e1-…  fine: type of tool, class, exit code and normalised head of the first decisive error
//
// A session without errors has no sub-signature and no fine key.
type Keys struct {
	Coarse string `json:"fingerprint"`
	Sub    string `json:"sub_signature,omitempty"`
	Fine   string `json:"error_key,omitempty"`
}

// Rate is the bucket of a rate of failure.
type Rate string

// The buckets: no failure, under 20 %, under 60 %, the rest. No call that ended: none.
const (
	RateNone Rate = "none"
	RateLow  Rate = "low"
	RateMid  Rate = "mid"
	RateHigh Rate = "high"
)
