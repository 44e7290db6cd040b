package examine

// Document is the JSON form of a report. It omits everything that differs from run to run.
type Document struct {
	Proved    int               `json:"proved"`
	Refuted   int               `json:"refuted"`
	NotTested int               `json:"notTested"`
	SHA256    string            `json:"sha256"`
	Platform  string            `json:"platform"`
	Processes int               `json:"processes"`
	Verdicts  []DocumentVerdict `json:"verdicts"`
}

// DocumentVerdict is the JSON form of a verdict.
type DocumentVerdict struct {
	ID       string   `json:"id"`
	Outcome  Outcome  `json:"outcome"`
	Severity string   `json:"severity,omitempty"` // of a refuted rule
	Says     string   `json:"says"`
	Clause   string   `json:"clause"`
	Why      string   `json:"why,omitempty"`
	Found    string   `json:"found,omitempty"`
	Expected string   `json:"expected,omitempty"`
	Suffers  string   `json:"suffers,omitempty"`
	Calls    []string `json:"calls,omitempty"`
	Program  string   `json:"program,omitempty"` // in C
}

// Document returns the report in its JSON form.
func (r *Report) Document() *Document {
	d := &Document{Proved: r.Count(Proved), Refuted: r.Count(Refuted),
		NotTested: r.Count(NotTested), SHA256: r.SHA256, Platform: r.Platform,
		Processes: r.Trials, Verdicts: []DocumentVerdict{}}
	for _, v := range r.Verdicts {
		x := DocumentVerdict{ID: v.ID, Outcome: v.Outcome, Says: v.Says, Clause: v.Clause,
			Why: v.Why, Found: v.Found, Expected: v.Expected, Calls: v.Calls, Program: v.Program}
		if v.Outcome == Refuted {
			x.Severity, x.Suffers = v.Severity.String(), v.Suffers
		}
		d.Verdicts = append(d.Verdicts, x)
	}
	return d
}
