// Frames of `retime live --feed` in C#: for Unity (2021 or later), Godot or plain .NET.
//
//   var client = new LiveClient();
//   await client.Run("http://127.0.0.1:8765/?token=...", frame => Console.WriteLine(frame.Json), stop);
//
// Positions are metres, right-handed, Y up; for Unity mirror x: (-x, y, z), and (x, -y, -z, w).
using System;
using System.IO;
using System.Net.WebSockets;
using System.Text;
using System.Threading;
using System.Threading.Tasks;

public sealed class LiveClient
{
    /// <summary>One frame: its header as JSON, and its arrays by place.</summary>
    public sealed class Frame
    {
        /// <summary>State, reference, time, rate, confidence, late, and the arrays' shapes.</summary>
        public string Json;
        /// <summary>Performer, partner (three numbers a joint) and bones (seven), one after another.</summary>
        public float[] Numbers;
    }

    private string _session; // what the server gave for the key, which is good once

    /// <summary>Listen until the server ends or a token is cancelled; the same client may do so again.</summary>
    /// <param name="address">The address that retime live printed.</param>
    /// <param name="onHello">Takes the first message: names of joints and recordings, as JSON.</param>
    public async Task Run(
        string address, Action<Frame> onFrame, CancellationToken stop, Action<string> onHello = null)
    {
        var page = new Uri(address);
        var query = page.Query.TrimStart('?'); // of two tokens the first counts
        if (_session != null) query = "token=" + _session + "&" + query;
        using (var socket = new ClientWebSocket())
        {
            await socket.ConnectAsync(
                new Uri((page.Scheme == "https" ? "wss://" : "ws://") + page.Authority + "/feed?format=binary&" + query), stop);
            var part = new byte[1 << 16];
            using (var whole = new MemoryStream())
            {
                while (socket.State == WebSocketState.Open)
                {
                    var got = await socket.ReceiveAsync(new ArraySegment<byte>(part), stop);
                    if (got.MessageType == WebSocketMessageType.Close) return;
                    whole.Write(part, 0, got.Count);
                    if (!got.EndOfMessage) continue;
                    if (got.MessageType == WebSocketMessageType.Binary) onFrame(Parse(whole.ToArray()));
                    else Hello(Encoding.UTF8.GetString(whole.ToArray()), onHello);
                    whole.SetLength(0);
                }
            }
        }
    }

    // The session is letters, digits, - and _: no JSON reader is needed.
    private void Hello(string json, Action<string> onHello)
    {
        const string name = "\"session\": \"";
        var at = json.IndexOf(name, StringComparison.Ordinal);
        if (at >= 0)
        {
            at += name.Length;
            _session = json.Substring(at, json.IndexOf('"', at) - at);
        }
        if (onHello != null) onHello(json);
    }

    /// <summary>u32 length of the header, the header, little-endian float32.</summary>
    public static Frame Parse(byte[] data)
    {
        var length = (int)BitConverter.ToUInt32(data, 0);
        var numbers = new float[(data.Length - 4 - length) / 4];
        Buffer.BlockCopy(data, 4 + length, numbers, 0, 4 * numbers.Length);
        return new Frame { Json = Encoding.UTF8.GetString(data, 4, length).Trim(), Numbers = numbers };
    }
}
