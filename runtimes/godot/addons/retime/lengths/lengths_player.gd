class_name RetimeLengthsPlayer
extends Node
## Plays an animation of an AnimationPlayer at any length.
##
## The state is the source time, so the length may change in any frame. Method and audio tracks of the
## animation fire as usual, because its position passes them.

## A moment of the table was passed.
signal moment_passed(moment: String)
signal finished

@export var player: AnimationPlayer
@export var animation: StringName
@export var table: RetimeLengths
## Length to play, seconds; 0 is the clip's own.
@export var length := 0.0
## Speed of the engine, such as slow motion of this character: the length is divided by it.
@export var speed := 1.0
## Time in which the played length follows, seconds.
@export var follow := 0.1
@export var playing := true

## Source time that is shown.
var source := 0.0
var _eased := 0.0


func _process(delta: float) -> void:
	if not playing or table == null or player == null:
		return
	var wanted := (length if length > 0 else table.duration()) / maxf(speed, 1e-6)
	_eased = (
		wanted
		if _eased <= 0
		else _eased + (wanted - _eased) * (1 - exp(-delta / maxf(follow, 1e-6)))
	)
	if player.current_animation != animation:
		player.play(animation)
		player.speed_scale = 0
	var before := source
	source = table.step(before, delta, _eased)
	player.seek(source, true)
	for moment in table.passed(before, source):
		moment_passed.emit(moment)
	if not table.loop and source >= table.duration():
		playing = false
		finished.emit()


## Starts from the beginning.
func restart() -> void:
	source = 0.0
	_eased = 0.0
	playing = true


## Chooses the length with which a moment comes in some seconds; false if the table cannot play it.
func land(moment: String, seconds: float) -> bool:
	if not table.moments.has(moment):
		return false
	var wanted := table.length_between(source, table.moments[moment], seconds)
	if wanted < table.lengths[0] or wanted > table.lengths[table.lengths.size() - 1]:
		return false
	length = wanted * speed
	_eased = wanted
	return true
