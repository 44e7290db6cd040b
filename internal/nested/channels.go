package nested

import (
	"cmp"
	"slices"
)

func (k *link) ends() (upper, lower int) { return k.upper.x + k.from, k.lower.x + k.to }

func (k *link) straight() bool {
	upper, lower := k.ends()
	return upper == lower
}

func (k *link) span() (least, most int) {
	upper, lower := k.ends()
	return min(upper, lower), max(upper, lower)
}

// routeChannels gives each link that is not straight a track for its horizontal part.
func (l *level) routeChannels() {
	l.channels = make([]channel, len(l.rows))
	for n, row := range l.rows {
		c := &l.channels[n]
		arrows := false
		for _, i := range row {
			arrows = arrows || len(i.up) > 0
			for _, k := range i.up {
				if !k.straight() {
					c.links = append(c.links, k)
				}
			}
		}
		sortTracks(c.links)
		tracks := packTracks(c.links)
		c.height = inset
		if arrows || n > 0 {
			c.height = pitch*(tracks+1) + tip
		}
	}
}

// most is the number of links in one channel above which their order is left unchanged and each
// link has its own track.
const most = 300

// sortTracks sorts links from the upper to the lower track, so that few cross.
func sortTracks(links []*link) {
	slices.SortStableFunc(links, func(a, b *link) int {
		a1, a2 := a.ends()
		b1, b2 := b.ends()
		if right := a2 > a1; right != (b2 > b1) {
			return cmp.Compare(b2-b1, a2-a1)
		} else if right {
			return cmp.Compare(b1, a1)
		}
		return cmp.Compare(a1, b1)
	})
	if len(links) > most {
		return
	}
	for range passes(len(links)) {
		changed := false
		for n := 1; n < len(links); n++ {
			for m := n; m > 0 && cost(links[m], links[m-1]) < cost(links[m-1], links[m]); m-- {
				links[m], links[m-1], changed = links[m-1], links[m], true
			}
		}
		if !changed {
			return
		}
	}
}

// cost counts the crossings of two links of which the first is on the upper track. Parts that would
// overlap have a high cost.
func cost(upper, lower *link) (n int) {
	const overlap = 20
	_, ends := upper.ends()
	begins, _ := lower.ends()
	if least, most := upper.span(); least < begins && begins < most {
		n++
	}
	if least, most := lower.span(); least < ends && ends < most {
		n++
	}
	if begins-ends < pitch/2 && ends-begins < pitch/2 {
		n += overlap
	}
	return n
}

// packTracks gives links tracks in their order, and returns the number of tracks. Links that do not
// meet may share a track.
func packTracks(links []*link) (tracks int) {
	for n, k := range links {
		if k.track = n; len(links) > most {
			continue
		}
		least, most := k.span()
		k.track = 0
		for _, other := range links[:n] {
			from, to := other.span()
			if least < to+pitch && from < most+pitch {
				k.track = max(k.track, other.track+1)
			}
		}
		tracks = max(tracks, k.track+1)
	}
	if len(links) > most {
		return len(links)
	}
	return tracks
}
