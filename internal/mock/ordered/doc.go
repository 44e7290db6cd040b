// Package ordered holds a generated double of [gosmp/fmu.Model] that enforces the order of its
// calls; only tests import it.
package ordered

//go:generate go run github.com/golang/mock/mockgen@v1.6.0 -destination=model.go -package=ordered -mock_names=Model=Model -write_package_comment=false gosmp/fmu Model
