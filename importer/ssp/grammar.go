package ssp

import (
	"strings"
	"sync"
)

// Namespaces by the prefixes used in the standard (SSP 2.0, 4).
const (
	ssd = "http://ssp-standard.org/SSP1/SystemStructureDescription"
	ssv = "http://ssp-standard.org/SSP1/SystemStructureParameterValues"
	ssm = "http://ssp-standard.org/SSP1/SystemStructureParameterMapping"
	ssb = "http://ssp-standard.org/SSP1/SystemStructureSignalDictionary"
	ssc = "http://ssp-standard.org/SSP1/SystemStructureCommon"
)

var usualPrefixes = map[string]string{ssd: "ssd", ssv: "ssv", ssm: "ssm", ssb: "ssb", ssc: "ssc"}

// The grammar of all files: for each element, its possible content, in order, and its attributes.
// An element is followed by its allowed number of occurrences (? * +, otherwise one), and by ' if
// it was introduced in SSP 2.0; (a|b) is a choice, and "any" is not examined. An attribute is
// followed by ! if it is required (1 in SSP 1.0 only), by ' if it was introduced in SSP 2.0, and by
// its type after a colon.
const grammarText = `
ssd:SystemStructureDescription
  ssd:System ssd:Enumerations? ssd:Units? ssd:DefaultExperiment? ssc:MetaData*' ssc:Signature*' ` +
	`ssd:Annotations?
  version!:version name! @base @top
ssd:System
  ssd:Connectors? ssd:ElementGeometry? ssd:ParameterBindings? ssc:MetaData*' ssc:Signature*' ` +
	`ssd:Elements? ssd:Connections? ssd:SignalDictionaries? ssd:SystemGeometry? ` +
	`ssd:GraphicalElements? ssd:Annotations?
  name! @base
ssd:Component
  ssd:Connectors? ssd:ElementGeometry? ssd:ParameterBindings? ssc:MetaData*' ssc:Signature*' ` +
	`ssd:Annotations?
  name! @base type source!1 implementation:any|ModelExchange|CoSimulation|ScheduledExecution'
ssd:SignalDictionaryReference
  ssd:Connectors? ssd:ElementGeometry? ssd:ParameterBindings? ssc:MetaData*' ssc:Signature*' ` +
	`ssd:Annotations?
  name! @base dictionary!
ssd:Elements
  (ssd:Component|ssd:SignalDictionaryReference|ssd:System)+
ssd:Connectors
  ssd:Connector+
ssd:Connector
  @types? ssc:Dimension*' ssd:Clock*' ssd:ConnectorGeometry? ssd:Annotations?
  name! @base kind!:input|output|parameter|calculatedParameter|inout|structuralParameter'|constant'|local'|unspecified'
ssd:Clock
  -
  name!
ssd:ConnectorGeometry
  -
  x!:double y!:double systemInnerX':double systemInnerY':double
ssd:ElementGeometry
  -
  x1!:double y1!:double x2!:double y2!:double rotation:double iconSource iconRotation:double ` +
	`iconFlip:boolean iconFixedAspectRatio:boolean
ssd:SystemGeometry
  -
  x1!:double y1!:double x2!:double y2!:double
ssd:GraphicalElements
  ssd:Note+
ssd:Note
  -
  x1!:double y1!:double x2!:double y2!:double text!
ssd:Connections
  ssd:Connection+
ssd:Connection
  @transformations? ssd:ConnectionGeometry? ssd:Annotations?
  startElement startConnector! endElement endConnector! suppressUnitConversion:boolean ` +
	`startIndices':indices endIndices':indices @base
ssd:ConnectionGeometry
  -
  pointsX!:doubles pointsY!:doubles
ssd:SignalDictionaries
  ssd:SignalDictionary+
ssd:SignalDictionary
  any
  name! type source @base
ssd:ParameterBindings
  ssd:ParameterBinding+
ssd:ParameterBinding
  ssd:ParameterValues? ssd:ParameterMapping? ssc:MetaData*' ssc:Signature*' ssd:Annotations?
  type source sourceBase:SSD|component prefix @base
ssd:ParameterValues
  any
ssd:ParameterMapping
  any
  type source sourceBase:SSD|component @base
ssd:DefaultExperiment
  ssd:Annotations?
  startTime:double stopTime:double
ssd:Enumerations
  ssc:Enumeration+
ssd:Units
  ssc:Unit+
ssd:Annotations
  ssc:Annotation+
ssv:ParameterSet
  ssv:Parameters ssv:Enumerations? ssv:Units? ssc:MetaData*' ssc:Signature*' ssv:Annotations?
  version!:version name! @base @top
ssv:Parameters
  ssv:Parameter*
ssv:Parameter
  @values ssc:Dimension*' ssv:Annotations?
  name! @base
ssv:Real
  -
  value! unit
ssv:Float64
  -
  value! unit
ssv:Float32
  -
  value! unit
ssv:Integer
  -
  value!
ssv:Int8
  -
  value!
ssv:UInt8
  -
  value!
ssv:Int16
  -
  value!
ssv:UInt16
  -
  value!
ssv:Int32
  -
  value!
ssv:UInt32
  -
  value!
ssv:Int64
  -
  value!
ssv:UInt64
  -
  value!
ssv:Boolean
  -
  value!
ssv:String
  ssv:Value*'
  value!1
ssv:Enumeration
  ssv:Value*'
  value!1 name
ssv:Binary
  ssv:Value*'
  value!1 mime-type
ssv:Value
  -
  value!
ssv:Enumerations
  ssc:Enumeration+
ssv:Units
  ssc:Unit+
ssv:Annotations
  ssc:Annotation+
ssm:ParameterMapping
  ssm:MappingEntry* ssc:MetaData*' ssc:Signature*' ssm:Annotations?
  version!:version @base @top
ssm:MappingEntry
  @transformations? ssm:Annotations?
  source! target! suppressUnitConversion:boolean @base
ssm:Annotations
  ssc:Annotation+
ssb:SignalDictionary
  ssb:DictionaryEntry* ssb:Enumerations? ssb:Units? ssc:MetaData*' ssc:Signature*' ssb:Annotations?
  version!:version @base @top
ssb:DictionaryEntry
  @types ssc:Dimension*' ssb:Annotations?
  name! @base
ssb:Enumerations
  ssc:Enumeration+
ssb:Units
  ssc:Unit+
ssb:Annotations
  ssc:Annotation+
ssc:Real
  -
  unit
ssc:Float64
  -
  unit
ssc:Float32
  -
  unit
ssc:Integer
ssc:Int8
ssc:UInt8
ssc:Int16
ssc:UInt16
ssc:Int32
ssc:UInt32
ssc:Int64
ssc:UInt64
ssc:Boolean
ssc:String
ssc:Enumeration/type
  -
  name!
ssc:Binary
  -
  mime-type
ssc:Clock
  -
  intervalVariability:constant|fixed|tunable|changing|countdown|triggered intervalDecimal:double ` +
	`shiftDecimal:double supportsFraction:boolean resolution:index intervalCounter:index ` +
	`shiftCounter:index priority:index
ssc:Dimension
  -
  size:index sizeConnector
ssc:LinearTransformation
  -
  factor:double offset:double
ssc:BooleanMappingTransformation
  ssc:MapEntry/boolean+
ssc:IntegerMappingTransformation
  ssc:MapEntry/integer+
ssc:EnumerationMappingTransformation
  ssc:MapEntry+
ssc:MapEntry/boolean
  -
  source!:boolean target!:boolean
ssc:MapEntry/integer
  -
  source!:integer target!:integer
ssc:MapEntry
  -
  source! target!
ssc:Enumeration
  ssc:Item+ ssc:Annotations?
  name! @base
ssc:Item
  -
  name! value!:long
ssc:Unit
  ssc:BaseUnit ssc:Annotations?
  name! @base
ssc:BaseUnit
  -
  kg:exponent m:exponent s:exponent A:exponent K:exponent mol:exponent cd:exponent rad:exponent ` +
	`factor:double offset:double
ssc:Annotations
  ssc:Annotation+
ssc:Annotation
  any
  type!
ssc:MetaData
  ssc:Content? ssc:Signature*
  kind!:general|quality type! source sourceBase:file|resource @base
ssc:Signature
  ssc:Content?
  role!:authenticity|suitability type! source sourceBase:file|resource|metaData @base
ssc:Content
  any
  @base
`

