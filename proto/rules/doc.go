// Package rules checks messages against the rules that OSI 3.8.0 states in the comments of its .proto files: fields that
// must be set, ranges, ids that must be unique and references that must resolve.
//
// The rules are the table osi-3.8.0-rules.csv beside this file: message, field, rule, argument, and the condition under
// which the rule counts. Two conditions with the remark "pair" count together. The rule is_iso_country_code is not
// checked, because the codes are not part of OSI.
//
// Rules upheld: a reference is looked up in the whole message; ids are unique among all objects of one GroundTruth,
// whatever their type. Findings come in the order of the fields' numbers.
//
// Index: [Check] checks a message of package osi3, [Count] is the number of rules.
package rules
