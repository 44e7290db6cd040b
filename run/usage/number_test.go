package usage

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestNumbers(t *testing.T) {
	x, err := Float("-2.5e3")
	require.NoError(t, err)
	require.Equal(t, -2500.0, x)
	n, err := Int("-16", 8)
	require.NoError(t, err)
	require.Equal(t, int64(-16), n)
	u, err := Uint("18446744073709551615", 64)
	require.NoError(t, err)
	require.Equal(t, ^uint64(0), u)
	s, err := Seconds("1/4")
	require.NoError(t, err)
	require.Equal(t, 0.25, s)
	d, err := Duration("1m30s")
	require.NoError(t, err)
	require.Equal(t, 90*time.Second, d)
}

func TestNumbers_StateWhatIsExpected(t *testing.T) {
	float := func(text string) error { _, err := Float(text); return err }
	whole := func(text string, bits int) error { _, err := Int(text, bits); return err }
	positive := func(text string, bits int) error { _, err := Uint(text, bits); return err }
	seconds := func(text string) error { _, err := Seconds(text); return err }
	duration := func(text string) error { _, err := Duration(text); return err }
	for want, err := range map[string]error{
		`found "", expected a number such as 0.5`:                    float(""),
		`found "1,5", expected a number such as 0.5`:                 float("1,5"),
		`found "NaN", expected a number such as 0.5`:                 float("NaN"),
		`found "-inf", expected a number such as 0.5`:                float("-inf"),
		`found "1e999", expected a number such as 0.5`:               float("1e999"),
		`found "1.5", expected a whole number such as 4`:             whole("1.5", 64),
		`found "128", expected a whole number from -128 to 127`:      whole("128", 8),
		`found "256", expected a whole number from 0 to 255`:         positive("256", 8),
		`found "-1", expected a whole number from 0 to 65535`:        positive("-1", 16),
		`found "-1s", expected a time of at least 0s`:                duration("-1s"),
		`found "soon", expected seconds such as 0.02 or 1/60`:        seconds("soon"),
		`found "1e30", expected seconds such as 0.02 or 1/60, up to`: seconds("1e30"),
		`found "10", expected a time with its unit, such as 10s`:     duration("10"),
		`found "9223372036854775808", expected a whole number from -9223372036854775808 to ` +
			`9223372036854775807`: whole("9223372036854775808", 64),
	} {
		require.ErrorContains(t, err, want)
	}
}
