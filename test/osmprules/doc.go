// Package osmprules tests OSMPDummySensor against OSI Sensor Model Packaging 0.3.0, rule by rule.
//
// docs/OSMP_RULES.md numbers the rules and states where each is tested; a test here requires that
// every number has a test somewhere in the repository, so that a deleted test is noticed. Three
// things are under test:
//
//   - the model description as it is rendered from the variable table. Each check is also shown a
//     spoiled copy, which it must refuse: a check that cannot fail proves nothing;
//   - the model description and libraries of the packed FMU, which the environment variable
//     GOSMP_FMU names (default dist/OSMPDummySensor.fmu); these parts are skipped when there is
//     none;
//   - the model behind an fmu.Instance, with a host that takes its memory back as early as OSMP
//     allows.
package osmprules
