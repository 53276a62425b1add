// SPDX-License-Identifier: Apache-2.0

package main

import (
	"io"
	"strings"
	"testing"

	"github.com/seed-0529bac1/taints/conformance/internal/gotest"
)

func sample(outcome string) *gotest.Run {
	return &gotest.Run{
		Finished: true,
		Outcome: map[string]string{
			"TestMatch": outcome, "TestAll": "pass", "TestDifferenceMerge": "pass",
			"TestSkipped": "skip", "TestOther": "pass",
		},
		Output: map[string][]string{
			"TestMatch": {
				"    match_test.go:1: compares Toleration.ToleratesTaint against Tolerates, Match\n",
				"    engine.go:2: [rapid] OK, passed 3000 tests (1s)\n",
				"    engine.go:2: [rapid] OK, passed 3000 tests (1s)\n",
			},
			"TestAll": {
				"    match_test.go:1: compares ComputeZoneState against State\n",
				"    match_test.go:9: went through 16 cases\n",
			},
			"TestOther": {"ok\n"},
		},
	}
}

func TestTable(t *testing.T) {
	var b strings.Builder
	later := sample("pass")
	delete(later.Output, "TestAll")
	columns := []*column{newColumn("1.36.3", sample("pass")), newColumn("1.37.0", later)}
	const want = `Cases, and differences that were found.

| Kubernetes                                  | library          | 1.36.3  | 1.37.0  |
|---------------------------------------------|------------------|---------|---------|
| ComputeZoneState                            | State            | 16, 0   | –       |
| Toleration.ToleratesTaint                   | Tolerates, Match | 6000, 0 | 6000, 0 |
| documented differences, both answers pinned |                  | 1 hold  | 1 hold  |
`
	if ok := write(&b, columns); !ok || b.String() != want {
		t.Errorf("%v, got\n%s\nwant\n%s", ok, b.String(), want)
	}
}

func TestTableOfFailures(t *testing.T) {
	var b strings.Builder
	columns := []*column{newColumn("1.36.3", sample("fail"))}
	if write(&b, columns) || !strings.Contains(b.String(), "| DIFFERS |") ||
		!strings.Contains(b.String(), "1.36.3: TestMatch fails") {
		t.Errorf("got\n%s", b.String())
	}
}

func TestChoose(t *testing.T) {
	all, err := choose("")
	if err != nil || len(all) != len(versions) {
		t.Errorf("all are %v, %v", all, err)
	}
	two, err := choose("1.37, 1.34")
	if err != nil || len(two) != 2 || two[0].minor != "1.37" ||
		strings.Join(two[1].flags(), " ") != "-modfile=versions/1.34.mod -tags=kubernetes1.34,otherkubernetes" {
		t.Errorf("two are %v, %v", two, err)
	}
	for _, args := range [][]string{{"-only", "1.1"}, {"more"}, {"-cases", "0"}, {"-unknown"}} {
		if code := run(args, io.Discard, io.Discard); code != 2 {
			t.Errorf("%q: code %d", args, code)
		}
	}
}
