// SPDX-License-Identifier: Apache-2.0

package gotest

import (
	"maps"
	"strings"
	"testing"
	"time"
)

const output = `{"Action":"build-output","ImportPath":"p","Output":"# p\n"}
{"Action":"start","Package":"p"}
{"Action":"run","Package":"p","Test":"TestA"}
{"Action":"run","Package":"p","Test":"TestA/x"}
{"Action":"output","Package":"p","Test":"TestA/x","Output":"one\n"}
{"Action":"output","Package":"p","Test":"TestA/x","Output":"two\n"}
{"Action":"pass","Package":"p","Test":"TestA/x","Elapsed":0.1}
{"Action":"pass","Package":"p","Test":"TestA","Elapsed":0.1}
{"Action":"run","Package":"p","Test":"TestB"}
{"Action":"skip","Package":"p","Test":"TestB"}
{"Action":"run","Package":"p","Test":"TestPanics"}
`

func TestRead(t *testing.T) {
	x, err := read(strings.NewReader(output))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"TestA": "pass", "TestA/x": "pass", "TestB": "skip", "TestPanics": "fail"}
	if !maps.Equal(x.Outcome, want) || x.Finished {
		t.Errorf("outcome %v, finished %v", x.Outcome, x.Finished)
	}
	if got := strings.Join(x.Output["TestA/x"], ""); got != "one\ntwo\n" || len(x.Output[""]) != 1 {
		t.Errorf("output %q of %v", got, x.Output)
	}
	x, err = read(strings.NewReader(output + `{"Action":"fail","Package":"p","Elapsed":1.5}`))
	if err != nil || !x.Finished || x.Elapsed != 1500*time.Millisecond {
		t.Errorf("finished %v after %v, %v", x.Finished, x.Elapsed, err)
	}
	if _, err := read(strings.NewReader("panic: no JSON")); err == nil {
		t.Error("reads what is no JSON")
	}
}
