// Package sweeppage makes a report of a sweep: one HTML file that needs no network, with the pass
// rate, the outcomes along each parameter, all parameters side by side, two of them against each
// other, the boundary between pass and fail, the longest runs, and the runs that have not passed
// with their causes and the commands that repeat them.
//
//	about, results, err := sweep.ReadResults("aeb.results")
//	err = sweeppage.Write(file, sweeppage.Sweep{Name: "aeb.results", About: *about, Results: results, Command: command})
//
// Rules upheld: the same results give the same bytes. Tables count all runs; pictures and lists are
// bounded, and say how much of the whole they show. All facts can be read without JavaScript, which
// only chooses what one picture shows. Texts of the sweep cannot become markup.
//
// A boundary is found along a numeric parameter between two runs that are equal in all other
// parameters and in the seed, one passed and one failed, with no other run between them: what
// [sweep.Plan.Edges] calls an edge.
//
// Types: [Sweep].
package sweeppage