// Parts that occur in several places in the grammar.
var grammarParts = strings.NewReplacer(
	"@base", "id:id description",
	"@top", "author fileversion copyright license generationTool generationDateAndTime:dateTime",
	"@types",
	"(ssc:Real|ssc:Integer|ssc:Boolean|ssc:String|ssc:Enumeration/type|ssc:Binary|ssc:Float64'|ss"+
		"c:Float32'|ssc:Int8'|"+
		"ssc:UInt8'|ssc:Int16'|ssc:UInt16'|ssc:Int32'|ssc:UInt32'|ssc:Int64'|ssc:UInt64'|ssc:Cloc"+
		"k')",
	"@values",
	"(ssv:Real|ssv:Integer|ssv:Boolean|ssv:String|ssv:Enumeration|ssv:Binary|ssv:Float64'|ssv:Flo"+
		"at32'|ssv:Int8'|"+
		"ssv:UInt8'|ssv:Int16'|ssv:UInt16'|ssv:Int32'|ssv:UInt32'|ssv:Int64'|ssv:UInt64')",
	"@transformations",
	"(ssc:LinearTransformation|ssc:BooleanMappingTransformation|ssc:IntegerMappingTransformation|"+
		"ssc:EnumerationMappingTransformation)",
)

// definition describes the possible content of an element.
type definition struct {
	any        bool
	content    []particle
	attributes []attributeRule
}

