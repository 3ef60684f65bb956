"""The live server: receive a performer over the network, and send a partner in sync.

``vmc`` and ``humanoid`` are the wire, ``performer`` and ``avatar`` the bodies at its two ends,
``follower`` and ``playhead`` decide the time, ``server`` joins them; nothing but ``server`` and
``feed`` knows sockets.
"""
