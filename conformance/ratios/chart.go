// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"fmt"
	"html"
	"math"

	"github.com/seed-0529bac1/taints/conformance/internal/work"
)

// The chart's measures, in pixels.
const (
	chartWidth = 900
	labelWidth = 460
	barsWidth  = 360
	rowHeight  = 28
	headHeight = 50
)

// chart draws the ratios to Kubernetes as bars on a logarithmic scale from 1× on,
// with the floor as a mark.
func (r *report) chart() []byte {
	most := 10.0
	var rows []rowRatio
	for _, x := range r.Rows {
		if x.Beside == work.Kubernetes {
			rows = append(rows, x)
			most = max(most, x.Ratio, x.Floor)
		}
	}
	top := math.Ceil(math.Log10(most))
	at := func(ratio float64) float64 {
		return labelWidth + barsWidth*max(0, math.Log10(max(ratio, 1)))/top
	}
	height := headHeight + rowHeight*len(rows) + 30
	var b bytes.Buffer
	fmt.Fprintf(&b,
		`<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %[1]d %[2]d" font-family="sans-serif" font-size="13">`+"\n",
		chartWidth, height)
	fmt.Fprintf(&b, `<rect width="%d" height="%d" fill="#ffffff"/>`+"\n", chartWidth, height)
	fmt.Fprintf(&b,
		`<text x="10" y="22" font-size="15" fill="#1f2328">Times faster than Kubernetes' own code (log scale)</text>`+"\n")
	for power := 0.0; power <= top; power++ {
		ratio := math.Pow(10, power)
		fmt.Fprintf(&b, `<line x1="%.1f" y1="%d" x2="%[1]f" y2="%[3]d" stroke="#d1d9e0"/>`+"\n",
			at(ratio), headHeight-8, height-24)
		fmt.Fprintf(&b, `<text x="%.1f" y="%d" text-anchor="middle" fill="#59636e">%s</text>`+"\n",
			at(ratio), headHeight-14, number(ratio)+"×")
	}
	for i, x := range rows {
		y := headHeight + rowHeight*i
		fmt.Fprintf(&b, `<text x="10" y="%d" fill="#1f2328">%s</text>`+"\n", y+17, html.EscapeString(x.Work))
		fmt.Fprintf(&b, `<rect x="%d" y="%d" width="%.1f" height="%d" fill="#54aeff"/>`+"\n",
			labelWidth, y+4, at(x.Ratio)-labelWidth, rowHeight-8)
		fmt.Fprintf(&b, `<line x1="%.1f" y1="%d" x2="%[1]f" y2="%[3]d" stroke="#cf222e" stroke-width="2"/>`+"\n",
			at(x.Floor), y+2, y+rowHeight-2)
		fmt.Fprintf(&b, `<text x="%.1f" y="%d" fill="#1f2328">%s</text>`+"\n",
			at(max(x.Ratio, x.Floor))+6, y+17, times(x.Ratio))
	}
	fmt.Fprintf(&b,
		`<text x="10" y="%d" font-size="11" fill="#59636e">time on processors, least of each side; red mark: floor. %s, Go %s</text>`+"\n",
		height-8, html.EscapeString(r.Machine), r.Go)
	b.WriteString("</svg>\n")
	return b.Bytes()
}
