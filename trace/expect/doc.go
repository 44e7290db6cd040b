// Package expect judges traces by conditions in a YAML file:
//
//	conditions:
//	  - name: a message in each step
//	    channel: OSMPSensorDataOut        # a topic, its end after a dot, or a type
//	    messages: {min: 90, max: 110}     # number of messages
//	    gap: {max: 0.1}                   # seconds between two messages, or to the end
//	  - field: moving_object              # a dotted path without indices
//	    count: {min: 1, max: 20}          # elements in each message
//	    from: 1.0                         # seconds; earlier messages do not count
//	    until: 9.5                        # messages from then on do not count
//	  - field: moving_object.base.position.x
//	    value: {min: -10, max: 250}       # every value in every message
//	  - field: sensor_id
//	    present: true                     # in each message
//	  - rules: true                       # OSI's rules about the content of each message
//	    except: [osirules.sensorview.host_vehicle_id.is_set]
//	  - metric: detection_rate            # see package trace/metrics
//	    mean: {min: 0.9}                  # also least, greatest, and count: how many values
//
// A bound is {min: A, max: B}, only one of the two, or a number, which stands for both. Without a
// channel, a condition is about the only channel of the trace.
//
// Guarantees: a file with an unknown key, a condition without a check, or bounds that nothing can
// satisfy, is refused, and the error names the line. The trace is read once, and once more for
// metrics. A condition on values that never occur fails, because there is nothing to judge.
//
// Types: [Conditions] with [Condition] and [Bounds], [Options], [Verdict].
package expect
