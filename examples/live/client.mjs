// Prints what `retime live --feed` sends. Node 20 or later:
//
//   node client.mjs "http://127.0.0.1:8765/?token=..."
//   node client.mjs http://127.0.0.1:8765/ KEYFILE      (the file of retime live --key KEYFILE)
import { readFileSync } from "node:fs";
import { listen } from "./feed.mjs";
import { NodeSocket } from "./node_socket.mjs";

const given = new URL(process.argv[2] ?? "http://missing/");
if (given.hostname === "missing") {
  console.error("usage: node client.mjs ADDRESS [KEYFILE]   (the address that retime live printed)");
  process.exit(2);
}
let told = 0;
listen(`${given.protocol === "https:" ? "wss" : "ws"}://${given.host}/feed`, {
  Socket: globalThis.WebSocket ?? NodeSocket,
  token: process.argv[3] ? readFileSync(process.argv[3], "utf8").trim() : (given.searchParams.get("token") ?? ""),
  hello: ({ references }) => console.log(`following ${Object.keys(references).join(", ")}`),
  frame: ({ state, reference, time, rate, confidence }) => {
    if (performance.now() - told < 250) return;
    told = performance.now();
    console.log(`${state} ${reference ?? ""} ${time.toFixed(2)} s, rate ${rate.toFixed(2)}, sure ${confidence.toFixed(2)}`);
  },
  lost: () => process.exit(0),
});
