// Package view shows a run live in a browser, and lets the reader pause it.
//
//	v, err := view.Open(view.Options{Title: "town.xodr", Variables: variables, Speed: 1})
//	fmt.Println(v.Address()) // http://127.0.0.1:41233/?token=...
//	v.Wait(30 * time.Second)
//	for ... { step; v.Point(now, take) }
//	v.Close("It has passed.")
//
// Guarantees:
//
//   - Only programs and pages of this machine that know the token get anything.
//   - A page never slows the run: what it has not read in time is sent as a whole later.
//   - At a speed above 0 the run waits for the clock. After a pause or another speed it goes on
//     from there, and does not catch up.
//
// Types: [View], [Options].
package view
