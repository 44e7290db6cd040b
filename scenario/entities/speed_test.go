package entities_test

import (
	"path/filepath"
	"testing"

	"gosmp/scenario"
	"gosmp/scenario/entities"
	"gosmp/scenario/storyboard"
)

// BenchmarkStep measures a step of 0.01 s of a scenario, with its storyboard and entities. Divide
// 0.01 s by the result to get simulated seconds per second.
func BenchmarkStep(b *testing.B) {
	for _, file := range []string{"alks/logical_scenarios/concrete_scenarios/alks_scenario_4_5_2_" +
		"cut_out_multiple_blocking_targets_template.xosc",
		"alks/logical_scenarios/concrete_scenarios/alks_scenario_4_1_1_free_driving_template.xosc",
		"ncap/OpenSCENARIO/NCAP/CA-FC_2026/CPNA.xosc", "esmini/resources/xosc/cut-in.xosc"} {
		b.Run(filepath.Base(file), func(b *testing.B) { benchmark(b, filepath.Join(public, file)) })
	}
}

func benchmark(b *testing.B, file string) {
	d, err := scenario.Open(file)
	if err != nil {
		b.Skip(err)
	}
	s, err := d.Resolve(nil)
	if err != nil {
		b.Fatal(err)
	}
	o := entities.Options{}
	for b.Loop() {
		b.StopTimer()
		w, err := entities.New(s, o)
		if err != nil {
			b.Fatal(err)
		}
		o.Map = w.Simulation().Map()
		story, errs := storyboard.New(s, w, storyboard.Options{})
		if len(errs) > 0 || story.Start() != nil {
			b.Fatal(errs)
		}
		b.StartTimer()
		for k := 1; k <= 1000; k++ {
			if err := story.Step(float64(k) / 100); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.ReportMetric(float64(b.N)*10/b.Elapsed().Seconds(), "sim-s/s")
}
