// Drives an Animator with one clip at any length. The state is the source time, so the length may
// change in any frame; animation events fire as usual, because the position passes them.
using System;
using UnityEngine;
using UnityEngine.Animations;
using UnityEngine.Playables;

namespace Retime
{
    [RequireComponent(typeof(Animator))]
    public sealed class LengthsPlayer : MonoBehaviour
    {
        public AnimationClip clip;
        public TextAsset table;
        [Tooltip("Length to play, seconds; 0 is the clip's own.")] public float length;
        [Tooltip("Speed of this character: the length is divided by it.")] public float speed = 1;
        [Tooltip("Time in which the played length follows, seconds.")] public float ease = 0.1f;
        /// A moment of the table was passed.
        public event Action<string> Passed;
        /// Source time that is shown.
        public double Source { get; set; }
        public Lengths Table { get; private set; }
        PlayableGraph graph;
        AnimationClipPlayable playable;
        double eased;

        void OnEnable()
        {
            Table = LengthsFile.Parse(table.text);
            playable = AnimationPlayableUtilities.PlayClip(GetComponent<Animator>(), clip, out graph);
            graph.SetTimeUpdateMode(DirectorUpdateMode.Manual);
        }

        void OnDisable() => graph.Destroy();

        void Update()
        {
            double wanted = (length > 0 ? length : Table.Duration) / Math.Max(speed, 1e-6f);
            eased = eased <= 0 ? wanted : eased + (wanted - eased) * (1 - Math.Exp(-Time.deltaTime / Math.Max(ease, 1e-6f)));
            double before = Source;
            Source = Table.Step(before, Time.deltaTime, eased);
            playable.SetTime(Source); // once: root motion and events are taken from the way to it
            graph.Evaluate(0);
            foreach (string moment in Table.Moments.Keys)
                if (Table.Passes(moment, before, Source)) Passed?.Invoke(moment);
        }

        /// Choose the length with which a moment comes in some seconds; false if the table cannot.
        public bool Land(string moment, double seconds)
        {
            if (!Table.Moments.TryGetValue(moment, out double target) || target <= Source || seconds <= 0) return false;
            double wanted = Table.LengthBetween(Source, target, seconds);
            if (wanted < Table.Shortest || wanted > Table.Longest) return false;
            eased = wanted;
            length = (float)(wanted * speed);
            return true;
        }
    }
}
