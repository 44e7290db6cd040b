// Package rules checks messages against the rules stated in the comments of the OSI 3.8.0 .proto
// files: fields that must be set, ranges, ids that must be unique and references that must resolve.
//
// The rules come from the table osi-3.8.0-rules.csv next to this file: message, field, rule,
// argument, and the condition under which the rule applies. Two conditions with the remark "pair"
// apply together.
//
// Guarantees: a reference is looked up in the whole message; ids are unique among all objects of
// one GroundTruth, whatever their type. Findings are sorted by field number.
//
// There are two ways to check, with the same results: [Check] takes a decoded message and describes
// every finding; [Counter] takes the messages of a trace as bytes and counts, without decoding, how
// often each rule is broken. To check a trace, count first, and let Check describe the first
// message that breaks a rule.
//
// Index: [Check] checks a message of package osi3, [Counter] the messages of a trace; [Rule] is a
// rule, [Count] is the number of rules.
package rules
