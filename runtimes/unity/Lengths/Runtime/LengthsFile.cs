// Reads a table of lengths. Unity's JsonUtility cannot read rows of rows.
using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using System.Text.RegularExpressions;

namespace Retime
{
    public static class LengthsFile
    {
        /// Read the text of a file; a FormatException says what is wrong with a damaged one.
        public static Lengths Parse(string text)
        {
            int at = 0;
            if (!(Value(text, ref at, 0) is Dictionary<string, object> o) || !(Get(o, "format") is string f) || f != "retime-lengths")
                throw Lengths.Damaged("\"format\" must be \"retime-lengths\"");
            if (!(Get(o, "version") is double v) || v != 1) throw Lengths.Damaged("its version is not known; this runtime reads version 1");
            if (Get(o, "loop") is object l && !(l is bool)) throw Lengths.Damaged("\"loop\" must be true or false");
            double[] phases = Numbers(Get(o, "phases"), "phases"), lengths = Numbers(Get(o, "lengths"), "lengths");
            if (!(Get(o, "times") is List<object> rows) || rows.Count != lengths.Length) throw Lengths.Damaged($"\"times\" must have {lengths.Length} rows");
            double[][] times = rows.Select((row, k) => Numbers(row, $"times[{k}]")).ToArray();
            if (times.Any(row => row.Length != phases.Length)) throw Lengths.Damaged($"each row of \"times\" must have {phases.Length} numbers");
            var moments = new Dictionary<string, double>();
            if (Get(o, "moments") is object m)
                foreach (KeyValuePair<string, object> one in m as Dictionary<string, object> ?? throw Lengths.Damaged("\"moments\" must be an object"))
                    moments[one.Key] = one.Value is double time ? time : throw Lengths.Damaged($"moment \"{one.Key}\" must be a number");
            return new Lengths(phases, lengths, times.SelectMany(row => row).ToArray(), moments, Equals(Get(o, "loop"), true));
        }

        static object Get(Dictionary<string, object> o, string name) => o.TryGetValue(name, out object value) ? value : null;

        static double[] Numbers(object value, string name) =>
            value is List<object> list && list.All(x => x is double) ? list.Cast<double>().ToArray() : throw Lengths.Damaged($"\"{name}\" must be a list of numbers");

        static object Value(string s, ref int at, int depth)
        {
            char c = depth > 20 ? throw Broken(at) : Peek(s, ref at);
            if (c == '{' || c == '[') return Held(s, ref at, depth, c == '{');
            if (c == '"') return Text(s, ref at);
            foreach (string word in new[] { "true", "false", "null" })
                if (string.CompareOrdinal(s, at, word, 0, word.Length) == 0) { at += word.Length; return word == "null" ? null : (object)(word == "true"); }
            int first = at;
            while (at < s.Length && "+-0123456789.eE".IndexOf(s[at]) >= 0) at++;
            return double.TryParse(s.Substring(first, at - first), NumberStyles.Float, CultureInfo.InvariantCulture, out double x) ? x : throw Broken(first);
        }

        static object Held(string s, ref int at, int depth, bool named)
        {
            var list = new List<object>();
            var map = new Dictionary<string, object>();
            Take(s, ref at, named ? '{' : '[');
            for (bool more = false; Peek(s, ref at) != (named ? '}' : ']'); more = true)
            {
                if (more) Take(s, ref at, ',');
                if (!named) { list.Add(Value(s, ref at, depth + 1)); continue; }
                string name = Text(s, ref at);
                Take(s, ref at, ':');
                map[name] = Value(s, ref at, depth + 1);
            }
            at++;
            return named ? map : (object)list;
        }

        static string Text(string s, ref int at)
        {
            Take(s, ref at, '"');
            int first = at;
            while (at < s.Length && s[at] != '"') at += s[at] == '\\' ? 2 : 1;
            if (at >= s.Length) throw Broken(first);
            try { return Regex.Unescape(s.Substring(first, at++ - first)); } catch (ArgumentException) { throw Broken(first); }
        }

        static char Peek(string s, ref int at)
        {
            while (at < s.Length && char.IsWhiteSpace(s[at])) at++;
            return at < s.Length ? s[at] : throw Broken(at);
        }

        static void Take(string s, ref int at, char c) { if (Peek(s, ref at) != c) throw Broken(at); at++; }
        static FormatException Broken(int at) => Lengths.Damaged($"it is not valid JSON at character {at}");
    }
}
