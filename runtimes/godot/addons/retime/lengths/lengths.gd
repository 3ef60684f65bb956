class_name RetimeLengths
extends Resource
## Plays one clip at any length: the source time to show, from a table of lengths made by retime.
##
## Times are seconds from the start of the clip. A length that is not above 0 counts as the shortest,
## a time that is not a number as 0, so that no pose is ever NaN.

@export var phases: PackedFloat64Array
@export var lengths: PackedFloat64Array
## Output times, row after row.
@export var times: PackedFloat64Array
@export var moments: Dictionary
@export var loop: bool


## Reads the text of a file. Returns null and reports what is wrong if it is damaged.
static func from_text(text: String) -> RetimeLengths:
	var document = JSON.parse_string(text)
	var fault := fault_of(document)
	if fault != "":
		push_error("damaged table of lengths: " + fault)
		return null
	var table := RetimeLengths.new()
	table.phases = PackedFloat64Array(document.phases)
	table.lengths = PackedFloat64Array(document.lengths)
	for row in document.times:
		table.times.append_array(PackedFloat64Array(row))
	table.moments = document.get("moments", {})
	table.loop = document.get("loop", false)
	return table


## What is wrong with a parsed file; empty if nothing is.
static func fault_of(document: Variant) -> String:
	if typeof(document) != TYPE_DICTIONARY or str(document.get("format")) != "retime-lengths":
		return '"format" must be "retime-lengths"'
	if not _is_number(document.get("version")) or document.version != 1:
		return "its version is not known; this runtime reads version 1"
	if typeof(document.get("loop", false)) != TYPE_BOOL:
		return '"loop" must be true or false'
	for name in ["phases", "lengths"]:
		if not _rises(document.get(name)):
			return '"%s" must be finite numbers that increase, 2 or more' % [name]
	var p: Array = document.phases
	var d: Array = document.lengths
	if p[0] != 0 or d[0] <= 0:
		return '"phases" must start at 0, and "lengths" above 0'
	var rows = document.get("times")
	if typeof(rows) != TYPE_ARRAY or rows.size() != d.size():
		return '"times" must have a row for each length'
	for k in range(d.size()):
		var row = rows[k]
		if not _rises(row) or row.size() != p.size():
			return '"times[%d]" must be finite numbers that increase, one for each phase' % [k]
		if absf(row[0]) > 1.5e-6 or absf(row[row.size() - 1] - d[k]) > 1.5e-6:
			return '"times[%d]" must go from 0 to its length' % [k]
		for j in range(p.size()):
			if k > 0 and row[j] < rows[k - 1][j]:
				return '"times[%d][%d]" is earlier than in the row above' % [k, j]
	var named = document.get("moments", {})
	if typeof(named) != TYPE_DICTIONARY:
		return '"moments" must be an object'
	for name in named:
		if not _is_number(named[name]) or named[name] < 0 or named[name] > p[p.size() - 1] + 1.5e-6:
			return 'moment "%s" is outside the clip' % [name]
	return ""


## Duration of the clip.
func duration() -> float:
	return phases[phases.size() - 1]


## Source time that is shown at an output time.
func at(time: float, length: float) -> float:
	var last := phases.size() - 1
	if not time > 0:
		return 0.0
	if time >= _time(last, length):
		return phases[last]
	var low := 0
	var high := last
	while high - low > 1:
		var middle := (low + high) >> 1
		if _time(middle, length) <= time:
			low = middle
		else:
			high = middle
	var begin := _time(low, length)
	var share := (time - begin) / (_time(high, length) - begin)
	return phases[low] + share * (phases[high] - phases[low])


## Output time at which a source time, such as a moment, is shown.
func when(source: float, length: float) -> float:
	if not source > 0:
		return 0.0
	if source >= duration():
		return _time(phases.size() - 1, length)
	var k := _interval(source, phases)
	var begin := _time(k, length)
	var share := (source - phases[k]) / (phases[k + 1] - phases[k])
	return begin + share * (_time(k + 1, length) - begin)


## Source time a frame later; the length may change from frame to frame. A loop starts again.
func step(source: float, delta: float, length: float) -> float:
	var time := when(source, length) + delta
	if loop:
		var whole := when(duration(), length)
		time -= floorf(time / whole) * whole
	return at(time, length)


## Playback rate at a source time.
func rate(source: float, length: float) -> float:
	var k := _interval(source, phases)
	return (phases[k + 1] - phases[k]) / (_time(k + 1, length) - _time(k, length))


## Shortest length at which some seconds pass between two source times; 0 if there is none. It may be
## outside the table: limit it, or refuse.
func length_between(source: float, target: float, seconds: float) -> float:
	if not (source < target and seconds > 0 and source < duration() and target > 0):
		return 0.0
	var before := 0.0
	for k in range(lengths.size()):
		var took := when(target, lengths[k]) - when(source, lengths[k])
		if seconds <= took and k == 0:
			return lengths[0] * (seconds / took)
		if seconds <= took:
			var share := (seconds - before) / (took - before)
			return lengths[k - 1] + share * (lengths[k] - lengths[k - 1])
		before = took
	return lengths[lengths.size() - 1] * (seconds / before)


## Names of the moments in (before, after], where step went from one to the other.
func passed(before: float, after: float) -> Array:
	var wrapped := loop and after < before
	var names := []
	for name in moments:
		var time: float = moments[name]
		var later := time > before
		var reached := time <= after
		if (later or reached) if wrapped else (later and reached):
			names.append(name)
	return names


## Output time of a phase at a length.
func _time(j: int, length: float) -> float:
	var asked := minf(length, 1e9) if length > 0 else lengths[0]
	var x := clampf(asked, lengths[0], lengths[lengths.size() - 1])
	var k := _interval(x, lengths)
	var share := (x - lengths[k]) / (lengths[k + 1] - lengths[k])
	var below := times[k * phases.size() + j]
	var above := times[(k + 1) * phases.size() + j]
	return asked / x * (below + share * (above - below))


static func _interval(x: float, values: PackedFloat64Array) -> int:
	var low := 0
	var high := values.size() - 1
	while high - low > 1:
		var middle := (low + high) >> 1
		if values[middle] <= x:
			low = middle
		else:
			high = middle
	return low


static func _is_number(value: Variant) -> bool:
	return typeof(value) in [TYPE_FLOAT, TYPE_INT] and is_finite(value)


static func _rises(values: Variant) -> bool:
	if typeof(values) != TYPE_ARRAY or values.size() < 2:
		return false
	for j in range(values.size()):
		if not _is_number(values[j]) or (j > 0 and values[j] <= values[j - 1]):
			return false
	return true
