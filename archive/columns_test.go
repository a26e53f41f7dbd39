package archive

import (
	"reflect"
	"testing"
)

// TestSessionTable finds a field of Session, Counts or Usage that no column holds, and a column whose type nothing writes.
func TestSessionTable(t *testing.T) {
	var s Session
	held := map[any]bool{&s.Key: true, &s.Gone: true, &s.Live: true, &s.Recorded: true} // the key, and what is worked out when it is read
	for i := range sessionTable {
		c := &sessionTable[i]
		if c.field != nil {
			held[c.field(&s)] = true
		}
		if c.value(new(Packed), 0) == nil {
			t.Errorf("%s has a type that nothing writes", c.name)
		}
	}
	var walk func(name string, v reflect.Value)
	walk = func(name string, v reflect.Value) {
		if v.Kind() == reflect.Struct && v.Type().PkgPath() != "time" {
			for i := range v.NumField() {
				walk(name+"."+v.Type().Field(i).Name, v.Field(i))
			}
		} else if !held[v.Addr().Interface()] {
			t.Errorf("no column has %s", name)
		}
	}
	walk("Session", reflect.ValueOf(&s).Elem())
}
