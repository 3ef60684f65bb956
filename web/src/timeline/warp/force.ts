/** What the ground bears along the output, in body weights. */

import { interpolate } from "../../store/clip";
import { Axis } from "../plot/axis";
import { crisp, labelRow, labelValue, line, within, type Plot } from "../plot/plot";

export function drawForce(plot: Plot): void {
  const { context, theme, rows, time, scene, width } = plot;
  const { result, physics } = scene;
  const row = rows.force;
  if (!row || !result || !physics) return;
  let most = 0;
  for (const weight of physics.force) most = Math.max(most, weight);
  const top = Math.min(Math.max(Math.ceil(most), 2), 20); // a lone spike of noise shall not flatten the rest
  const up = new Axis(0, top, row.top + row.height - 7, row.top + 8);
  within(plot, row, () => {
    context.strokeStyle = theme.lineStrong;
    context.lineWidth = 1;
    context.setLineDash([3, 3]);
    line(context, theme.gutter + 34, crisp(up.at(1)), width, crisp(up.at(1)));
    context.setLineDash([]);
    const from = Math.max(time.at(scene.output[0]), theme.gutter);
    const to = Math.min(time.at(scene.output[1]), width);
    context.beginPath();
    for (let x = from; x < to + 1; x++) {
      const pixel = Math.min(x, to);
      const y = up.at(interpolate(physics.times, physics.force, result.sourceAt(time.value(pixel))));
      if (x === from) context.moveTo(pixel, y);
      else context.lineTo(pixel, y);
    }
    context.lineWidth = 1.5;
    context.strokeStyle = theme.contact;
    context.stroke();
    context.lineTo(to, up.at(0));
    context.lineTo(from, up.at(0));
    context.fillStyle = theme.contact;
    context.globalAlpha = 0.18;
    context.fill();
    context.globalAlpha = 1;
  });
  labelValue(plot, String(top), row.top + 8);
  labelValue(plot, "1", up.at(1));
  labelRow(plot, row, "Ground force", "body weights");
}
