extends Node
## A slider for the length of an animation: choose the player of your scene and a table.

@export var player: RetimeLengthsPlayer
@onready var _slider: HSlider = $Slider
@onready var _label: Label = $Label


func _ready() -> void:
	if player == null or player.table == null:
		_label.text = "Choose a RetimeLengthsPlayer with a table."
		return
	_slider.min_value = player.table.lengths[0]
	_slider.max_value = player.table.lengths[player.table.lengths.size() - 1]
	_slider.value = player.table.duration()
	player.moment_passed.connect(func(moment: String) -> void: _label.text = moment)
	player.finished.connect(player.restart)


func _process(_delta: float) -> void:
	if player != null:
		player.length = _slider.value
