// Play an animation of a GLB in three.js and print every node's world matrix at given times.
// Usage: node sample.mjs FILE ANIMATION '[t, ...]'
import { readFileSync } from "node:fs";
import { AnimationMixer, LoopOnce } from "three";
import { GLTFLoader } from "three/examples/jsm/loaders/GLTFLoader.js";

// Pictures need a browser, and have no part in how a figure moves.
function withoutPictures(data) {
  const size = data.readUInt32LE(12);
  const json = JSON.parse(data.toString("utf8", 20, 20 + size));
  for (const name of ["images", "textures", "samplers"]) delete json[name];
  if (json.materials) json.materials = json.materials.map((m) => ({ name: m.name }));
  let text = Buffer.from(JSON.stringify(json));
  text = Buffer.concat([text, Buffer.alloc((4 - (text.length % 4)) % 4, 32)]);
  const head = Buffer.alloc(20);
  data.copy(head, 0, 0, 12);
  head.writeUInt32LE(20 + text.length + data.length - 20 - size, 8);
  head.writeUInt32LE(text.length, 12);
  head.write("JSON", 16);
  return { json, glb: Buffer.concat([head, text, data.subarray(20 + size)]) };
}

const [file, animation, times] = process.argv.slice(2);
const { json, glb } = withoutPictures(readFileSync(file));
const bytes = glb.buffer.slice(glb.byteOffset, glb.byteOffset + glb.length);
const gltf = await new GLTFLoader().parseAsync(bytes, "");
const clip = gltf.animations[Number(animation)];
const mixer = new AnimationMixer(gltf.scene);
const action = mixer.clipAction(clip);
action.setLoop(LoopOnce);
action.clampWhenFinished = true;
action.play();
const nodes = await Promise.all(json.nodes.map((_, n) => gltf.parser.getDependency("node", n)));
const poses = JSON.parse(times).map((t) => {
  action.reset().play(); // one that has ended would stay at its start
  mixer.setTime(t);
  gltf.scene.updateMatrixWorld(true);
  return nodes.map((n) => [...n.matrixWorld.elements]);
});
console.log(JSON.stringify({ duration: clip.duration, tracks: clip.tracks.length, poses }));
