// Package xmledit changes XML documents and leaves the rest of their text unchanged: comments,
// blanks, quotes, the order of attributes.
//
// A document that is not changed is written exactly as it was read. An element moves together with
// the blanks and comments before it; a new one is indented like its neighbours. Names are local
// names: a new element gets the prefix of its parent.
//
// Types: [Document], [Element]. Function: [Parse].
package xmledit
