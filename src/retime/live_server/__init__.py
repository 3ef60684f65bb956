"""The live server: a performer comes in over the network, and a partner that keeps time goes out.

``vmc`` and ``humanoid`` are the wire, ``performer`` and ``avatar`` the bodies at its two ends,
``follower`` and ``playhead`` decide the time, ``server`` joins them; nothing but ``server`` and
``feed`` knows sockets.
"""
