// Shows the partner of `retime live --feed` on a humanoid Animator. Unity 2021 or later.
//
// The component goes on a character whose rig is Humanoid and that stands in a T-pose when the scene
// starts. Hips are scaled by the legs, and hands that touch are solved on the character's own arms.
using System;
using System.Collections.Generic;
using System.Threading;
using UnityEngine;

public sealed class RetimePartner : MonoBehaviour
{
    [Tooltip("The address that retime live printed.")]
    public string address = "http://127.0.0.1:8765/?token=";
    [Tooltip("The file of retime live --key FILE; with it, the address needs no key.")]
    public string keyFile = "";
    public Animator animator;
    [Tooltip("Move the hips, or only turn the bones.")]
    public bool moves = true;

    public string State { get; private set; }
    public float Confidence { get; private set; }

    [Serializable] private class Block { public string name; public int[] shape; }
    [Serializable] private class Header
    {
        public string state; public string reference; public float confidence; public Block[] arrays;
    }

    private readonly CancellationTokenSource _stop = new CancellationTokenSource();
    private readonly object _lock = new object();
    private readonly Dictionary<HumanBodyBones, Quaternion> _rest = new Dictionary<HumanBodyBones, Quaternion>();
    private LiveClient.Frame _newest;
    private Dictionary<string, string[]> _roles = new Dictionary<string, string[]>();
    private Dictionary<string, int[]> _parents = new Dictionary<string, int[]>();
    private Dictionary<string, float> _legs = new Dictionary<string, float>();
    private Dictionary<string, string[]> _touches = new Dictionary<string, string[]>();
    private float _ownLegs;

    private async void Start()
    {
        if (animator == null) animator = GetComponent<Animator>();
        foreach (HumanBodyBones bone in Enum.GetValues(typeof(HumanBodyBones)))
        {
            if (bone == HumanBodyBones.LastBone) continue;
            var joint = animator.GetBoneTransform(bone);
            if (joint != null) _rest[bone] = Quaternion.Inverse(transform.rotation) * joint.rotation;
        }
        _ownLegs = Between(HumanBodyBones.LeftUpperLeg, HumanBodyBones.LeftLowerLeg)
            + Between(HumanBodyBones.LeftLowerLeg, HumanBodyBones.LeftFoot);
        animator.enabled = false; // the feed moves the bones
        var client = new LiveClient(); // it keeps what the server gave for the key
        while (!_stop.IsCancellationRequested)
        {
            try
            {
                await client.Run(Address(), frame => { lock (_lock) _newest = frame; }, _stop.Token, Hello);
            }
            catch (OperationCanceledException) { return; }
            catch (Exception e) { Debug.LogWarning("retime live: " + e.Message); }
            try { await System.Threading.Tasks.Task.Delay(1000, _stop.Token); }
            catch (OperationCanceledException) { return; }
        }
    }

    // In the character's own units, which the hips are placed in.
    private float Between(HumanBodyBones a, HumanBodyBones b)
    {
        var one = animator.GetBoneTransform(a);
        var other = animator.GetBoneTransform(b);
        if (one == null || other == null) return 0f;
        return transform.InverseTransformVector(other.position - one.position).magnitude;
    }

    private string Address()
    {
        if (string.IsNullOrEmpty(keyFile)) return address;
        var more = address.Contains("?") ? "&token=" : "?token=";
        return address + more + System.IO.File.ReadAllText(keyFile).Trim();
    }

    private void OnDestroy() { _stop.Cancel(); }

    // JsonUtility knows no maps: names and numbers are cut out of "partner" and "parents".
    private void Hello(string json)
    {
        var roles = new Dictionary<string, string[]>();
        foreach (var entry in Lists(json, "\"partner\":"))
            roles[entry.Key] = Array.ConvertAll(entry.Value, s => s.Trim('"'));
        var parents = new Dictionary<string, int[]>();
        foreach (var entry in Lists(json, "\"parents\":"))
            parents[entry.Key] = Array.ConvertAll(entry.Value, int.Parse);
        var legs = Numbers(json, "\"legs\":");
        var touches = new Dictionary<string, string[]>();
        foreach (var entry in Lists(json, "\"touches\":"))
            touches[entry.Key] = Array.ConvertAll(entry.Value, s => s.Trim('"'));
        lock (_lock) { _roles = roles; _parents = parents; _legs = legs; _touches = touches; }
    }

