package hooks

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"unsafe"
)

// inputKey tells a call's whole input from others, where an entry keeps only its
// beginning: 8 hex digits of the hash of the input as the client wrote it, "" where
// there is none. It is short because it is to say next to nothing about a secret in
// the input. What a model says beside a shell command about it is no part of it:
// it changes while the command stays, and a permission of Codex has it and its call
// has not.
func inputKey(input JSON) string {
	s := string(input)
	if s == "" {
		return ""
	}
	if strings.Contains(s, described) {
		s = undescribed(input)
	}
	sum := sha256.Sum256(unsafe.Slice(unsafe.StringData(s), len(s)))
	return hex.EncodeToString(sum[:4])
}

const described = `"description"`

// undescribed is a shell call's input without its description, and any other as it is.
func undescribed(input JSON) string {
	shell := false
	b := make([]byte, 0, len(input))
	input.Members(func(key string, value JSON) bool {
		switch key {
		case "command":
			shell = true
		case "description":
			return true
		}
		if len(b) > 0 {
			b = append(b, ',')
		} else {
			b = append(b, '{')
		}
		b = append(append(append(append(b, '"'), key...), `":`...), value...)
		return true
	})
	if !shell {
		return string(input)
	}
	return string(append(b, '}'))
}
