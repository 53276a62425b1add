// SPDX-License-Identifier: Apache-2.0

// Package purpose says what a taint of a node is for: it says a state of the node, which has
// to end, or it marks a pool of nodes, for the pods that tolerate it. If neither is known, who
// set it has to say.
//
// states.go has the table of known taints, words.go reads the words of others, and node.go
// and hold.go say what the state of a node has to do with the rest of the node.
package purpose

import (
	"strings"

	"github.com/seed-0529bac1/taints"
)

// Evidence is what the rest of a cluster says of a taint.
type Evidence struct {
	Fault    string // a condition of a node that the taint names; empty: none
	IsPartly bool   // it names one of some nodes with it, and is on others where all is well
	Startup  string // what lists it among the taints of a start; empty: nothing
	IsListed bool   // what makes nodes lists it among the taints of a pool
	IsChosen bool   // the pods select the label of its key and value, which the nodes have
	IsMarked bool   // a node with the taint has a resource or label that Marks it
	IsAlone  bool   // other nodes of a cloud's pool lack it
	Writer   string // a controller that wrote it on nodes long after these were made; empty: none
	IsWanted bool   // pods ask for these nodes by their node selector or affinity
	IsLater  bool   // pods like these, which do not tolerate it, run on a node from before, or it evicts and says since when
	IsNamed  bool   // other pods on nodes, or templates, tolerate it by its key
}

// A Purpose is what a taint is for. The zero Purpose is not known.
type Purpose struct {
	State   State  // None, unless it is for one
	Because string // what says the state
	IsPool  bool
}

// Of returns the purpose of the taint. A state outweighs a pool. If words alone say it, pods
// that select nodes by the taint's label, and others who know these as a pool, outweigh it.
func Of(t taints.Taint, e Evidence) Purpose {
	k := Known(t)
	isListed := e.IsListed && k.State != Starting // what makes nodes may list those of a start too
	unknown, pool := Purpose{}, Purpose{IsPool: true}
	isPart := k.IsGuess && len(split(t.Value)) > 1 && !isIn("status", lastOf(split(t.Key))) // of a name, as in pool=repair-service
	switch {
	case k.State != None && !k.IsGuess:
		return Purpose{State: k.State, Because: k.Setter() + " sets it"}
	case e.Fault != "":
		return Purpose{State: Unhealthy, Because: e.Fault}
	case k.IsGuess && !e.IsChosen && !isListed:
		return Purpose{State: k.State, Because: "its words say so"}
	case k.IsGuess && !(e.IsChosen && (isListed || e.IsNamed || isPart)): // a pool of the name, or a state
		return unknown
	case e.Startup != "":
		return Purpose{State: Starting, Because: e.Startup + " has it among its startupTaints"}
	case e.IsListed:
		return pool
	case e.IsPartly, e.IsLater && !e.IsChosen: // the nodes were for such pods, and may be again
		return unknown
	case e.IsMarked:
		return pool
	case e.Writer != "": // that made the nodes for a pool would have written it at once
		return unknown
	case e.IsWanted, e.IsNamed:
		return pool
	}
	_, isPool, isMark := reading(t)
	return Purpose{IsPool: isPool || isMark && !e.IsAlone}
}

// Marks reports whether a resource or a label of the node marks the same pool as the taint:
// one of its key, or a label of the last part of its key, with its value. A label of a status,
// of work or of nobody marks none.
func Marks(t taints.Taint, label func(key string) (value string, has bool), hasResource func(name string) bool) bool {
	isSame := func(key string) bool {
		value, has := label(key)
		return has && (value == t.Value || (value == "" || isIn("yes", value)) && (t.Value == "" || isIn("yes", t.Value)))
	}
	part := t.Key[strings.Index(t.Key, "/")+1:]
	if last := lastOf(split(part)); isIn("status", last) || isIn("work", last) || isIn("nobody", t.Value) {
		return false
	}
	return hasResource(t.Key) || isSame(t.Key) || t.Value != "" && isSame(part)
}