    private static Dictionary<string, string[]> Lists(string json, string key)
    {
        var found = new Dictionary<string, string[]>();
        var at = json.IndexOf(key, StringComparison.Ordinal);
        if (at < 0) return found;
        var end = json.IndexOf('}', at);
        var inside = json.Substring(at + key.Length, end - at - key.Length).Trim().TrimStart('{');
        foreach (var part in inside.Split(']'))
        {
            var open = part.IndexOf('[');
            if (open < 0) continue;
            var name = part.Substring(0, open).Trim(' ', ',', ':').Trim('"');
            found[name] = Array.ConvertAll(part.Substring(open + 1).Split(','), s => s.Trim());
        }
        return found;
    }

    private static Dictionary<string, float> Numbers(string json, string key)
    {
        var found = new Dictionary<string, float>();
        var at = json.IndexOf(key, StringComparison.Ordinal);
        if (at < 0) return found;
        var end = json.IndexOf('}', at);
        var inside = json.Substring(at + key.Length, end - at - key.Length).Trim().TrimStart('{');
        foreach (var part in inside.Split(','))
        {
            var colon = part.LastIndexOf(':');
            if (colon < 0) continue;
            var name = part.Substring(0, colon).Trim().Trim('"');
            found[name] = float.Parse(part.Substring(colon + 1), System.Globalization.CultureInfo.InvariantCulture);
        }
        return found;
    }

    private void LateUpdate()
    {
        LiveClient.Frame frame;
        lock (_lock) { frame = _newest; _newest = null; }
        if (frame == null) return;
        var header = JsonUtility.FromJson<Header>(frame.Json);
        State = header.state;
        Confidence = header.confidence;
        string[] roles, touches; int[] parents; float legs;
        if (string.IsNullOrEmpty(header.reference)) return;
        lock (_lock)
        {
            if (!_roles.TryGetValue(header.reference, out roles)) return;
            if (!_parents.TryGetValue(header.reference, out parents)) return;
            _legs.TryGetValue(header.reference, out legs);
            if (!_touches.TryGetValue(header.reference, out touches)) touches = new string[0];
        }
        var at = 0;
        foreach (var block in header.arrays)
        {
            var count = 1;
            foreach (var size in block.shape) count *= size;
            if (block.name == "bones" && count == 7 * roles.Length) Pose(roles, parents, frame.Numbers, at, legs);
            // The last array: the bones are posed by then.
            if (block.name == "touches" && count == 4 * touches.Length) Touch(touches, frame.Numbers, at);
            at += count;
        }
    }

    // Right-handed numbers: mirror x. Rotations come against a T-pose whose axes are the world's.
    // The height of the hips goes by the legs, so that the feet stay on the floor.
    private void Pose(string[] roles, int[] parents, float[] n, int at, float legs)
    {
        var higher = legs > 0f && _ownLegs > 0f ? _ownLegs / legs : 1f;
        var turns = new Quaternion[roles.Length];
        for (var k = 0; k < roles.Length; k++)
        {
            var i = at + 7 * k;
            var own = new Quaternion(n[i + 4], -n[i + 5], -n[i + 6], n[i + 3]);
            turns[k] = parents[k] < 0 ? own : turns[parents[k]] * own;
            HumanBodyBones bone;
            if (!Enum.TryParse(BoneName(roles[k]), out bone)) continue;
            var joint = animator.GetBoneTransform(bone);
            Quaternion rest;
            if (joint == null || !_rest.TryGetValue(bone, out rest)) continue;
            joint.rotation = transform.rotation * turns[k] * rest;
            if (moves && roles[k] == "hips")
                joint.position = transform.TransformPoint(new Vector3(-n[i], higher * n[i + 1], n[i + 2]));
        }
    }

    // Where the partner's limbs end in the world, and the weight of each touch.
    private void Touch(string[] roles, float[] n, int at)
    {
        for (var k = 0; k < roles.Length; k++, at += 4)
        {
            var weight = n[at + 3];
            var side = roles[k].StartsWith("left") ? "Left" : "Right";
            var limb = roles[k].EndsWith("hand")
                ? new[] { "UpperArm", "LowerArm", "Hand" } : new[] { "UpperLeg", "LowerLeg", "Foot" };
            var joints = Array.ConvertAll(limb, name => animator.GetBoneTransform(
                (HumanBodyBones)Enum.Parse(typeof(HumanBodyBones), side + name)));
            if (weight <= 0f || Array.IndexOf(joints, null) >= 0) continue;
            var target = transform.TransformPoint(new Vector3(-n[at], n[at + 1], n[at + 2]));
            TwoBone.Solve(joints[0], joints[1], joints[2], Vector3.Lerp(joints[2].position, target, weight));
        }
    }

    private static string BoneName(string role)
    {
        var name = "";
        foreach (var word in role.Split('_')) name += char.ToUpperInvariant(word[0]) + word.Substring(1);
        return name.Replace("Toe", "Toes");
    }
}
