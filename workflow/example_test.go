package workflow_test

import (
	"fmt"

	"aburn/workflow"
)

// The default model has a chain of commands and an order of phases.
func Example() {
	m := workflow.Default()
	for _, c := range m.Commands {
		fmt.Printf("%s after %q\n", c.Name, c.After)
	}
	ok, skipped := m.Legal("RED", "REFACTOR")
	fmt.Println(ok, skipped)
	// Output:
	// ideate after ""
	// plan after "ideate"
	// build after "plan"
	// ship after "build"
	// false GREEN
}
