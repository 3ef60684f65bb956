"""
A walk on the beat
==================

Sync a walk to music at 104 beats per minute. The accents of a motion are the minima of its speed,
or the landings of its feet, as here. Each is assigned to a beat, and a smooth warp moves it there.
"""

import retime
from retime.methods.music import find_sync
from retime.plot.music import sync_figure

walk = retime.samples.walk()
synced = find_sync(walk, bpm=104, accents="landings")
figure = sync_figure(synced)
print(synced.warp.notes[0])

# %%
# The warp changes the playback speed only a little, so the walk stays natural.

out = retime.apply(walk, synced.warp)
figure = retime.plot.compare(walk, out, synced.warp)
