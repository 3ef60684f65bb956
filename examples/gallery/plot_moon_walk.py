"""
A walk on the moon
==================

Physics-based retiming keeps within the limits of body, gravity and ground contact. With the gravity
of the moon, legs swing more slowly, and a walk takes about one and a half times as long.
"""

import retime

walk = retime.samples.walk()
warp = retime.physics(walk, gravity="moon", duration="free").warp
moon = retime.apply(walk, warp)
figure = retime.plot.strip({"on earth": walk, "on the moon": moon}, poses=14)
print(f"{walk.duration:.2f} s on earth, {moon.duration:.2f} s on the moon")

# %%
# A jump shows it more clearly: its flight is sqrt(9.81 / 1.62) = 2.46 times as long.

jump = retime.samples.jump()
warp = retime.physics(jump, gravity="moon", duration=6.5).warp
figure = retime.plot.compare(jump, retime.apply(jump, warp), warp)
take_off, landing = retime.body.measure.metrics.flights(jump)[0]
longer = (warp.inverse(landing) - warp.inverse(take_off)) / (landing - take_off)
print(f"the flight lasts {float(longer):.2f} times as long")
