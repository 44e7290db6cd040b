package trace

import (
	"errors"
	"fmt"
	"strings"

	"gosmp/internal/fault"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// Prune keeps the named fields of each message of a source, given as dotted paths of the .proto
// files, such as "moving_object.base.position"; list elements have no index. The version and the
// time stamp of a message are always kept. A path that no selected channel has is an error of kind
// [ErrType], which the first call to Next returns.
//
// A message that cannot be decoded is left out, and its error is passed to broken. If broken is
// nil, Next returns the error.
func Prune(s Source, paths []string, broken func(error)) Source {
	tree := &fieldTree{}
	for _, p := range append([]string{"version", "timestamp"}, paths...) {
		tree.add(strings.Split(p, "."))
	}
	return &pruned{Source: s, tree: tree, paths: paths, checked: map[*Channel]bool{},
		broken: broken}
}

type pruned struct {
	Source
	tree    *fieldTree
	paths   []string
	checked map[*Channel]bool
	decoder Decoder
	message Message
	buffer  []byte
	broken  func(error)
}

// fieldTree holds the fields to keep. A field without children is kept as a whole.
type fieldTree struct{ children map[string]*fieldTree }

func (t *fieldTree) add(path []string) {
	if len(path) == 0 {
		return
	}
	if t.children == nil {
		t.children = map[string]*fieldTree{}
	}
	child := t.children[path[0]]
	if child == nil {
		child = &fieldTree{}
		t.children[path[0]] = child
	}
	child.add(path[1:])
}

// Next implements [Source].
func (p *pruned) Next() (*Message, error) {
	m, decoded, err := p.next()
	if err != nil {
		return nil, err
	}
	if !p.checked[m.Channel] {
		p.checked[m.Channel] = true
		for _, path := range p.paths {
			if err := hasPath(decoded.ProtoReflect().Descriptor(), path); err != nil {
				return nil, err
			}
		}
	}
	keep(decoded.ProtoReflect(), p.tree)
	p.message = *m
	p.buffer, err = proto.MarshalOptions{Deterministic: true, AllowPartial: true}.MarshalAppend(
		p.buffer[:0], decoded)
	p.message.Data = p.buffer
	return &p.message, err
}

// next returns the next message that can be decoded.
func (p *pruned) next() (*Message, proto.Message, error) {
	for {
		m, err := p.Source.Next()
		if err != nil {
			return nil, nil, err
		}
		decoded, err := p.decoder.Decode(m)
		if errors.Is(err, ErrContent) && p.broken != nil {
			p.broken(err)
			continue
		}
		return m, decoded, err
	}
}

func hasPath(d protoreflect.MessageDescriptor, path string) error {
	parts := strings.Split(path, ".")
	for k, part := range parts {
		f := d.Fields().ByName(protoreflect.Name(part))
		if f == nil || f.Message() == nil && k+1 < len(parts) {
			return fault.New(ErrType, fault.At("field "+path), fmt.Sprintf("%q", part),
				"a field of "+string(d.FullName()))
		}
		d = f.Message()
	}
	return nil
}

func keep(m protoreflect.Message, t *fieldTree) {
	m.Range(func(f protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		child := t.children[string(f.Name())]
		switch {
		case child == nil:
			m.Clear(f)
		case child.children == nil || f.Message() == nil || f.IsMap():
		case f.IsList():
			for k := range v.List().Len() {
				keep(v.List().Get(k).Message(), child)
			}
		default:
			keep(v.Message(), child)
		}
		return true
	})
	m.SetUnknown(nil)
}
