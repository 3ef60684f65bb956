// Sends a humanoid Animator to `retime live`, so that a headset's avatar can be the performer.
// Unity 2021 or later; the character is Humanoid and stands in a T-pose when the scene starts.
using System;
using System.Collections.Generic;
using System.Net.Sockets;
using System.Text;
using UnityEngine;

public sealed class RetimePerformer : MonoBehaviour
{
    public Animator animator;
    public string host = "127.0.0.1";
    public int port = 39539;

    private readonly Dictionary<HumanBodyBones, Quaternion> _rest = new Dictionary<HumanBodyBones, Quaternion>();
    private readonly Dictionary<Transform, HumanBodyBones> _bones = new Dictionary<Transform, HumanBodyBones>();
    private UdpClient _socket;

    private void Start()
    {
        if (animator == null) animator = GetComponent<Animator>();
        for (var bone = HumanBodyBones.Hips; bone < HumanBodyBones.LastBone; bone++)
        {
            var joint = animator.GetBoneTransform(bone);
            if (joint == null || _bones.ContainsKey(joint)) continue;
            _rest[bone] = Quaternion.Inverse(transform.rotation) * joint.rotation;
            _bones[joint] = bone;
        }
        _socket = new UdpClient(host, port);
    }

    private void OnDestroy() { if (_socket != null) _socket.Close(); }

    private void LateUpdate()
    {
        var bundle = new List<byte>();
        Text(bundle, "#bundle");
        bundle.AddRange(new byte[] { 0, 0, 0, 0, 0, 0, 0, 1 }); // at once
        Add(bundle, "/VMC/Ext/T", null, Time.realtimeSinceStartup);
        foreach (var entry in _bones)
        {
            var above = entry.Key.parent;
            while (above != null && !_bones.ContainsKey(above)) above = above.parent;
            var turn = Turned(entry.Key, entry.Value);
            var place = entry.Key.position;
            if (above != null)
            {
                var back = Quaternion.Inverse(Turned(above, _bones[above]));
                turn = back * turn;
                place = back * (place - above.position);
            }
            Add(bundle, "/VMC/Ext/Bone/Pos", entry.Value.ToString(),
                place.x, place.y, place.z, turn.x, turn.y, turn.z, turn.w);
        }
        var data = bundle.ToArray();
        try { _socket.Send(data, data.Length); }
        catch (SocketException) { } // nobody listens yet
    }

    // What a bone has turned from its rest, in the world.
    private Quaternion Turned(Transform joint, HumanBodyBones bone)
    {
        return joint.rotation * Quaternion.Inverse(_rest[bone]);
    }

    private static void Add(List<byte> bundle, string address, string name, params float[] numbers)
    {
        var message = new List<byte>();
        Text(message, address);
        Text(message, "," + (name == null ? "" : "s") + new string('f', numbers.Length));
        if (name != null) Text(message, name);
        foreach (var number in numbers) Number(message, BitConverter.GetBytes(number));
        Number(bundle, BitConverter.GetBytes(message.Count));
        bundle.AddRange(message);
    }

    private static void Number(List<byte> to, byte[] bytes)
    {
        if (BitConverter.IsLittleEndian) Array.Reverse(bytes);
        to.AddRange(bytes);
    }

    private static void Text(List<byte> to, string text)
    {
        to.AddRange(Encoding.ASCII.GetBytes(text));
        do to.Add(0); while (to.Count % 4 != 0);
    }
}
