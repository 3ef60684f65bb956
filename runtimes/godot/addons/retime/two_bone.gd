# Bends an arm or a leg so that its end comes to a goal, or as near as its length allows.
class_name RetimeTwoBone


## Turn the upper and the lower bone of a skeleton; the end keeps its rotation. The goal is in the
## skeleton's own space.
static func solve(skeleton: Skeleton3D, bones: Array[int], goal: Vector3) -> void:
	var poses: Array[Transform3D] = []
	for bone in bones:
		poses.append(skeleton.get_bone_global_pose(bone))
	var from := poses[0].origin
	var middle := poses[1].origin
	var tip := poses[2].origin
	var first := from.distance_to(middle)
	var second := middle.distance_to(tip)
	var way := goal - from
	if way.length() < 1e-6 or from.distance_to(tip) < 1e-6:
		return
	# Neither quite straight nor folded: the elbow keeps its side.
	var reach := clampf(way.length(), absf(first - second) + 1e-4, 0.9999 * (first + second))
	var line := (tip - from).normalized()
	var along := way.normalized()
	var side := (middle - from) - (middle - from).dot(line) * line
	if side.length() < 1e-6:
		return  # quite straight: the plane it bends in is not known
	side = Quaternion(line, along) * side.normalized()
	var forward := (first * first + reach * reach - second * second) / (2.0 * reach)
	var aside := sqrt(maxf(0.0, first * first - forward * forward))
	var elbow := from + forward * along + aside * side
	var held := poses[2].basis.get_rotation_quaternion()
	var upper := _turned(middle - from, elbow - from, poses[0])
	var lower := _turned(tip - middle, from + reach * along - elbow, poses[1])
	_put(skeleton, bones[0], upper)
	_put(skeleton, bones[1], lower)
	_put(skeleton, bones[2], held)


static func _turned(before: Vector3, after: Vector3, pose: Transform3D) -> Quaternion:
	var turn := Quaternion(before.normalized(), after.normalized())
	return turn * pose.basis.get_rotation_quaternion()


# Give a bone a rotation in the skeleton's own space.
static func _put(skeleton: Skeleton3D, bone: int, turn: Quaternion) -> void:
	var above := skeleton.get_bone_parent(bone)
	var carried := Quaternion.IDENTITY
	if above >= 0:
		carried = skeleton.get_bone_global_pose(above).basis.get_rotation_quaternion()
	skeleton.set_bone_pose_rotation(bone, carried.inverse() * turn)
