@tool
extends EditorImportPlugin
## Imports NAME.lengths as a RetimeLengths resource. Godot knows files by their last suffix only, so
## tables for Godot are written without ".json".


func _get_importer_name() -> String:
	return "retime.lengths"


func _get_visible_name() -> String:
	return "Table of lengths"


func _get_recognized_extensions() -> PackedStringArray:
	return ["lengths"]


func _get_save_extension() -> String:
	return "res"


func _get_resource_type() -> String:
	return "Resource"


func _get_import_options(_path: String, _index: int) -> Array[Dictionary]:
	return []


func _import(
	source: String,
	target: String,
	_options: Dictionary,
	_variants: Array[String],
	_files: Array[String]
) -> Error:
	var table := RetimeLengths.from_text(FileAccess.get_file_as_string(source))
	if table == null:
		return ERR_FILE_CORRUPT
	return ResourceSaver.save(table, target + "." + _get_save_extension())
