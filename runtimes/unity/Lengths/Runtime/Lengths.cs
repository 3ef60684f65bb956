// Plays one clip at any length: the source time to show, from a table of lengths made by retime.
// Plain C#, for Unity and .NET.
using System;
using System.Collections.Generic;

namespace Retime
{
    /// A table of lengths, for one thread. Times are seconds from the start of the clip.
    public sealed class Lengths
    {
        readonly double[] phases, lengths, times; // times: row after row
        int first; // of the row below the asked length
        double share, scale; // of the way to the next row; beyond the table

        public Lengths(double[] phases, double[] lengths, double[] times, IReadOnlyDictionary<string, double> moments = null, bool loop = false)
        {
            this.phases = phases; this.lengths = lengths; this.times = times;
            Moments = moments ?? new Dictionary<string, double>();
            Loop = loop;
            Check();
        }

        /// Source times with a name, such as the moment of a hit.
        public IReadOnlyDictionary<string, double> Moments { get; }
        public bool Loop { get; }
        /// Duration of the clip.
        public double Duration => phases[phases.Length - 1];
        public double Shortest => lengths[0];
        public double Longest => lengths[lengths.Length - 1];

        /// Source time that is shown at an output time.
        public double At(double time, double length)
        {
            Blend(length);
            if (!Finite(time)) throw new ArgumentException($"the time must be a finite number, not {time}");
            int low = 0, high = phases.Length - 1;
            if (time <= 0) return 0;
            if (time >= Time(high)) return Duration;
            while (high - low > 1)
            {
                int middle = (low + high) >> 1;
                if (Time(middle) <= time) low = middle; else high = middle;
            }
            double begin = Time(low);
            return phases[low] + (time - begin) / (Time(high) - begin) * (phases[high] - phases[low]);
        }

        /// Output time at which a source time, such as a moment, is shown.
        public double When(double source, double length)
        {
            Blend(length);
            if (!Finite(source)) throw new ArgumentException($"the source time must be a finite number, not {source}");
            if (source <= 0) return 0;
            if (source >= Duration) return Time(phases.Length - 1);
            int k = Interval(source, phases);
            double begin = Time(k);
            return begin + (source - phases[k]) / (phases[k + 1] - phases[k]) * (Time(k + 1) - begin);
        }

        /// Source time a frame later; the length may change from frame to frame. A loop starts again.
        public double Step(double source, double delta, double length)
        {
            double time = When(source, length) + delta;
            if (Loop) time -= Math.Floor(time / length) * length;
            return At(time, length);
        }

        /// Playback rate at a source time.
        public double Rate(double source, double length)
        {
            Blend(length);
            if (!Finite(source)) throw new ArgumentException($"the source time must be a finite number, not {source}");
            int k = Interval(source, phases);
            return (phases[k + 1] - phases[k]) / (Time(k + 1) - Time(k));
        }

        /// Shortest length at which some seconds pass between two source times. It may be outside the
        /// table: limit it, or refuse.
        public double LengthBetween(double source, double target, double seconds)
        {
            if (!(source < target && seconds > 0 && seconds < double.PositiveInfinity && source < Duration && target > 0))
                throw new ArgumentException("source times must increase and be in the clip, and seconds be above 0");
            double before = 0;
            for (int k = 0; k < lengths.Length; k++)
            {
                double passed = When(target, lengths[k]) - When(source, lengths[k]);
                if (seconds <= passed && k == 0) return lengths[0] * (seconds / passed);
                if (seconds <= passed) return lengths[k - 1] + (seconds - before) / (passed - before) * (lengths[k] - lengths[k - 1]);
                before = passed;
            }
            return Longest * (seconds / before);
        }

        /// Whether a moment is in (before, after], where Step went from one to the other.
        public bool Passes(string moment, double before, double after)
        {
            double time = Moments[moment];
            return Loop && after < before ? time > before || time <= after : time > before && time <= after;
        }

        void Blend(double length)
        {
            if (!(length > 0 && length < double.PositiveInfinity)) throw new ArgumentException($"a length must be above 0 and finite, not {length}");
            double x = Math.Min(Math.Max(length, Shortest), Longest);
            int k = Interval(x, lengths);
            first = k * phases.Length;
            share = (x - lengths[k]) / (lengths[k + 1] - lengths[k]);
            scale = length / x;
        }

        double Time(int j) => scale * (times[first + j] + share * (times[first + phases.Length + j] - times[first + j]));

        static bool Finite(double x) => !double.IsNaN(x) && !double.IsInfinity(x);

        static int Interval(double x, double[] values)
        {
            int low = 0, high = values.Length - 1;
            while (high - low > 1) { int middle = (low + high) >> 1; if (values[middle] <= x) low = middle; else high = middle; }
            return low;
        }

        void Check()
        {
            int count = phases.Length;
            Rising(phases, 0, count, "phases");
            Rising(lengths, 0, lengths.Length, "lengths");
            if (phases[0] != 0 || lengths[0] <= 0) throw Damaged("\"phases\" must start at 0, and \"lengths\" above 0");
            if (times.Length != count * lengths.Length) throw Damaged("\"times\" must have a row of phases for each length");
            for (int k = 0; k < lengths.Length; k++)
            {
                Rising(times, k * count, count, $"times[{k}]");
                if (Math.Abs(times[k * count]) > 1.5e-6 || Math.Abs(times[(k + 1) * count - 1] - lengths[k]) > 1.5e-6)
                    throw Damaged($"\"times[{k}]\" must go from 0 to its length");
                for (int j = 0; k > 0 && j < count; j++)
                    if (times[k * count + j] < times[(k - 1) * count + j]) throw Damaged($"\"times[{k}][{j}]\" is earlier than in the row above");
            }
            foreach (KeyValuePair<string, double> moment in Moments)
                if (!(moment.Value >= 0 && moment.Value <= Duration + 1.5e-6)) throw Damaged($"moment \"{moment.Key}\" is outside the clip");
        }

        static void Rising(double[] values, int first, int count, string name)
        {
            if (count < 2) throw Damaged($"\"{name}\" must be 2 numbers or more");
            for (int j = 0; j < count; j++)
            {
                double x = values[first + j];
                if (!Finite(x)) throw Damaged($"\"{name}[{j}]\" is not a finite number");
                if (j > 0 && x <= values[first + j - 1]) throw Damaged($"\"{name}\" must increase, but does not at {j}");
            }
        }

        internal static FormatException Damaged(string text) => new FormatException("damaged table of lengths: " + text);
    }
}
