// Puts the scripts of runtimes/unity on a character, and writes where its joints come to.
//
// Standard input: the feed's first message; the recording's name; the numbers of bones, then of
// touches; the port that the performer is sent to. Output: joint, x, y, z, in Unity's axes.
using System;
using System.Globalization;
using System.Linq;
using System.Reflection;
using UnityEngine;

public static class UnityScene
{
    private const BindingFlags Hidden = BindingFlags.NonPublic | BindingFlags.Instance;

    private static void Main()
    {
        var animator = new Animator();
        foreach (var line in System.IO.File.ReadAllLines(Environment.GetCommandLineArgs()[1]))
        {
            var w = line.Split(' '); // bone, the one above it or -, place
            var n = w.Skip(2).Select(s => float.Parse(s, CultureInfo.InvariantCulture)).ToArray();
            var above = w[1] == "-" ? null : animator.joints[Bone(w[1])];
            animator.joints[Bone(w[0])] = new Transform(above, new Vector3(n[0], n[1], n[2]));
        }
        var partner = new RetimePartner { animator = animator, address = "http://127.0.0.1:9/" };
        Call(partner, "Start");
        Call(partner, "OnDestroy"); // no server: the frames come from here
        Call(partner, "Hello", Console.ReadLine());
        var name = Console.ReadLine();
        float[] bones = Numbers(), touches = Numbers();
        Call(partner, "Pose", Field<string[]>(partner, "_roles", name), Field<int[]>(partner, "_parents", name),
            bones, 0, Field<float>(partner, "_legs", name));
        Call(partner, "Touch", Field<string[]>(partner, "_touches", name), touches, 0);
        foreach (var joint in animator.joints)
        {
            var p = joint.Value.position;
            Console.WriteLine(string.Format(CultureInfo.InvariantCulture, "{0} {1} {2} {3}", joint.Key, p.x, p.y, p.z));
        }
        var performer = new RetimePerformer { animator = animator, port = int.Parse(Console.ReadLine()) };
        // The rest is the T-pose that the recording's own rotations are against: all identity here.
        Call(performer, "Start");
        Call(performer, "LateUpdate");
    }

    private static HumanBodyBones Bone(string name) { return (HumanBodyBones)Enum.Parse(typeof(HumanBodyBones), name); }

    private static float[] Numbers()
    {
        return Console.ReadLine().Split(' ').Select(s => float.Parse(s, CultureInfo.InvariantCulture)).ToArray();
    }

    private static void Call(object on, string name, params object[] given)
    {
        on.GetType().GetMethod(name, Hidden).Invoke(on, given);
    }

    private static T Field<T>(object on, string name, string key)
    {
        var all = (System.Collections.Generic.Dictionary<string, T>)on.GetType().GetField(name, Hidden).GetValue(on);
        return all[key];
    }
}
