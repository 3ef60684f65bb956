/** Whether pictures are made by the processor: it draws few corners and pixels fast, and many when nothing moves. */

const NAMES = /swiftshader|llvmpipe|software|basic render/i;

let known: boolean | null = null;

export const drawsInSoftware = (): boolean => (known ??= looksLikeSoftware());

function looksLikeSoftware(): boolean {
  if (typeof document === "undefined") return false;
  const gl = document.createElement("canvas").getContext("webgl2");
  if (!gl) return false;
  const names = gl.getExtension("WEBGL_debug_renderer_info");
  const name = String(gl.getParameter(names ? names.UNMASKED_RENDERER_WEBGL : gl.RENDERER));
  gl.getExtension("WEBGL_lose_context")?.loseContext(); // browsers keep but a few of them
  return NAMES.test(name);
}
