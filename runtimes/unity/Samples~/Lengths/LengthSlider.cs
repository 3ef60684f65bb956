// Put this beside a LengthsPlayer: a slider for the length, and a flash when a moment is passed.
using Retime;
using UnityEngine;

[RequireComponent(typeof(LengthsPlayer))]
public sealed class LengthSlider : MonoBehaviour
{
    LengthsPlayer player;
    float flash;
    string last = "";

    void Start()
    {
        player = GetComponent<LengthsPlayer>();
        player.Passed += moment => { last = moment; flash = 0.2f; };
    }

    void OnGUI()
    {
        float own = player.length > 0 ? player.length : (float)player.Table.Duration;
        player.length = GUI.HorizontalSlider(new Rect(20, 20, 300, 20), own, (float)player.Table.Shortest, (float)player.Table.Longest);
        GUI.Label(new Rect(330, 15, 200, 20), $"{player.length:0.00} s");
        if ((flash -= Time.deltaTime) > 0) GUI.Label(new Rect(20, 45, 200, 20), last);
        if (GUI.Button(new Rect(20, 70, 80, 24), "Play")) player.Source = 0;
    }
}
