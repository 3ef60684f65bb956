// Imports NAME.lengths, and reports a damaged table when it is imported, not in the game.
using System.IO;
using UnityEditor.AssetImporters;
using UnityEngine;

namespace Retime
{
    [ScriptedImporter(1, "lengths")]
    public sealed class LengthsImporter : ScriptedImporter
    {
        public override void OnImportAsset(AssetImportContext context)
        {
            string text = File.ReadAllText(context.assetPath);
            LengthsFile.Parse(text);
            var asset = new TextAsset(text);
            context.AddObjectToAsset("table", asset);
            context.SetMainObject(asset);
        }
    }
}
