package units

import "testing"

func TestAmounts(t *testing.T) {
	for n, want := range map[int64]string{0: "0", 999: "999", 1000: "1.0k", 9949: "9.9k", 9950: "10k", 999_499: "999k", 999_500: "1.0M", 16_400_000: "16M",
		2_500_000_000: "2.5G"} {
		if got := Amount(n); got != want {
			t.Errorf("%d: %s, want %s", n, got, want)
		}
	}
}
