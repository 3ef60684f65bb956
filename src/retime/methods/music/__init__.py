"""Music: put the accents of a motion on the beats."""

from retime.methods.music.accents import Accents, find_accents
from retime.methods.music.alignment import beat_alignment
from retime.methods.music.parameters import SyncParameters
from retime.methods.music.steadiness import Steadiness, find_steadiness
from retime.methods.music.sync import find_sync, sync
from retime.methods.music.synced import Synced

__all__ = [
    "Accents",
    "Steadiness",
    "SyncParameters",
    "Synced",
    "beat_alignment",
    "find_accents",
    "find_steadiness",
    "find_sync",
    "sync",
]
