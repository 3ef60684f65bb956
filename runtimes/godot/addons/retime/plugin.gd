@tool
extends EditorPlugin

var _lengths_importer: EditorImportPlugin


func _enter_tree() -> void:
	_lengths_importer = preload("lengths/lengths_importer.gd").new()
	add_import_plugin(_lengths_importer)


func _exit_tree() -> void:
	remove_import_plugin(_lengths_importer)
