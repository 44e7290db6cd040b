package scxml_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/experiment/scxml"
	"gosmp/experiment/scxml/ecmascript"
)

// The W3C's manifest, by kind (X32). 403 is three files, 303 has two more, 513 has none.
const (
	mandatory = `144 147 148 149 150 151 152 153 155 156 158 159 172 173 174 175 176 179 183 185 186 187 189 190 191 192 194 198
199 200 205 207 208 210 215 216 220 223 224 225 226 228 229 232 233 234 235 236 237 239 240 241 242 243 244 245 247 252 253 276
277 279 280 286 287 294 298 302 303 304 309 310 311 312 318 319 321 322 323 324 325 326 329 330 331 332 333 335 336 337 338 339
342 343 344 346 347 348 349 350 351 352 354 355 364 372 375 376 377 378 387 388 396 399 401 402 403 404 405 406 407 409 411 412
413 416 417 419 421 422 423 436 487 488 495 496 500 501 503 504 505 506 521 525 527 528 529 530 533 550 551 552 553 554 570 576
579 580`
	optional  = `193 278 444 445 446 448 449 451 452 453 456 457 459 460 557 558 560 561 562 569 578`
	basicHTTP = `201 509 510 518 519 520 522 531 532 534 567 577`
	manual    = `178 230 250 301 307 313 314 415 513`
)

// withoutPair lists the charts of the W3C without a JSON file: three manual ones, and those that
// need a web server.
const withoutPair = `178 301 415 509 510 518 519 520 522 531 532 534 567 577`

// subCharts lists charts that others invoke or read.
const subCharts = `test216sub1 test226sub1 test239sub1 test242sub1 test276sub1`

var testNumber = regexp.MustCompile(`^w3c-ecma/test(\d+)(-\d|[abc])?\.txml$`)

// TestSuite_EveryFileIsClassified tests X31: it fails for a file that is new in the suite.
func TestSuite_EveryFileIsClassified(t *testing.T) {
	all := strings.Fields(mandatory + " " + optional + " " + basicHTTP + " " + manual)
	require.Len(t, strings.Fields(mandatory), 158)
	require.Len(t, all, 200)
	pairs, alone, sub := 0, 0, 0
	for _, name := range suite(t) {
		number := testNumber.FindStringSubmatch(name)
		_, err := os.Stat(filepath.Join(suiteRoot, name+".json"))
		switch {
		case err == nil && (number == nil || slices.Contains(all, number[1])):
			pairs++
		case number != nil && slices.Contains(strings.Fields(withoutPair), number[1]):
			alone++
		case slices.Contains(strings.Fields(subCharts), filepath.Base(name)):
			sub++
		default:
			t.Errorf("%s is not classified", name)
		}
	}
	require.Equal(t, [3]int{316, 14, 5}, [3]int{pairs, alone, sub})
}

// TestSuite_Claim tests X32: all mandatory automatic tests pass, as do all optional ones that do
// not need a web server.
func TestSuite_Claim(t *testing.T) {
	passed := results(t)
	for _, number := range strings.Fields(mandatory + " " + optional) {
		require.True(t, passed[number], "W3C test %s", number)
	}
	for _, number := range strings.Fields(basicHTTP) {
		require.False(t, passed[number], "W3C test %s needs a web server", number)
	}
}

// results plays all charts of the W3C and reports which tests pass: charts with a JSON file must
// produce the results stated there, and all others must end in the state pass.
func results(t *testing.T) map[string]bool {
	t.Helper()
	passed := map[string]bool{}
	for _, name := range suite(t) {
		number := testNumber.FindStringSubmatch(name)
		if number == nil {
			continue
		}
		s, err := readScript(name)
		if err != nil {
			s = &script{Initial: []string{"pass"}}
		}
		ok := play(filepath.Join(suiteRoot, name+".scxml"), s) == nil
		before, seen := passed[number[1]]
		passed[number[1]] = ok && (before || !seen)
	}
	return passed
}

// TestSuite_WebServersAreRefused tests X32: each chart that needs a web server runs, and its send
// raises error.execution with the reason before any other error.
func TestSuite_WebServersAreRefused(t *testing.T) {
	suite(t)
	for _, number := range strings.Fields(basicHTTP) {
		var errors []string
		r := newRig(scxml.Options{})
		c, err := ecmascript.Load(filepath.Join(suiteRoot, "w3c-ecma", "test"+number+".txml.scxml"))
		require.NoError(t, err, number)
		m, err := r.Add("m", c)
		require.NoError(t, err)
		require.NoError(t, m.Start())
		for _, line := range r.log {
			if strings.Contains(line, "raise error.") {
				errors = append(errors, line)
			}
		}
		require.NotEmpty(t, errors, number)
		require.Contains(t, errors[0], `raise error.execution: {"tagname":"send",`, number)
		require.Contains(t, errors[0],
			`"reason":"the send type \"http://www.w3.org/TR/scxml/#BasicHTTPEventProcessor\" is `+
				`not supported"`, number)
	}
}
