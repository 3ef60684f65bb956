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
figure = retime.plot.overlay(punches, loose, start=1.36, end=1.72, joint="RightHand")
