// As much of Unity as the scripts in runtimes/unity use, with joints that turn their children.
using System;
using System.Collections.Generic;

namespace UnityEngine
{
    public struct Vector3
    {
        public float x, y, z;
        public Vector3(float x, float y, float z) { this.x = x; this.y = y; this.z = z; }
        public float magnitude { get { return (float)Math.Sqrt(Dot(this, this)); } }
        public Vector3 normalized { get { return 1f / magnitude * this; } }
        public static float Dot(Vector3 a, Vector3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
        public static Vector3 Cross(Vector3 a, Vector3 b)
        {
            return new Vector3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
        }
        public static Vector3 Lerp(Vector3 a, Vector3 b, float t) { return a + t * (b - a); }
        public static Vector3 operator +(Vector3 a, Vector3 b) { return new Vector3(a.x + b.x, a.y + b.y, a.z + b.z); }
        public static Vector3 operator -(Vector3 a, Vector3 b) { return a + -1f * b; }
        public static Vector3 operator *(float s, Vector3 v) { return new Vector3(s * v.x, s * v.y, s * v.z); }
    }

    public struct Quaternion
    {
        public float x, y, z, w;
        public Quaternion(float x, float y, float z, float w) { this.x = x; this.y = y; this.z = z; this.w = w; }
        public static Quaternion identity { get { return new Quaternion(0, 0, 0, 1); } }
        public static Quaternion Inverse(Quaternion q) { return new Quaternion(-q.x, -q.y, -q.z, q.w); }
        public static Quaternion FromToRotation(Vector3 a, Vector3 b)
        {
            a = a.normalized; b = b.normalized;
            var c = Vector3.Cross(a, b);
            var w = 1f + Vector3.Dot(a, b);
            var n = (float)Math.Sqrt(w * w + Vector3.Dot(c, c));
            return new Quaternion(c.x / n, c.y / n, c.z / n, w / n);
        }
        public static Quaternion operator *(Quaternion a, Quaternion b)
        {
            var p = new Vector3(a.x, a.y, a.z); var q = new Vector3(b.x, b.y, b.z);
            var v = a.w * q + b.w * p + Vector3.Cross(p, q);
            return new Quaternion(v.x, v.y, v.z, a.w * b.w - Vector3.Dot(p, q));
        }
        public static Vector3 operator *(Quaternion a, Vector3 v)
        {
            var p = new Vector3(a.x, a.y, a.z);
            var t = 2f * Vector3.Cross(p, v);
            return v + a.w * t + Vector3.Cross(p, t);
        }
    }

    public static class Mathf
    {
        public static float Clamp(float v, float low, float high) { return Math.Max(low, Math.Min(high, v)); }
        public static float Abs(float v) { return Math.Abs(v); }
        public static float Max(float a, float b) { return Math.Max(a, b); }
        public static float Sqrt(float v) { return (float)Math.Sqrt(v); }
    }

    public sealed class Transform
    {
        public Transform parent;
        private Vector3 _place;
        private Quaternion _turn = Quaternion.identity;
        public Transform(Transform above, Vector3 place) { parent = above; position = place; }
        public Vector3 position
        {
            get { return parent == null ? _place : parent.TransformPoint(_place); }
            set { _place = parent == null ? value : parent.InverseTransformVector(value - parent.position); }
        }
        public Quaternion rotation
        {
            get { return parent == null ? _turn : parent.rotation * _turn; }
            set { _turn = parent == null ? value : Quaternion.Inverse(parent.rotation) * value; }
        }
        public Vector3 TransformPoint(Vector3 v) { return position + rotation * v; }
        public Vector3 InverseTransformVector(Vector3 v) { return Quaternion.Inverse(rotation) * v; }
    }

    public class MonoBehaviour
    {
        public Transform transform = new Transform(null, new Vector3(0, 0, 0));
        public object found;
        public T GetComponent<T>() { return (T)found; }
    }

    public enum HumanBodyBones
    {
        Hips, LeftUpperLeg, RightUpperLeg, LeftLowerLeg, RightLowerLeg, LeftFoot, RightFoot, Spine, Chest,
        UpperChest, Neck, Head, LeftShoulder, RightShoulder, LeftUpperArm, RightUpperArm, LeftLowerArm,
        RightLowerArm, LeftHand, RightHand, LeftToes, RightToes, LastBone
    }

    public sealed class Animator
    {
        public bool enabled = true;
        public Dictionary<HumanBodyBones, Transform> joints = new Dictionary<HumanBodyBones, Transform>();
        public Transform GetBoneTransform(HumanBodyBones bone)
        {
            Transform found;
            return joints.TryGetValue(bone, out found) ? found : null;
        }
    }

    public sealed class TooltipAttribute : Attribute { public TooltipAttribute(string text) { } }
    public static class Debug { public static void LogWarning(string text) { Console.Error.WriteLine(text); } }
    public static class Time { public static float realtimeSinceStartup = 1.5f; }
    public static class JsonUtility { public static T FromJson<T>(string json) { throw new NotSupportedException(); } }
}
