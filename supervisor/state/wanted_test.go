package state

import "testing"

func TestWantedTimes(t *testing.T) {
	for prompt, want := range map[string]int{
		"":                                        0,
		"fix issue 28":                            0,
		"fix the 3 failing tests":                 0,
		"run it six times":                        6,
		"Run the tests 10 times, please.":         10,
		"do 5 runs of the benchmark":              5,
		"run it 20x":                              20,
		"repeat 7 and compare":                    7,
		"poll the job every 30 seconds":           ManyTimes,
		"run the suite until it fails":            ManyTimes,
		"train until it converges":                ManyTimes,
		"Fix the build, and try until it passes.": 0,
		"ask the network until it is up":          ManyTimes,
		"don't stop until it works":               0, // what it tries may still go in circles
		"for i in 1 2 3: curl it":                 ManyTimes,
		"find out why the test is flaky":          ManyTimes,
		"the last time we tried":                  0,
		"run it a million times":                  0,
		"run it 1000000 times":                    ManyTimes,
		"this is the fourth attempt of 3 people":  0,
		"please make the health endpoint answer.": 0,
	} {
		if got := wantedTimes(prompt); got != want {
			t.Errorf("%q: %d, want %d", prompt, got, want)
		}
	}
}
