// Bends an arm or a leg so that its end comes to a goal, or as near as its length allows.
using UnityEngine;

public static class TwoBone
{
    /// <summary>Turn the upper and the lower bone; the end keeps its rotation in the world.</summary>
    public static void Solve(Transform upper, Transform lower, Transform end, Vector3 goal)
    {
        var held = end.rotation;
        Vector3 from = upper.position, middle = lower.position, tip = end.position;
        float first = (middle - from).magnitude, second = (tip - middle).magnitude;
        var way = goal - from;
        if (way.magnitude < 1e-6f || (tip - from).magnitude < 1e-6f) return;
        // Neither quite straight nor folded: the elbow keeps its side.
        var reach = Mathf.Clamp(way.magnitude, Mathf.Abs(first - second) + 1e-4f, 0.9999f * (first + second));
        Vector3 line = (tip - from).normalized, along = way.normalized;
        var side = middle - from - Vector3.Dot(middle - from, line) * line;
        if (side.magnitude < 1e-6f) return; // quite straight: the plane it bends in is not known
        side = Quaternion.FromToRotation(line, along) * side.normalized;
        var forward = (first * first + reach * reach - second * second) / (2f * reach);
        var aside = Mathf.Sqrt(Mathf.Max(0f, first * first - forward * forward));
        var elbow = from + forward * along + aside * side;
        upper.rotation = Quaternion.FromToRotation(middle - from, elbow - from) * upper.rotation;
        var now = end.position - lower.position;
        lower.rotation = Quaternion.FromToRotation(now, from + reach * along - elbow) * lower.rotation;
        end.rotation = held;
    }
}
