package settings

import (
	"strings"
	"time"

	"aburn/workflow"
)

// The keys. A file may nest them or write them with dots; in the environment log.rotate is ABURN_LOG_ROTATE.
const (
	keyRotate       = "log.rotate"
	keyKeep         = "log.keep"
	keySync         = "log.sync"
	keyTimeouts     = "timeouts." // and the name of a phase, or "default"
	keyChainOnStart = "inject.chain_on_start"
)

// minRotate keeps the log from being rotated for every few entries.
const minRotate = 64 << 10

// maxTimeout is the longest a phase may take.
const maxTimeout = 24 * time.Hour

// userOnly says whether only the user's own file may set key: what agents are given, what is run, what is delivered.
func userOnly(key string) bool {
	for _, group := range []string{"inject", "notify", "deliver", "queue", "remedy"} {
		if key == group || strings.HasPrefix(key, group+".") {
			return true
		}
	}
	return false
}

// known lists the keys for "did you mean".
func known() []string {
	keys := []string{keyRotate, keyKeep, keySync, keyChainOnStart, keyTimeouts + DefaultTimeout}
	for _, p := range workflow.Default().Phases {
		keys = append(keys, keyTimeouts+p.Name)
	}
	return keys
}

// value is one value as text, from a file or the environment.
type value struct {
	text   string
	string bool // it was a JSON string or comes from the environment
	scalar bool // it is no object, list or null
}

// set puts one value in its place. ok is false for a key that is none; wrong says what the value should be.
func (s *Settings) set(key string, v value) (wrong string, ok bool) {
	switch key {
	case keyRotate:
		return setSize(&s.Rotate, v, minRotate), true
	case keyKeep:
		return setSize(&s.Keep, v, 0), true
	case keySync:
		return setSync(&s.Sync, v), true
	case keyChainOnStart:
		return setBool(&s.Inject.ChainOnStart, v), true
	}
	if phase, ok := strings.CutPrefix(key, keyTimeouts); ok && isPhase(phase) {
		return s.setTimeout(phase, v), true
	}
	return "", false
}

func setSync(to *Sync, v value) string {
	switch sync := Sync(v.text); {
	case v.string && (sync == SyncNone || sync == SyncDurable || sync == SyncAll):
		*to = sync
		return ""
	}
	return `should be "none", "durable" or "all"`
}

func setBool(to *bool, v value) string {
	switch v.text {
	case "true", "1", "on", "yes":
		*to = true
	case "false", "0", "off", "no":
		*to = false
	default:
		return "should be true or false"
	}
	return ""
}

func (s *Settings) setTimeout(phase string, v value) string {
	d, ok := parseDuration(v)
	if !ok || d <= 0 || d > maxTimeout {
		return `should be a time like "10m" (at most 24h), or seconds`
	}
	if s.Timeouts == nil {
		s.Timeouts = make(map[string]time.Duration)
	}
	s.Timeouts[phase] = d
	return ""
}

// isPhase says whether a name can be a phase: projects have their own ones. The rules are those of log entries.
func isPhase(name string) bool {
	return name != "" && len(name) <= 32 && strings.Trim(name, phaseBytes) == ""
}

const phaseBytes = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._:/-"

// didYouMean is the key that a mistyped one probably meant, or "": all but two letters agree from both ends, or it is
// the last part of one.
func didYouMean(key string) string {
	for _, k := range known() {
		_, last, _ := strings.Cut(k, ".")
		if strings.EqualFold(key, last) || similar(strings.ToLower(key), strings.ToLower(k)) {
			return k
		}
	}
	return ""
}

func similar(a, b string) bool {
	head := 0
	for head < min(len(a), len(b)) && a[head] == b[head] {
		head++
	}
	tail := 0
	for tail < min(len(a), len(b))-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	return max(len(a), len(b))-head-tail <= 2
}
