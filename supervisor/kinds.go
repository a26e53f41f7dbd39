package supervisor

import "aburn/supervisor/limits"

// Kind is what is fixed about a type, whatever the evidence.
type Kind = limits.Kind

// MaxUnearned is the highest confidence of a type that has not earned more.
const MaxUnearned = limits.MaxUnearned

// Kinds lists the types with what is fixed about each, in the order of the documentation.
func Kinds() []Kind { return limits.Kinds() }

// Types lists all types in the order of the documentation.
func Types() (types []Type) {
	for _, name := range limits.Types() {
		types = append(types, Type(name))
	}
	return types
}

// Kind is the type's row of the table; the zero Kind for a type that has none.
func (t Type) Kind() Kind { return limits.KindOf(string(t)) }

// Priority is critical, high, medium or low; empty for a type that has no row.
func (t Type) Priority() string { return t.Kind().Priority }
