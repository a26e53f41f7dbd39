// Command aburn-hold stands beside one worker's agent: it starts it, waits for it, writes how it ended and ends what it
// left running. aburn spawn starts it; people do not.
//
//	aburn-hold DIR GENERATION
package main

import (
	"os"

	"aburn/internal/hold"
)

func main() { os.Exit(hold.Main(os.Args[1:])) }
