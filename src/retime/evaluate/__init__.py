"""From a file and a recipe to a result: the one way every front end goes."""
