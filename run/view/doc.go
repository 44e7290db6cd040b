// Package view shows a run live in a browser and lets the user pause it.
//
//	v, err := view.Open(view.Options{Title: "town.xodr", Variables: variables, Speed: 1})
//	fmt.Println(v.Address()) // http://127.0.0.1:41233/?token=...
//	v.Wait(30 * time.Second)
//	for ... { step; v.Point(now, take) }
//	v.Close("It has passed.")
//
// Guarantees:
//
//   - Only programs and pages on this computer that know the token receive data.
//   - A page never slows down the run: data that it does not read in time is sent later in one go.
//   - At a speed above 0, the run waits for the clock. After a pause or a change of speed, it
//     continues from there and does not catch up.
//
// Types: [View], [Options].
package view
