# Sends a humanoid Skeleton3D to `retime live`, so that a headset's avatar can be the performer.
# Godot 4.2 or later; the skeleton rests in a T-pose, with the bone names of the humanoid profile.
extends Node

@export var skeleton: Skeleton3D
@export var host := "127.0.0.1"
@export var port := 39539

const BONES: Array[String] = [
	"Hips", "Spine", "Chest", "UpperChest", "Neck", "Head",
	"LeftShoulder", "LeftUpperArm", "LeftLowerArm", "LeftHand",
	"RightShoulder", "RightUpperArm", "RightLowerArm", "RightHand",
	"LeftUpperLeg", "LeftLowerLeg", "LeftFoot", "LeftToes",
	"RightUpperLeg", "RightLowerLeg", "RightFoot", "RightToes",
]

var _socket := PacketPeerUDP.new()


func _ready() -> void:
	_socket.connect_to_host(host, port)


func _process(_delta: float) -> void:
	if skeleton == null:
		return
	var messages: Array[PackedByteArray] = [_message("/VMC/Ext/OK", "i", "", [1])]
	messages.append(_message("/VMC/Ext/T", "f", "", [Time.get_ticks_msec() / 1000.0]))
	for name in BONES:
		var bone := skeleton.find_bone(name)
		if bone >= 0:
			messages.append(_bone(name, bone))
	_socket.put_packet(_bundle(messages))


# A bone against the nearest bone above it that is sent, with the T-pose as rest.
func _bone(name: String, bone: int) -> PackedByteArray:
	var above := skeleton.get_bone_parent(bone)
	while above >= 0 and not BONES.has(skeleton.get_bone_name(above)):
		above = skeleton.get_bone_parent(above)
	var local := _turned(bone)
	if above >= 0:
		local = _turned(above).affine_inverse() * local
	else:
		local = skeleton.global_transform.orthonormalized() * local
	var q := local.basis.get_rotation_quaternion()
	var o := local.origin
	# VMC has Unity's axes, which are left-handed: mirror x.
	return _message("/VMC/Ext/Bone/Pos", "sfffffff", name, [-o.x, o.y, o.z, q.x, -q.y, -q.z, q.w])


func _turned(bone: int) -> Transform3D:
	var pose := skeleton.get_bone_global_pose(bone)
	var rest := skeleton.get_bone_global_rest(bone).basis.get_rotation_quaternion()
	return Transform3D(Basis(pose.basis.get_rotation_quaternion() * rest.inverse()), pose.origin)


func _message(address: String, types: String, text: String, numbers: Array) -> PackedByteArray:
	var out := StreamPeerBuffer.new()
	out.big_endian = true
	out.put_data(_padded(address))
	out.put_data(_padded("," + types))
	if types.begins_with("s"):
		out.put_data(_padded(text))
	for number in numbers:
		if types == "i":
			out.put_32(number)
		else:
			out.put_float(number)
	return out.data_array


func _bundle(messages: Array[PackedByteArray]) -> PackedByteArray:
	var out := StreamPeerBuffer.new()
	out.big_endian = true
	out.put_data(_padded("#bundle"))
	out.put_64(1)  # at once
	for message in messages:
		out.put_32(message.size())
		out.put_data(message)
	return out.data_array


func _padded(text: String) -> PackedByteArray:
	var out := text.to_ascii_buffer()
	out.append(0)
	while out.size() % 4 != 0:
		out.append(0)
	return out
