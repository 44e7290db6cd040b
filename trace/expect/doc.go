// Package expect judges traces by conditions in a YAML file:
//
//	conditions:
//	  - name: a message in each step
//	    channel: OSMPSensorDataOut        # a topic, its end after a dot, or a type
//	    messages: {min: 90, max: 110}     # number of messages
//	    gap: {max: 0.1}                   # seconds between two messages
//	  - field: moving_object              # a dotted path without indices
//	    count: {min: 1, max: 20}          # elements in each message
//	    from: 1.0                         # seconds; messages before do not count
//	    until: 9.5                        # messages from here on do not count
//	  - field: moving_object.base.position.x
//	    value: {min: -10, max: 250}       # every one of every message
//	  - field: sensor_id
//	    present: true                     # in each message
//	  - rules: true                       # OSI's rules about the content of each message
//	    except: [osirules.sensorview.host_vehicle_id.is_set]
//	  - metric: detection_rate            # see package trace/metrics
//	    mean: {min: 0.9}                  # also least and greatest, and count: the number of values
//
// A bound is {min: A, max: B}, one of both, or a number, which is both. Without a channel a
// condition is about the only channel there is.
//
// Rules upheld: a file with an unknown key, a condition without a check, or bounds that nothing can
// keep is refused with its line. One pass over the trace, and another one for metrics. A condition
// on values that never occur fails: it cannot tell whether they are right.
//
// Types: [Conditions] with [Condition] and [Bounds], [Options], [Verdict].
package expect
