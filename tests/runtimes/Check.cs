// Compares a runtime with values computed in Python: Check FOLDER
using System;
using System.Diagnostics;
using System.Globalization;
using System.IO;
using System.Linq;
using Retime;

static class Check
{
    static int Main(string[] args)
    {
        double worst = 0, sum = 0;
        foreach (string file in Directory.GetFiles(args[0], "*.txt"))
        {
            Lengths table = LengthsFile.Parse(File.ReadAllText(file.Replace(".txt", ".lengths.json")));
            string[] lines = File.ReadAllLines(file);
            if (lines.Length - 1 != int.Parse(lines[0])) throw new Exception($"{file} has {lines.Length - 1} of {lines[0]} lines");
            foreach (string line in lines.Skip(1))
            {
                double[] r = line.Split(' ').Select(x => double.Parse(x, CultureInfo.InvariantCulture)).ToArray();
                if (r.Length != 12) throw new Exception($"{file}: a line is short");
                double[] found = { table.At(r[1], r[0]), table.When(r[2], r[0]), table.Step(r[2], r[3], r[0]), table.Rate(r[2], r[0]), table.LengthBetween(r[4], r[5], r[6]) };
                for (int k = 0; k < 5; k++)
                {
                    double off = Math.Abs(found[k] - r[7 + k]) / Math.Max(1, Math.Abs(r[7 + k]));
                    worst = off <= worst ? worst : double.IsNaN(off) ? double.PositiveInfinity : off;
                }
            }
        }
        Lengths free = LengthsFile.Parse(File.ReadAllText(Path.Combine(args[0], "free.lengths.json")));
        const int N = 400000;
        TimeSpan before = Process.GetCurrentProcess().TotalProcessorTime;
        for (int i = 0; i < N; i++) sum += free.At(i % 1000 * 0.0013, 1.2 + i % 97 * 0.01);
        double ns = (Process.GetCurrentProcess().TotalProcessorTime - before).TotalMilliseconds * 1e6 / N;
        Console.WriteLine(string.Format(CultureInfo.InvariantCulture, "worst {0:R} ns {1:F0} {2}", worst, ns, sum * 0));
        foreach (string file in Directory.GetFiles(Path.Combine(args[0], "damaged")))
        {
            string fault = "";
            try { LengthsFile.Parse(File.ReadAllText(file)); } catch (FormatException e) { fault = e.Message; }
            Console.WriteLine($"{Path.GetFileName(file)}\t{fault}");
        }
        try { free.At(double.NaN, 1); Console.WriteLine("call\t"); } catch (ArgumentException) { }
        try { free.At(0, double.NaN); Console.WriteLine("call\t"); } catch (ArgumentException) { }
        return 0;
    }
}
