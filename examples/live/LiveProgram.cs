// mcs ../../runtimes/unity/Runtime/LiveClient.cs LiveProgram.cs -out:live.exe && mono live.exe "http://127.0.0.1:8765/?token=..."
// or add both files to a .NET console project.
using System;
using System.Threading;

public static class LiveProgram
{
    public static int Main(string[] arguments)
    {
        if (arguments.Length != 1)
        {
            Console.Error.WriteLine("usage: live ADDRESS   (the address that retime live printed)");
            return 2;
        }
        using (var stop = new CancellationTokenSource())
        {
            Console.CancelKeyPress += (sender, pressed) => { pressed.Cancel = true; stop.Cancel(); };
            new LiveClient()
                .Run(arguments[0], frame => Console.WriteLine(frame.Json + " " + frame.Numbers.Length), stop.Token)
                .GetAwaiter().GetResult();
        }
        return 0;
    }
}
