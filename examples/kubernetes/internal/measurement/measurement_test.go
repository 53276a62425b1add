// SPDX-License-Identifier: Apache-2.0

package measurement

import (
	"encoding/json"
	"math"
	"reflect"
	"testing"
)

var bounds = []float64{1, 2, 4}

func histogram(sum float64, total int, counts ...int) Histogram {
	return Histogram{Sum: Sum{Count: total, Sum: sum}, Bounds: bounds, Counts: counts}
}

func TestQuantile(t *testing.T) {
	for _, test := range []struct {
		name string
		h    Histogram
		q    float64
		want float64
	}{
		{"empty", Histogram{}, 0.5, math.NaN()},
		{"nothing observed", histogram(0, 0, 0, 0, 0), 0.5, math.NaN()},
		{"in the first bucket", histogram(1, 10, 10, 10, 10), 0.5, 0.5},
		{"in the middle", histogram(1, 10, 0, 10, 10), 0.5, 1.5},
		{"over two buckets", histogram(1, 10, 5, 5, 10), 0.75, 3},
		{"at a bound", histogram(1, 10, 5, 10, 10), 0.5, 1},
		{"above all bounds", histogram(1, 10, 0, 0, 5), 0.99, 4},
		{"the least", histogram(1, 10, 0, 10, 10), 0, 0},
		{"the most", histogram(1, 10, 0, 10, 10), 1, 2},
	} {
		if got := test.h.Quantile(test.q); got != test.want && !(math.IsNaN(got) && math.IsNaN(test.want)) {
			t.Errorf("%s: %v, want %v", test.name, got, test.want)
		}
	}
}

func TestHistogramArithmetic(t *testing.T) {
	earlier, more := histogram(3, 2, 1, 1, 2), histogram(10, 5, 0, 4, 4)
	later := earlier.Add(more)
	if want := histogram(13, 7, 1, 5, 6); !reflect.DeepEqual(later, want) {
		t.Errorf("added %v, want %v", later, want)
	}
	if got := later.Sub(earlier); !reflect.DeepEqual(got, more) {
		t.Errorf("the difference is %v, want %v", got, more)
	}
	if got := (Histogram{}).Add(more); !reflect.DeepEqual(got, more) {
		t.Errorf("added to none: %v", got)
	}
	if got := more.Sub(Histogram{}); !reflect.DeepEqual(got, more) {
		t.Errorf("without none: %v", got)
	}
	if want := histogram(3, 2, 1, 1, 2); !reflect.DeepEqual(earlier, want) {
		t.Errorf("the first has become %v", earlier)
	}
}

func TestRun(t *testing.T) {
	if got := (Run{Pods: 101, Seconds: 4}).Throughput(); got != 25 {
		t.Errorf("%v pods a second, want 25", got)
	}
	if got := (Run{Pods: 1}).Throughput(); !math.IsNaN(got) {
		t.Errorf("%v pods a second in no time", got)
	}
	run := Run{
		Pods: 2, Seconds: 3, CPU: 4, Attempts: histogram(3, 2, 1, 1, 2),
		Algorithm: histogram(2, 2, 1, 1, 2),
		Events:    map[string]Sum{"NodeAdd": {Count: 1, Sum: 2}}, Woken: map[string]int{"NodeAdd": 3},
	}
	content, err := json.Marshal(run)
	if err != nil {
		t.Fatal(err)
	}
	var got Run
	if err := json.Unmarshal(content, &got); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, run) {
		t.Errorf("through JSON %+v, want %+v", got, run)
	}
}
