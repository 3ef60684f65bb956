"""
A movement that travels down the arm
====================================

With staggered poses, body parts reach a pose one after the other. Succession delays each joint of
an arm a little more than its parent, as in a wave or a whip.
"""

import retime

punches = retime.samples.punches()
lag = retime.PoseEdit("succession", {"joint": "right_upper_arm", "step": 0.05, "power": 1.2})
wave = retime.Step("stagger", {"edits": [lag]})
loose = retime.Recipe([wave]).evaluate(punches)
part = 1.0, 1.8
shown = {"as recorded": punches.between(*part), "with succession": loose.between(*part)}
figure = retime.plot.strip(shown, poses=9)
