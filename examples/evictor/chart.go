// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"fmt"
	"math"
	"time"
)

// The measures of the chart, in pixels.
const (
	chartWidth   = 900
	chartHeight  = 380
	plotLeft     = 60
	plotTop      = 50
	plotWidth    = 680
	plotHeight   = 270
	legendLeft   = plotLeft + plotWidth + 20
	legendHeight = 20
)

// A chart shows how many pods have left, over time.
type chart struct {
	bytes.Buffer
	length time.Duration
	most   int // pods
}

// chart draws a line for each zone.
func (r *report) chart(o options) []byte {
	series := make([][]time.Duration, len(r.zones))
	most := 1
	for _, e := range r.evictions {
		z := e.pod.node.zone
		series[z] = append(series[z], e.at.Sub(start))
		most = max(most, len(series[z]))
	}
	c := &chart{length: o.length, most: ceiling(most)}
	height := max(chartHeight, plotTop+legendHeight*(len(series)+1))
	c.printf(`<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %[1]d %[2]d" font-family="sans-serif" font-size="13">`,
		chartWidth, height)
	c.printf(`<rect width="%d" height="%d" fill="#ffffff"/>`, chartWidth, height)
	c.printf(`<text x="%d" y="22" font-size="15" fill="#1f2328">Evicted pods by zone</text>`, plotLeft)
	for _, p := range o.partitions {
		c.band(p)
	}
	c.axes()
	for i, times := range series {
		c.line(r.zones[i].name, i, times)
	}
	c.printf(`</svg>`)
	return c.Bytes()
}

func (c *chart) printf(format string, args ...any) { fmt.Fprintf(c, format+"\n", args...) }

// x and y return the place of a time and of a number.
func (c *chart) x(t time.Duration) float64 {
	return plotLeft + plotWidth*min(float64(t)/float64(c.length), 1)
}

func (c *chart) y(n int) float64 {
	return plotTop + plotHeight*(1-float64(n)/float64(c.most))
}

// band shows when a zone was cut off.
func (c *chart) band(p partition) {
	from, to := c.x(p.start), c.x(p.start+p.duration)
	if from == to {
		return // after the end
	}
	c.printf(`<rect x="%.1f" y="%d" width="%.1f" height="%d" fill="#eaeef2"/>`, from, plotTop, to-from, plotHeight)
	c.printf(`<text x="%.1f" y="%d" text-anchor="middle" font-size="11" fill="#59636e">%s cut off</text>`,
		(from+to)/2, plotTop-6, p.zone)
}

func (c *chart) axes() {
	for n := 0; n <= c.most; n += max(c.most/5, 1) {
		c.printf(`<line x1="%d" y1="%.1f" x2="%d" y2="%.1[2]f" stroke="#d1d9e0"/>`,
			plotLeft, c.y(n), plotLeft+plotWidth)
		c.printf(`<text x="%d" y="%.1f" text-anchor="end" fill="#59636e">%d</text>`, plotLeft-8, c.y(n)+4, n)
	}
	every := tick(c.length)
	for t := time.Duration(0); t <= c.length; t += every {
		c.printf(`<line x1="%.1f" y1="%d" x2="%.1[1]f" y2="%[3]d" stroke="#59636e"/>`,
			c.x(t), plotTop+plotHeight, plotTop+plotHeight+5)
		c.printf(`<text x="%.1f" y="%d" text-anchor="middle" fill="#59636e">%s</text>`,
			c.x(t), plotTop+plotHeight+20, clock(t))
	}
	c.printf(`<text x="%d" y="%d" text-anchor="middle" fill="#59636e">minutes and seconds since the start</text>`,
		plotLeft+plotWidth/2, plotTop+plotHeight+42)
}

// line draws the steps of a zone, by its index, and its entry in the legend.
func (c *chart) line(name string, i int, times []time.Duration) {
	colors := []string{"#0969da", "#cf222e", "#1a7f37", "#8250df", "#bf8700", "#1b7c83"}
	stroke := fmt.Sprintf(`fill="none" stroke-width="2" stroke="%s"`, colors[i%len(colors)])
	if again := i / len(colors); again > 0 {
		stroke += fmt.Sprintf(` stroke-dasharray="%d"`, 4*again)
	}
	path := fmt.Sprintf("M%.1f %.1f", c.x(0), c.y(0))
	for n, t := range times {
		path += fmt.Sprintf("H%.1fV%.1f", c.x(t), c.y(n+1))
	}
	c.printf(`<path %s d="%sH%.1f"/>`, stroke, path, c.x(c.length))
	y := plotTop + legendHeight*i
	c.printf(`<path %s d="M%d %dh20"/>`, stroke, legendLeft, y+6)
	c.printf(`<text x="%d" y="%d" fill="#1f2328">zone %s: %d</text>`, legendLeft+28, y+10, name, len(times))
}

// ceiling returns the next of 1, 2, 5, 10, 20, 50 … .
func ceiling(n int) int {
	power := math.Pow10(int(math.Log10(float64(n))))
	for _, factor := range []float64{1, 2, 5} {
		if c := int(factor * power); c >= n {
			return c
		}
	}
	return int(10 * power)
}

// tick returns the time between marks, of which there are at most twelve.
func tick(length time.Duration) time.Duration {
	every := time.Second
	for _, factor := range []time.Duration{5, 3, 2, 2, 5, 3, 2} { // to 5s, 15s, 30s, 1m, 5m, 15m, 30m
		if length <= 12*every {
			break
		}
		every *= factor
	}
	return max(every, length/12)
}
