package server

import (
	"encoding/base64"
	"slices"
)

// Offered describes a channel that a server offers besides the topics of its configuration.
type Offered struct {
	Topic  string
	Type   string // of its messages, which are encoded in protobuf
	Schema []byte // a FileDescriptorSet with this type
}

// mostOffers bounds the number of offered channels, each of which keeps a message.
const mostOffers = 1024

// offer is a channel with its newest message.
type offer struct {
	channel channel
	last    item
}

// Viewers returns the number of clients.
func (w *WebSocket) Viewers() int { return int(w.present.Load()) }

// Offer queues a message on a further channel for all clients that want it. The first message
// creates the channel. Clients that subscribe later receive the newest message at once. Offer never
// blocks. The bytes must not be changed afterwards.
func (w *WebSocket) Offer(o Offered, timeNs int64, b []byte) {
	h := w.hub
	h.mu.Lock()
	is := func(known *offer) bool { return known.channel.Topic == o.Topic }
	k := slices.IndexFunc(h.offers, is)
	if _, taken := h.numbers[o.Topic]; k < 0 && (taken || len(h.offers) == mostOffers) {
		h.mu.Unlock()
		return
	}
	if k < 0 {
		k = len(h.offers)
		h.offers = append(h.offers, &offer{channel: channel{ID: uint32(len(h.topics) + k),
			Topic: o.Topic, Encoding: "protobuf", SchemaName: o.Type, SchemaEncoding: "protobuf",
			Schema: base64.StdEncoding.EncodeToString(o.Schema)}})
		h.channels.Store(int64(len(h.topics) + len(h.offers)))
		news := item{topic: -1, data: text(advertise{"advertise", []channel{h.offers[k].channel}})}
		for m := range h.members {
			if m.greeted {
				h.dropped.Add(m.queue.put(news))
			}
		}
	}
	i := item{len(h.topics) + k, uint64(timeNs), b}
	h.offers[k].last = i
	h.mu.Unlock()
	h.spread(nil, i)
}

// greet returns the first messages for a client. Channels offered later are announced to it.
func (h *hub) greet(m *member) (info, channels []byte) {
	h.mu.Lock()
	defer h.mu.Unlock()
	m.greeted = true
	return h.greeting(m.looks)
}

// newest queues the newest messages of the offered channels to which a client has subscribed.
func (h *hub) newest(m *member, ids []uint32) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, id := range ids {
		if k := int(id) - len(h.topics); k >= 0 && k < len(h.offers) {
			h.dropped.Add(m.queue.put(h.offers[k].last))
		}
	}
}
