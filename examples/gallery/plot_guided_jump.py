"""
A shorter jump
==============

Shorten a jump from 3.25 s to 2 s. At uniform speed the flight would be rushed; guided time warping
shortens the standing and leaves the flight alone.
"""

import retime

jump = retime.samples.jump()
warp = retime.guided(jump, duration=2.0).warp
short = retime.apply(jump, warp)
figure = retime.plot.compare(jump, short, warp)

# %%
# The warp maps output time to source time. Its slope is the playback speed: 1 in flight.

figure = retime.plot.warp({"guided": warp})
take_off, landing = retime.body.measure.metrics.flights(jump)[0]
in_air = (take_off + landing) / 2
print(f"playback speed in the air: {float(warp.rate(warp.inverse(in_air))):.2f}")
