// Compares a runtime with values computed in Python: node check.mjs FOLDER
import fs from "node:fs";
import { Lengths } from "../../runtimes/three/lengths/lengths.mjs";

const folder = process.argv[2];
const read = (name) => fs.readFileSync(`${folder}/${name}`, "utf8");
let worst = 0;
for (const file of fs.readdirSync(folder).filter((f) => f.endsWith(".txt"))) {
  const table = Lengths.parse(read(file.replace(".txt", ".lengths.json")));
  const [count, ...lines] = read(file).trim().split("\n");
  if (lines.length !== Number(count)) throw new Error(`${file} has ${lines.length} of ${count} lines`);
  for (const line of lines) {
    const [L, t, s, dt, a, b, sec, ...expected] = line.split(" ").map(Number);
    if (expected.length !== 5) throw new Error(`${file}: a line is short`);
    const found = [table.at(t, L), table.when(s, L), table.step(s, dt, L), table.rate(s, L), table.lengthBetween(a, b, sec)];
    found.forEach((x, k) => { worst = Math.max(worst, Math.abs(x - expected[k]) / Math.max(1, Math.abs(expected[k])) || (x === expected[k] ? 0 : Infinity)); });
  }
}
const table = Lengths.parse(read("free.lengths.json"));
let sum = 0;
const N = 400000, start = process.cpuUsage();
for (let i = 0; i < N; i++) sum += table.at((i % 1000) * 0.0013, 1.2 + (i % 97) * 0.01);
const used = process.cpuUsage(start);
const ns = ((used.user + used.system) * 1000) / N;
const faults = {};
for (const file of fs.readdirSync(`${folder}/damaged`)) {
  try {
    Lengths.parse(read(`damaged/${file}`));
    faults[file] = "";
  } catch (error) {
    faults[file] = error.message;
  }
}
for (const wrong of [() => table.at(0, NaN), () => table.at(NaN, 1), () => table.step(0, 1, 0), () => table.lengthBetween(1, 0, 1)])
  try { wrong(); faults.call = ""; } catch (error) { if (!(error instanceof RangeError)) throw error; }
console.log(JSON.stringify({ worst, ns, faults, sum: sum * 0 }));
