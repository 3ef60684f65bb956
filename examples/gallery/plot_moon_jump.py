"""
A jump on the moon
==================

Physics-based retiming keeps within the limits of body, gravity and ground contact. With the gravity
of the moon, the flight lasts 2.5 times as long, and crouch and landing are longer too.
"""

import retime

jump = retime.samples.jump()
warp = retime.physics_warp(jump, gravity="moon", duration=6.5)
moon = retime.apply(jump, warp)
figure = retime.plot.compare(jump, moon, warp)

# %%
# The flight is sqrt(9.81 / 1.62) = 2.46 times as long.

take_off, landing = retime.body.metrics.flights(jump)[0]
longer = (warp.inverse(landing) - warp.inverse(take_off)) / (landing - take_off)
print(f"the flight lasts {float(longer):.2f} times as long")
