"""
Two people shake hands in less time
===================================

Each keeps the timing that suits them; where their hands touch, both are in step.
"""

from retime import Shared, group, plot, samples

ann, ben = samples.handshake()
both = group(
    {"Ann": ann, "Ben": ben},
    duration="75%",
    shared=[Shared(1.2, 2.7)],
    keytimes={"Ann": [(0.3, 0.9)]},
)
figure = plot.warp(both.warps, shared=[(1.2, 2.7)])
