# Shows the partner of `retime live --feed` on a humanoid Skeleton3D. Godot 4.2 or later.
#
# Attach it to a Skeleton3D that rests in a T-pose and whose bones have the names of Godot's
# humanoid profile (Hips, LeftUpperArm, ...). Set `address` to what retime live printed, or
# `key_file` to the file of `retime live --key FILE`.
extends Skeleton3D

signal cue(state: String, reference: String, time: float, confidence: float)

@export var address := "http://127.0.0.1:8765/?token="
## The file of `retime live --key FILE`; with it, `address` needs no key.
@export_global_file var key_file := ""
## Which performer's partner, where there are several.
@export var performer := 1
## Move the hips, or only turn the bones.
@export var moves := true

var _socket := WebSocketPeer.new()
var _session := ""   # what the server gave for the key, which is good once
var _roles := {}     # of each reference: its roles
var _parents := {}   # of each reference: the place of each role's parent, -1 for none
var _rest: Array[Quaternion] = []
var _legs := {}      # of each reference: the length of the partner's legs, in metres
var _own_legs := 0.0
var _touches := {}   # of each reference: the joints that touch the performer


func _ready() -> void:
	for bone in get_bone_count():
		_rest.append(get_bone_global_rest(bone).basis.get_rotation_quaternion())
	_own_legs = _leg_length()
	_socket.inbound_buffer_size = 1 << 18
	_connect()


func _connect() -> void:
	var parts := address.split("/?token=")
	var place := parts[0].trim_suffix("/").replace("http", "ws")
	var key := _session
	if key.is_empty() and not key_file.is_empty():
		key = FileAccess.get_file_as_string(key_file).strip_edges()
	elif key.is_empty() and parts.size() == 2:
		key = parts[1]
	if key.is_empty():
		push_error("address: give the whole address that retime live printed, or a key_file")
		set_process(false)
		return
	_socket.connect_to_url("%s/feed?format=binary&performer=%d&token=%s" % [place, performer, key])


func _process(_delta: float) -> void:
	_socket.poll()
	if _socket.get_ready_state() == WebSocketPeer.STATE_CLOSED:
		_connect()
		return
	var newest := PackedByteArray()
	while _socket.get_available_packet_count() > 0:
		var packet := _socket.get_packet()
		if _socket.was_string_packet():
			var hello: Dictionary = JSON.parse_string(packet.get_string_from_utf8())
			_session = hello.get("session", _session)
			_roles = hello["partner"]
			_parents = hello["parents"]
			_legs = hello.get("legs", {})
			_touches = hello.get("touches", {})
		else:
			newest = packet
	if newest.size() > 4:
		_show(newest)


func _show(packet: PackedByteArray) -> void:
	var length := packet.decode_u32(0)
	var header: Dictionary = JSON.parse_string(packet.slice(4, 4 + length).get_string_from_utf8())
	if header["reference"] == null:
		return
	cue.emit(header["state"], header["reference"], header["time"], header["confidence"])
	var at := 4 + length
	for array in header["arrays"]:
		var count := 1
		for size in array["shape"]:
			count *= int(size)
		if array["name"] == "bones" and count > 0:
			_pose(header["reference"], packet.slice(at, at + 4 * count).to_float32_array())
		elif array["name"] == "touches" and count > 0:  # the bones are posed by then
			_touch(header["reference"], packet.slice(at, at + 4 * count).to_float32_array())
		at += 4 * count


# Rotations come against a T-pose whose axes are the world's: what a bone turns from its own rest.
func _pose(reference: String, numbers: PackedFloat32Array) -> void:
	var roles: Array = _roles[reference]
	var parents: Array = _parents[reference]
	var turns: Array[Quaternion] = []
	var world := {}
	for k in roles.size():
		var at := 7 * k
		var own := Quaternion(numbers[at + 4], numbers[at + 5], numbers[at + 6], numbers[at + 3])
		var parent := int(parents[k])
		turns.append(own if parent < 0 else turns[parent] * own)
		var bone := find_bone(_bone_name(roles[k]))
		if bone < 0:
			continue
		world[bone] = turns[k] * _rest[bone]
		if moves and roles[k] == "hips":
			var above := get_bone_parent(bone)
			# The height of the hips goes by the legs, so that the feet stay on the floor.
			var legs: float = _legs.get(reference, 0.0)
			var higher := _own_legs / legs if legs > 0.0 and _own_legs > 0.0 else 1.0
			var place := Vector3(numbers[7 * k], higher * numbers[7 * k + 1], numbers[7 * k + 2])
			var into := Transform3D() if above < 0 else get_bone_global_rest(above).affine_inverse()
			set_bone_pose_position(bone, into * place)
	for bone in world:
		var above := get_bone_parent(bone)
		var carried := Quaternion.IDENTITY
		while above >= 0 and not world.has(above):
			carried = get_bone_rest(above).basis.get_rotation_quaternion() * carried
			above = get_bone_parent(above)
		if above >= 0:
			carried = world[above] * carried
		set_bone_pose_rotation(bone, carried.inverse() * world[bone])


# Where the partner's limbs end in the world, and the weight of each touch: solved on our own limbs.
func _touch(reference: String, numbers: PackedFloat32Array) -> void:
	var roles: Array = _touches.get(reference, [])
	for k in mini(roles.size(), numbers.size() / 4):
		var weight := numbers[4 * k + 3]
		var side := "Left" if roles[k].begins_with("left") else "Right"
		var limb := ["UpperLeg", "LowerLeg", "Foot"]
		if roles[k].ends_with("hand"):
			limb = ["UpperArm", "LowerArm", "Hand"]
		var bones: Array[int] = []
		for name in limb:
			bones.append(find_bone(side + name))
		if weight <= 0.0 or bones.has(-1):
			continue
		var target := Vector3(numbers[4 * k], numbers[4 * k + 1], numbers[4 * k + 2])
		var tip := get_bone_global_pose(bones[2]).origin
		RetimeTwoBone.solve(self, bones, tip.lerp(target, weight))


func _leg_length() -> float:
	var length := 0.0
	var before := find_bone("LeftUpperLeg")
	for name in ["LeftLowerLeg", "LeftFoot"]:
		var bone := find_bone(name)
		if before < 0 or bone < 0:
			return 0.0
		length += get_bone_global_rest(before).origin.distance_to(get_bone_global_rest(bone).origin)
		before = bone
	return length


func _bone_name(role: String) -> String:
	return role.to_pascal_case().replace("Toe", "Toes")
