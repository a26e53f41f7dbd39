package workflow

import (
	"reflect"
	"testing"
)

// Every field of the model, wherever it stands, changes the hash; a field that somebody adds does too, or this fails.
func TestHashSeesEverything(t *testing.T) {
	hashes := map[string]string{Default0().Hash(): "the default"}
	n := 0
	for {
		m := Default0()
		name := nudge(reflect.ValueOf(m).Elem(), "Model", n, new(int))
		if name == "" {
			break
		}
		h := m.Hash()
		if len(h) != 16 || hashes[h] != "" {
			t.Errorf("%s: %q is also the hash of %s", name, h, hashes[h])
		}
		hashes[h] = name
		n++
	}
	if n < 100 {
		t.Errorf("only %d fields were changed", n)
	}
	if first, again := Default0().Hash(), Default0().Hash(); first != again {
		t.Error("two hashes of one model")
	}
}

// Default0 is the default behind a pointer.
func Default0() *Model {
	m := Default()
	return &m
}

// nudge changes the n-th plain value in v and returns its name, "" when there are fewer. Lists count too: they lose an item.
func nudge(v reflect.Value, name string, n int, seen *int) string {
	mine := *seen == n
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if got := nudge(v.Field(i), name+"."+v.Type().Field(i).Name, n, seen); got != "" {
				return got
			}
		}
		return ""
	case reflect.Slice:
		*seen++
		if mine {
			if v.Len() == 0 {
				v.Set(reflect.Append(v, reflect.Zero(v.Type().Elem())))
			} else {
				v.Set(v.Slice(0, v.Len()-1))
			}
			return name + "[]"
		}
		for i := range v.Len() {
			if got := nudge(v.Index(i), name+"["+v.Index(i).String()+"]", n, seen); got != "" {
				return got
			}
		}
		return ""
	}
	*seen++
	if !mine {
		return ""
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(v.String() + "x")
	case reflect.Bool:
		v.SetBool(!v.Bool())
	case reflect.Float64:
		v.SetFloat(v.Float() + 0.01)
	case reflect.Int, reflect.Int64:
		v.SetInt(v.Int() + 1)
	default:
		panic(name + ": " + v.Kind().String())
	}
	return name
}
