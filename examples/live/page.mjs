// Shows the performer and the partner that keeps time with them.
import * as THREE from "./node_modules/three/build/three.module.js";
import { listen } from "./feed.mjs";
import { bonesOf } from "./figure.mjs";

const UP = new THREE.Vector3(0, 1, 0);
const get = (id) => document.getElementById(id);

/** A figure of capsules between the joints that are in sight. */
class Figure {
  constructor(scene, color) {
    this.material = new THREE.MeshStandardMaterial({ color, roughness: 0.6 });
    this.scene = scene;
    this.limbs = [];
    this.head = new THREE.Mesh(new THREE.SphereGeometry(0.11, 20, 16), this.material);
    this.head.visible = false;
    scene.add(this.head);
  }

  /** @param {string[]} names */
  name(names) {
    for (const limb of this.limbs) this.scene.remove(limb.mesh);
    this.top = names.indexOf("head");
    this.limbs = bonesOf(names).map(([a, b]) => [names.indexOf(a), names.indexOf(b)])
      .map(([a, b]) => {
        const mesh = new THREE.Mesh(new THREE.CylinderGeometry(0.035, 0.035, 1, 10), this.material);
        this.scene.add(mesh);
        return { a, b, mesh };
      });
  }

  /** @param {Float32Array} points */
  place(points) {
    const heights = points.filter((value, j) => j % 3 === 1 && Number.isFinite(value));
    // Limbs are drawn for a figure of 1.7 m.
    if (heights.length) this.size = (Math.max(...heights) - Math.min(...heights)) / 1.5;
    const thick = Math.max(this.size, 0.5);
    const at = (j) => new THREE.Vector3(points[3 * j], points[3 * j + 1], points[3 * j + 2]);
    const top = at(this.top);
    this.head.visible = Number.isFinite(top.x);
    this.head.scale.setScalar(thick);
    if (this.head.visible) this.head.position.copy(top).addScaledVector(UP, 0.08 * thick);
    for (const { a, b, mesh } of this.limbs) {
      const from = at(a);
      const way = at(b).sub(from);
      const length = way.length();
      mesh.visible = Number.isFinite(length) && length > 1e-4;
      if (!mesh.visible) continue;
      mesh.position.copy(from).addScaledVector(way, 0.5);
      mesh.scale.set(thick, length, thick);
      mesh.quaternion.setFromUnitVectors(UP, way.divideScalar(length));
    }
  }
}

const canvas = get("view");
const renderer = new THREE.WebGLRenderer({ canvas, antialias: true });
const scene = new THREE.Scene();
scene.background = new THREE.Color("#16181d");
scene.add(new THREE.HemisphereLight("#ffffff", "#404550", 2.5));
scene.add(new THREE.GridHelper(12, 24, "#3c4149", "#2a2e35"));
const camera = new THREE.PerspectiveCamera(40, 1, 0.05, 1000);
const performer = new Figure(scene, "#4fc3f7");
const partner = new Figure(scene, "#c792ea");
const view = {
  turn: 0.6, lift: 0.25, far: 3.6, zoom: 1, centre: new THREE.Vector3(0, 0.9, 0), found: false,
};

function draw() {
  const { clientWidth: width, clientHeight: height } = canvas;
  renderer.setPixelRatio(Math.min(devicePixelRatio, 2));
  renderer.setSize(width, height, false);
  camera.aspect = width / Math.max(height, 1);
  camera.updateProjectionMatrix();
  const far = view.zoom * view.far;
  const flat = Math.cos(view.lift) * far;
  camera.position.set(
    view.centre.x + flat * Math.sin(view.turn),
    view.centre.y + far * Math.sin(view.lift),
    view.centre.z + flat * Math.cos(view.turn),
  );
  camera.lookAt(view.centre);
  renderer.render(scene, camera);
}

/** Look at all of both figures, of any size; follow them slowly. */
function frameBoth(...figures) {
  const box = new THREE.Box3();
  for (const points of figures)
    for (let j = 0; j + 2 < points.length; j += 3)
      if (Number.isFinite(points[j]))
        box.expandByPoint(new THREE.Vector3(points[j], points[j + 1], points[j + 2]));
  if (box.isEmpty()) return;
  const share = view.found ? 0.05 : 1;
  const size = box.getSize(new THREE.Vector3());
  view.centre.lerp(box.getCenter(new THREE.Vector3()), share);
  // Twice the largest extent leaves a margin at an opening of 40 degrees.
  const far = Math.max(3.6, 2 * Math.max(size.x, size.y, size.z));
  view.far += share * (far - view.far);
  view.found = true;
}

let shown = null;
let roles = null;
listen(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/feed${location.search}`, {
  hello: (hello) => {
    roles = hello.partner;
    performer.name(hello.performer);
    shown = null;
  },
  frame: (frame) => {
    if (frame.reference !== shown && frame.reference) {
      partner.name(roles[frame.reference]);
      shown = frame.reference;
    }
    performer.place(frame.performer);
    if (shown) partner.place(frame.partner);
    frameBoth(frame.performer, frame.partner);
    get("state").textContent = frame.state;
    get("reference").textContent = frame.reference ?? "";
    get("time").textContent = `${frame.time.toFixed(2)} s`;
    get("rate").textContent = `${frame.rate.toFixed(2)}x`;
    get("confidence").value = frame.confidence;
    get("phase").value = frame.phase;
    const late = frame.late;
    get("late").textContent =
      late === null ? "–" : `${Math.abs(1000 * late).toFixed(0)} ms ${late > 0 ? "behind" : "ahead"}`;
    requestAnimationFrame(draw);
  },
  lost: () => {
    get("state").textContent = "the server does not answer; trying again";
    get("reference").textContent = "";
  },
});

canvas.addEventListener("pointermove", (event) => {
  if (!event.buttons) return;
  view.turn -= event.movementX / 150;
  view.lift = Math.min(Math.max(view.lift + event.movementY / 200, -0.1), 1.5);
  requestAnimationFrame(draw);
});
canvas.addEventListener("wheel", (event) => {
  view.zoom = Math.min(Math.max(view.zoom * Math.exp(event.deltaY / 1000), 0.4), 6);
  requestAnimationFrame(draw);
}, { passive: true });
addEventListener("resize", () => requestAnimationFrame(draw));
draw();
