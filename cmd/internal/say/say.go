// SPDX-License-Identifier: Apache-2.0

// Package say has the words that the outputs of the programs share.
package say

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"k8s.io/apimachinery/pkg/util/duration"

	"github.com/seed-0529bac1/taints"
	"github.com/seed-0529bac1/taints/cmd/internal/lists"
	"github.com/seed-0529bac1/taints/internal/known"
	"github.com/seed-0529bac1/taints/internal/similar"
	"github.com/seed-0529bac1/taints/internal/valueset"
)

// Printable replaces characters that could move a terminal's cursor or hide text.
func Printable(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return unicode.ReplacementChar
	}, s)
}

// Clean returns printable text for people, with long words shortened.
func Clean(s string) string {
	s = Printable(s)
	if len(s) > maxWord {
		s = longWord.ReplaceAllString(s, "$1…")
	}
	return s
}

const maxWord = 200 // characters

var longWord = regexp.MustCompile(`(\S{` + strconv.Itoa(maxWord) + `})\S+`)

// For returns the word for one or for many.
func For(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// Noun returns the noun, in the plural if needed.
func Noun(n int, noun string) string { return For(n, noun, noun+"s") }

// Count returns the number and the noun.
func Count(n int, noun string) string { return CountOf(n, noun, noun+"s") }

// CountOf returns the number and the words for one or for many.
func CountOf(n int, one, many string) string { return strconv.Itoa(n) + " " + For(n, one, many) }

// Joined joins the words, as in "a, b and c".
func Joined(words []string) string { return Enumerate(words, "and") }

// Enumerate joins the words, with another word before the last one.
func Enumerate(words []string, last string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	n := len(words) - 1
	return strings.Join(words[:n], ", ") + " " + last + " " + words[n]
}

// FirstOf returns the first words and the number of the others.
func FirstOf(words []string, most int) []string {
	if len(words) <= most+1 {
		return words
	}
	return append(slices.Clone(words[:most]), strconv.Itoa(len(words)-most)+" more")
}

// NamesOf joins the first names. The total may exceed the length of the list.
func NamesOf(names []string, total int) string {
	const most = 5
	if total <= most+1 {
		return Joined(names)
	}
	return strings.Join(names[:most], ", ") + " and " + strconv.Itoa(total-most) + " more"
}

// Taint returns the text of the taint.
func Taint(t taints.Taint) string { return quoted(t.String(), t.Key, t.Value, string(t.Effect)) }

// Toleration returns the text of the toleration.
func Toleration(t taints.Toleration) string {
	return quoted(t.String(), t.Key, t.Value, string(t.Operator), string(t.Effect))
}

func quoted(s string, parts ...string) string {
	for _, part := range parts {
		if part != strings.TrimSpace(part) {
			return strconv.Quote(s)
		}
	}
	return s
}

// Meant asks for the effect or operator that was meant by an unknown one, or
// returns "" if none is similar.
func Meant(f taints.FieldError) string {
	names := known.Effects()
	if f.Field == "operator" {
		names = valueset.Names(true)
	}
	meant := similar.Meant(f.Value, names)
	if f.Kind != taints.ErrNotSupported || meant == "" || meant == f.Value {
		return ""
	}
	return "; did you mean " + meant + "?"
}

// TaintsText names the first taints.
func TaintsText(list []taints.Taint) string { return Joined(FirstOf(lists.Each(list, Taint), 3)) }

// Sentence begins the text with an upper-case letter.
func Sentence(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// Shortened returns at most 300 characters of the text.
func Shortened(s string) string {
	if r := []rune(s); len(r) > 300 {
		return string(r[:300]) + "…"
	}
	return s
}

var plain = regexp.MustCompile(`^[-_./:=,@a-zA-Z0-9]+$`)

// CommandLine joins the words, with quotes where a POSIX shell needs them.
func CommandLine(words ...string) string {
	return strings.Join(lists.Each(words, func(s string) string {
		if plain.MatchString(s) {
			return s
		}
		return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
	}), " ")
}

// Relative describes how far away a time is. A time.Duration ends after 292 years.
func Relative(seconds int64) string {
	const year = 365 * 24 * 60 * 60
	away := max(seconds, -seconds)
	text := duration.HumanDuration(time.Duration(min(away, year*200)) * time.Second)
	if away > year*200 {
		text = fmt.Sprintf("%dy", away/year)
	}
	switch {
	case seconds == 0:
		return "now"
	case seconds < 0:
		return text + " ago"
	}
	return "in " + text
}

// Since says since when, for the first and the last of the times, if any.
func Since(before string, times []time.Time, now time.Time, after string) string {
	if len(times) == 0 {
		return ""
	}
	text := func(t time.Time) string {
		return " since " + t.UTC().Format(time.RFC3339) + " (" + Relative(t.Unix()-now.Unix()) + ")"
	}
	first, last := slices.MinFunc(times, time.Time.Compare), slices.MaxFunc(times, time.Time.Compare)
	if before += text(first); !first.Equal(last) {
		before += ", the last" + text(last)
	}
	return before + after
}

var password = regexp.MustCompile(`(^|://)([^:@/\s"]*):(?:[^/\s]\S*)?@`)

// WithoutPassword returns a URL, or a text with URLs, with PASSWORD in place of
// passwords.
func WithoutPassword(s string) string { return password.ReplaceAllString(s, "$1$2:PASSWORD@") }
