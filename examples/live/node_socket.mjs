// A WebSocket for Node 20, which has none of its own without a flag: what feed.mjs needs of one.
import { randomBytes } from "node:crypto";
import http from "node:http";
import https from "node:https";

const [TEXT, BINARY, CLOSE, PING, PONG] = [1, 2, 8, 9, 10];

export class NodeSocket {
  onmessage = () => {};
  onclose = () => {};

  /** @param {string} address ws:// or wss:// */
  constructor(address) {
    const place = new URL(address);
    const { request } = place.protocol === "wss:" ? https : http;
    place.protocol = place.protocol === "wss:" ? "https:" : "http:";
    const headers = {
      Connection: "Upgrade",
      Upgrade: "websocket",
      "Sec-WebSocket-Version": "13",
      "Sec-WebSocket-Key": randomBytes(16).toString("base64"),
    };
    const asking = request(place, { headers });
    asking.on("upgrade", (_, socket, first) => this.#open(socket, first));
    asking.on("response", (response) => {
      response.resume();
      this.onclose();
    });
    asking.on("error", () => this.onclose());
    asking.end();
  }

  #open(socket, first) {
    this.socket = socket;
    this.waiting = first;
    this.parts = [];
    socket.on("data", (data) => {
      this.waiting = Buffer.concat([this.waiting, data]);
      while (this.#take());
    });
    socket.on("error", () => {});
    socket.on("close", () => this.onclose());
    while (this.#take());
  }

  /** Take one frame of what has come; false where it is not whole. */
  #take() {
    const data = this.waiting;
    if (data.length < 2) return false;
    let length = data[1] & 127;
    let start = 2;
    if (length === 126) [length, start] = data.length < 4 ? [Infinity, 4] : [data.readUInt16BE(2), 4];
    else if (length === 127) [length, start] = data.length < 10 ? [Infinity, 10] : [Number(data.readBigUInt64BE(2)), 10];
    if (data.length < start + length) return false;
    const body = data.subarray(start, start + length);
    this.waiting = data.subarray(start + length);
    const kind = data[0] & 15;
    if (kind === PING) this.#send(PONG, body);
    else if (kind === CLOSE) this.close();
    else if (kind <= BINARY) {
      this.kind = kind || this.kind;
      this.parts.push(body);
      if (data[0] & 128) {
        const whole = Buffer.concat(this.parts);
        this.parts = [];
        this.onmessage({
          data: this.kind === TEXT ? whole.toString() : whole.buffer.slice(whole.byteOffset, whole.byteOffset + whole.length),
        });
      }
    }
    return true;
  }

  /** A short frame; what a client sends is masked. */
  #send(kind, body) {
    const mask = randomBytes(4);
    const masked = Buffer.from(body.subarray(0, 125).map((byte, k) => byte ^ mask[k % 4]));
    this.socket.write(Buffer.concat([Buffer.from([128 | kind, 128 | masked.length]), mask, masked]));
  }

  close() {
    if (!this.socket || this.socket.destroyed) return;
    this.#send(CLOSE, Buffer.alloc(0));
    this.socket.end();
  }
}
