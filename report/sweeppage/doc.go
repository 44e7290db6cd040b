// Package sweeppage creates a report of a sweep: a single HTML file that works offline, with the
// pass rate, the outcomes along each parameter, all parameters side by side, two of them against
// each other, the boundary between pass and fail, the longest runs, and the runs that did not pass
// with their causes and the commands that repeat them.
//
//	about, results, err := sweep.ReadResults("aeb.results")
//	err = sweeppage.Write(file, sweeppage.Sweep{
//		Name: "aeb.results", About: *about, Results: results, Command: command})
//
// Guarantees: the same results produce the same bytes. Tables count all runs; pictures and lists
// are limited and state how much of the whole they show. All facts can be read without JavaScript,
// which only chooses what one of the pictures shows. Texts of the sweep cannot become markup.
//
// A boundary is found along a numeric parameter between two runs that are equal in all other
// parameters and in the seed, one passed and one failed, with no other run between them.
// [sweep.Plan.Edges] calls it an edge.
//
// Types: [Sweep].
package sweeppage
