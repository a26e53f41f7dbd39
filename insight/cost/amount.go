package cost

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
	"strconv"
	"strings"
)

// Amount is money in units of 10⁻¹² of a currency's unit (a dollar). Integers make a sum the same in any order. The
// largest amount is about 9.2 million dollars.
type Amount int64

// Dollar is the Amount of a dollar.
const Dollar Amount = unit

const unit = 1_000_000_000_000

// Decimal is the exact amount, without zeros at its end: "4.5", "0.000000000001".
func (a Amount) Decimal() string {
	sign, n := "", uint64(a)
	if a < 0 {
		sign, n = "-", -n
	}
	s := fmt.Sprintf("%s%d.%012d", sign, n/unit, n%unit)
	return strings.TrimSuffix(strings.TrimRight(s, "0"), ".")
}

// Cents is the amount in cents, rounded half away from zero.
func (a Amount) Cents() int64 {
	const cent = unit / 100
	if a < 0 {
		return -(-a).Cents()
	}
	return int64(a)/cent + int64(a)%cent/(cent/2)
}

// plus adds. ok is false if the sum is not an Amount; the result is then the largest one.
func (a Amount) plus(b Amount) (sum Amount, ok bool) {
	if s := a + b; (s > a) == (b > 0) {
		return s, true
	}
	return math.MaxInt64, false
}

// times multiplies a rate with a factor in thousandths and a number of tokens. What is below an Amount is cut off at the
// end. ok is false if the product is not an Amount.
func (a Amount) times(factor, n int64) (product Amount, ok bool) {
	if a < 0 || factor < 0 || n < 0 {
		return 0, false
	}
	high, low := bits.Mul64(uint64(a), uint64(factor))
	if high != 0 {
		return 0, false
	}
	if high, low = bits.Mul64(low, uint64(n)); high >= oneTime {
		return 0, false
	}
	low, _ = bits.Div64(high, low, oneTime)
	return Amount(low), low <= math.MaxInt64
}

// parseDecimal reads a JSON number as an integer of 10^-digits. Price files are refused for digits beyond: a rounded
// price would be another price.
func parseDecimal(s string, digits int) (int64, error) {
	whole, fraction, _ := strings.Cut(s, ".")
	if strings.ContainsAny(s, "eE") {
		f, err := strconv.ParseFloat(s, 64)
		if err != nil || math.IsInf(f, 0) {
			return 0, fmt.Errorf("%s is not a price", s)
		}
		whole, fraction, _ = strings.Cut(strconv.FormatFloat(f, 'f', -1, 64), ".")
	}
	if strings.HasPrefix(whole, "-") {
		return 0, fmt.Errorf("%s is negative", s)
	}
	fraction = strings.TrimRight(fraction, "0")
	if len(fraction) > digits {
		return 0, fmt.Errorf("%s has more than %d decimal places", s, digits)
	}
	if whole == "" {
		return 0, errors.New("a price is missing")
	}
	n, err := strconv.ParseInt(whole+fraction+strings.Repeat("0", digits-len(fraction)), 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%s is not a price", s)
	}
	return n, nil
}