// particle is a choice of elements and its allowed number of occurrences.
type particle struct {
	choices  []choice
	min, max int  // max is -1 for any number
	since2   bool // introduced in SSP 2.0
}

type choice struct {
	space, local string
	definition   string
	since2       bool
}

type attributeRule struct {
	name               string
	required, only1    bool
	since2             bool
	kind               string   // double, integer ...; empty for any text
	words, wordsSince2 []string // if only these values are allowed
}

// grammar returns the definitions by element name.
var grammar = sync.OnceValue(func() map[string]*definition {
	all := map[string]*definition{}
	var current *definition
	inContent := false
	for _, line := range strings.Split(grammarParts.Replace(grammarText), "\n") {
		words := strings.Fields(line)
		switch {
		case len(words) == 0:
		case !strings.HasPrefix(line, " "):
			current, inContent = &definition{}, true
			all[words[0]] = current
		case inContent:
			inContent = false
			current.any = words[0] == "any"
			for _, w := range words {
				if w != "any" && w != "-" {
					current.content = append(current.content, parseParticle(w))
				}
			}
		default:
			for _, w := range words {
				current.attributes = append(current.attributes, parseAttribute(w))
			}
		}
	}
	return all
})

func parseParticle(w string) particle {
	p := particle{min: 1, max: 1}
	for {
		switch w[len(w)-1] {
		case '\'':
			p.since2 = true
		case '?':
			p.min = 0
		case '*':
			p.min, p.max = 0, -1
		case '+':
			p.max = -1
		default:
			for _, c := range strings.Split(strings.Trim(w, "()"), "|") {
				p.choices = append(p.choices, parseChoice(c))
			}
			return p
		}
		w = w[:len(w)-1]
	}
}

var prefixSpaces = map[string]string{"ssd": ssd, "ssv": ssv, "ssm": ssm, "ssb": ssb, "ssc": ssc}

func parseChoice(c string) choice {
	name, since2 := strings.CutSuffix(c, "'")
	qualified, _, _ := strings.Cut(name, "/")
	prefix, local, _ := strings.Cut(qualified, ":")
	return choice{prefixSpaces[prefix], local, name, since2}
}

func parseAttribute(w string) attributeRule {
	name, kind, _ := strings.Cut(w, ":")
	a := attributeRule{kind: kind}
	if strings.Contains(kind, "|") {
		a.kind = "word"
		for _, word := range strings.Split(kind, "|") {
			if word, is := strings.CutSuffix(word, "'"); is {
				a.wordsSince2 = append(a.wordsSince2, word)
			} else {
				a.words = append(a.words, word)
			}
		}
	}
	name, a.only1 = strings.CutSuffix(name, "!1")
	name, a.required = strings.CutSuffix(name, "!")
	a.required = a.required || a.only1
	a.name, a.since2 = strings.CutSuffix(name, "'")
	return a
}
