// One clip twice: with the timing of its table of lengths, and at uniform speed.
import * as THREE from "three";
import { GLTFLoader } from "./node_modules/three/examples/jsm/loaders/GLTFLoader.js";
import { EasedLength, Lengths } from "retime-lengths";

const FLASH_S = 0.15;
const get = (id) => document.getElementById(id);

/** The figure of a glTF file; it flashes when a moment is passed. */
class Figure {
  constructor(gltf, color, x) {
    this.root = gltf.scene;
    this.root.position.x = x;
    this.material = new THREE.MeshStandardMaterial({ color, roughness: 0.6, emissive: "#ffd54f", emissiveIntensity: 0 });
    this.mixer = new THREE.AnimationMixer(this.root);
    this.action = this.mixer.clipAction(gltf.animations[0]);
    this.action.play();
    this.action.paused = true;
    this.root.traverse((node) => {
      if (node.isMesh) Object.assign(node, { material: this.material, frustumCulled: false });
    });
    this.flash = 0;
  }

  show(source) {
    this.action.time = Math.min(source, this.action.getClip().duration - 1e-6);
    this.mixer.update(0);
  }

  fade(delta) {
    this.flash = Math.max(this.flash - delta, 0);
    this.material.emissiveIntensity = this.flash / FLASH_S;
  }
}

async function start() {
  const response = await fetch("punches.lengths.json");
  const table = Lengths.parse(await response.text());
  const load = () => new GLTFLoader().loadAsync("punches.glb");
  const own = new Figure(await load(), "#c792ea", -0.6);
  const even = new Figure(await load(), "#4fc3f7", 0.6);

  const canvas = get("view");
  const renderer = new THREE.WebGLRenderer({ canvas, antialias: true });
  const scene = new THREE.Scene();
  scene.background = new THREE.Color("#16181d");
  scene.add(new THREE.HemisphereLight("#ffffff", "#404550", 2.5), new THREE.GridHelper(12, 24, "#3c4149", "#2a2e35"));
  scene.add(own.root, even.root);
  const camera = new THREE.PerspectiveCamera(40, 1, 0.05, 100);
  camera.position.set(1.6, 1.5, 4.2);
  camera.lookAt(0, 0.9, 0);

  const [shortest, longest] = table.range;
  const length = new EasedLength(table.duration);
  const asked = () => shortest * (longest / shortest) ** Number(get("length").value);
  let source = 0, uniform = 0, playing = true, last = performance.now(), ending = null;

  get("play").onclick = () => {
    playing = !playing;
    get("play").textContent = playing ? "Pause" : "Play";
  };
  get("length").oninput = () => { ending = null; };
  get("land").onclick = () => {
    if (source >= table.moments.hook) source = uniform = 0;
    const wanted = table.lengthBetween(source, table.moments.hook, 0.3);
    ending = Math.min(Math.max(wanted, shortest), longest); // limited: nearer than the table can play
    length.length = ending;
  };

  function advance(delta) {
    const now = length.toward(ending ?? asked(), delta);
    const next = table.step(source, delta, now);
    for (const name of table.passed(source, next)) {
      own.flash = FLASH_S;
      get("hit").textContent = `${name} at ${table.when(table.moments[name], now).toFixed(2)} s`;
    }
    const nextEven = uniform + (delta * table.duration) / now;
    if (table.passed(uniform, nextEven).length) even.flash = FLASH_S;
    [source, uniform] = [next, nextEven];
    if (source >= table.duration && uniform >= table.duration) {
      source = uniform = 0;
      ending = null;
    }
    get("seconds").textContent = `${now.toFixed(2)} s`;
    get("source").textContent = `${source.toFixed(2)} s`;
    get("rate").textContent = `${table.rate(source, now).toFixed(2)}x`;
  }

  renderer.setAnimationLoop((time) => {
    const delta = Math.min((time - last) / 1000, 0.1);
    last = time;
    if (playing && delta > 0) advance(delta);
    own.show(source);
    even.show(Math.min(uniform, table.duration));
    own.fade(delta);
    even.fade(delta);
    const { clientWidth: width, clientHeight: height } = canvas;
    renderer.setSize(width, height, false);
    camera.aspect = width / Math.max(height, 1);
    camera.updateProjectionMatrix();
    renderer.render(scene, camera);
  });
}

start().catch((error) => {
  get("problem").textContent = error.message;
});
