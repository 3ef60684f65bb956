"""
A hand that arrives earlier
===========================

Move a hand 0.2 s earlier. The arm, the shoulder and the spine follow, so that the hand reaches its
position in space at the requested time. The legs keep their timing.
"""

import retime

punches = retime.samples.punches()
punch = 1.5
key = retime.SurfaceKey(time=punch, joint="RightHand", shift=-0.2)
early = retime.Recipe([retime.Step("surface", {"keys": [key]})]).evaluate(punches)
part = 1.0, 1.8
shown = {"as recorded": punches.between(*part), "hand 0.2 s earlier": early.between(*part)}
figure = retime.plot.strip(shown, poses=9)

# %%
# The notes give the measured arrival.

print(*[note for note in early.notes if "arrives" in note], sep="\n")
