// Frames of `retime live`, for pages and for Node: positions in metres, right-handed, Y up.
//
// import { listen } from "./feed.mjs";
// listen("ws://127.0.0.1:8765/feed", { token: "...", frame: (frame, hello) => console.log(frame.time) });

/**
 * Take a binary message apart: u32 header length, JSON header, little-endian float32 arrays.
 * @param {ArrayBuffer} data
 */
export function parse(data) {
  const length = new DataView(data).getUint32(0, true);
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(data, 4, length)));
  let place = 4 + length;
  for (const { name, shape } of header.arrays) {
    const count = shape.reduce((product, n) => product * n, 1);
    header[name] = new Float32Array(data, place, count);
    place += 4 * count;
  }
  return header;
}

/**
 * Listen until `stop()` is called; a server that goes away is looked for again every second.
 * A page that the server itself serves needs no token: it has a cookie. The token of a printed address is
 * good for one listener; the first message holds a session, which is used from then on. With several
 * performers, `/feed?performer=2` is the second's. Node 20 has no WebSocket: give it `NodeSocket` of node_socket.mjs.
 */
export function listen(address, { token = "", hello = () => {}, frame, lost = () => {}, Socket = globalThis.WebSocket }) {
  let stopped = false;
  let socket;
  const connect = () => {
    const key = token ? `&token=${encodeURIComponent(token)}` : "";
    const more = address.includes("?") ? "&" : "?";
    socket = new Socket(`${address}${more}format=binary${key}`);
    socket.binaryType = "arraybuffer";
    let names;
    socket.onmessage = ({ data }) => {
      if (typeof data === "string") {
        names = JSON.parse(data);
        token = names.session ?? token;
        hello(names);
      }
      else frame(parse(data), names);
    };
    socket.onclose = () => {
      lost();
      if (!stopped) setTimeout(connect, 1000);
    };
  };
  connect();
  return () => {
    stopped = true;
    socket.close();
  };
}
