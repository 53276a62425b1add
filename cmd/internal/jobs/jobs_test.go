// SPDX-License-Identifier: Apache-2.0

package jobs

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	batchv1 "k8s.io/api/batch/v1"

	"github.com/seed-0529bac1/taints/cmd/internal/cases"
)

// A case is the spec of a Job, its failures, and those of the indexes of a pod and of all
// pods that are evicted. The answers are those of Kubernetes' job controller: a
// podFailurePolicy that fails the Job comes before its backoffLimit, and that before
// maxFailedIndexes.
func TestJobs(t *testing.T) {
	cases.Run(t, "testdata/jobs.txt", func(t *testing.T, input []string) []string {
		var job struct {
			batchv1.JobSpec
			Failed        int
			FailedIndexes string
			Own           int
			Evicted       []int
		}
		if err := json.Unmarshal([]byte(strings.Join(input, "")), &job); err != nil {
			t.Fatal(err)
		}
		l := Of(&job.JobSpec, job.Failed, job.FailedIndexes)
		text, ends := l.AfterEvictions(job.Own, job.Evicted)
		return []string{
			text, fmt.Sprint("ends ", ends), "evicted" + Again("Job", l, 0, true),
			"then refused" + Again("Job", l, len(job.Evicted), false), "of a Deployment" + Again("Deployment", l, 0, true),
		}
	})
}
