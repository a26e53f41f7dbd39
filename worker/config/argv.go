package config

import (
	"fmt"
	"slices"
)

// Argv is a program and its arguments: a list of words, or one.
func Argv(value any) (list []string) {
	switch v := value.(type) {
	case string:
		list = []string{v}
	case []any:
		for _, item := range v {
			list = append(list, fmt.Sprint(item))
		}
	}
	return slices.DeleteFunc(list, func(s string) bool { return s == "" })
}
