package queue_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/sweep/queue"
)

func TestCheckURL(t *testing.T) {
	for _, url := range []string{"nats://127.0.0.1:4222", "TOKEN@host", "host:4222",
		"tls://user:secret@host, wss://[::1]:443/path"} {
		require.NoError(t, queue.CheckURL(url), url)
	}
	for url, found := range map[string]string{
		"":                               "an empty address",
		" ":                              "an empty address",
		"nats://a,":                      "an empty address",
		"nonsense://x":                   `the scheme "nonsense"`,
		"nats://a:4222,ftp://b":          `the scheme "ftp"`,
		"nats://":                        `"nats:", which names no host`,
		"nats://:4222":                   `"nats://:4222", which names no host`,
		"./queue":                        `"nats://./queue", which names no host`,
		"nats://host:99999":              "port 99999",
		"nats://host:0":                  "port 0",
		"nats://[::1":                    "an address that is no URL",
		"nats://user:secret@host:4222:1": "an address with two ports",
	} {
		err := queue.CheckURL(url)
		require.ErrorIs(t, err, queue.ErrAccess, url)
		require.ErrorContains(t, err, "found "+found+", expected nats://HOST:PORT", url)
		require.NotContains(t, err.Error(), "secret")
	}
}
