package settings

import (
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/tidwall/gjson"
)

func setSize(to *int64, v value, least int64) string {
	n, ok := parseSize(v)
	switch {
	case !ok:
		return `should be a size like "16MiB", or bytes`
	case n < least:
		return "should be at least " + strconv.FormatInt(least>>10, 10) + "KiB"
	}
	*to = n
	return ""
}

// unit is the number of bytes in a unit of size, or 0. KB is 1000, KiB is 1024; K, M and G mean
// the latter.
func unit(name string) float64 {
	switch strings.ToLower(name) {
	case "", "b":
		return 1
	case "kb":
		return 1e3
	case "mb":
		return 1e6
	case "gb":
		return 1e9
	case "k", "kib":
		return 1 << 10
	case "m", "mib":
		return 1 << 20
	case "g", "gib":
		return 1 << 30
	}
	return 0
}

// parseSize reads "16MiB", "1.5 GB", "4096" or a number of bytes.
func parseSize(v value) (int64, bool) {
	text := strings.TrimSpace(v.text)
	end := strings.LastIndexAny(text, "0123456789.") + 1
	n, err := strconv.ParseFloat(text[:end], 64)
	bytes := n * unit(strings.TrimSpace(text[end:]))
	if err != nil || !v.scalar || n < 0 || bytes != math.Trunc(bytes) || bytes == 0 && n != 0 || bytes > 1<<53 {
		return 0, false
	}
	return int64(bytes), true
}

func setTime(to *time.Duration, v value, least, most time.Duration) string {
	d, ok := parseDuration(v)
	if !ok || d < least || d > most {
		return `should be a time like "10m" (` + between(least, most) + `), or seconds`
	}
	*to = d
	return ""
}

func between(least, most time.Duration) string {
	text := "at most " + strconv.FormatInt(int64(most.Hours()), 10) + "h"
	if least > time.Nanosecond {
		text = "at least " + least.String() + ", " + text
	}
	return text
}

// setDays sets a number of days; 0 means all.
func setDays(to *int, v value) string {
	n, err := strconv.Atoi(v.text)
	if err != nil || !v.scalar || n < 0 || n > 36500 {
		return "should be a number of days, or 0 for ever"
	}
	*to = n
	return ""
}

// setShare sets a confidence from 0 to 1.
func setShare(to *float64, v value) string {
	n, err := strconv.ParseFloat(v.text, 64)
	if err != nil || !v.scalar || !(n >= 0 && n <= 1) {
		return "should be a number from 0 to 1"
	}
	*to = n
	return ""
}

// parseDuration reads "10m", "1h30m" or a number of seconds.
func parseDuration(v value) (time.Duration, bool) {
	if seconds, err := strconv.ParseFloat(v.text, 64); err == nil && v.scalar {
		return time.Duration(seconds * float64(time.Second)), math.Abs(seconds) < 1e9
	}
	d, err := time.ParseDuration(v.text)
	return d, err == nil && v.string
}

// value is one value as text, from a file or the environment.
type value struct {
	text   string
	string bool // it was a JSON string or comes from the environment
	scalar bool // it is no object, list or null
	at     int  // of an item of a list: its place in the list's text
}

func valueOf(v gjson.Result) value {
	text := v.Raw
	if v.Type == gjson.String {
		text = v.Str
	}
	return value{text: text, string: v.Type == gjson.String, scalar: v.Type != gjson.JSON && v.Type != gjson.Null, at: v.Index}
}

// items are those of a list; ok is false for what is none.
func (v value) items() (items []value, ok bool) {
	if v.scalar || v.text == "" || v.text[0] != '[' {
		return nil, false
	}
	gjson.Parse(v.text).ForEach(func(_, item gjson.Result) bool {
		items = append(items, valueOf(item))
		return true
	})
	return items, true
}
