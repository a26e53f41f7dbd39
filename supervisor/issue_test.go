package supervisor

import (
	"strings"
	"testing"
)

// TestQuotedHoldsNoSecret: what an issue quotes goes into the queue and to the agent, and the cut may fall into a secret.
func TestQuotedHoldsNoSecret(t *testing.T) {
	secret := "gh" + "p_" + "Ab3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0dF2gH5"
	for _, text := range []string{"curl -H " + secret, strings.Repeat("x", maxQuoted-20) + " " + secret, secret[:9] + "\u200d" + secret[9:]} {
		if got := quoted(text); strings.Contains(got, secret[:8]) {
			t.Errorf("%q is quoted as %s", text, got)
		}
	}
}
