/** What the Warp tab draws: rows over output time. */

import { drawContacts, drawFeasible } from "./bands";
import { CanvasPair } from "../plot/canvas_pair";
import type { FilmStrip } from "./film_strip";
import { drawForce } from "./force";
import { drawHeat } from "./heat";
import { drawMarks, type MarkState } from "./key_marks";
import { crisp, line, type Plot } from "../plot/plot";
import { drawRate } from "./rate";
import type { Refusal } from "./refusal";
import { layOut } from "./rows";
import { drawPlayhead, drawRange, drawRuler } from "../plot/ruler";
import { scene } from "../plot/scene";
import { comparing } from "../../store/compare";
import { drawWarp } from "./warp_curve";
import { drawWaveform, type Wave } from "./waveform";

/** Below this the film strip goes. */
const LOW_WINDOW = 800;

export class Painter extends CanvasPair {
  wave: Wave | null = null;

  /** The picture as it is now; cheap enough to be asked for at every move of the pointer. */
  plot(): Plot {
    const now = scene.value;
    const { width, height } = this;
    const rows = layOut(height, {
      film: window.innerHeight >= LOW_WINDOW,
      force: now.physics !== null && now.showsForce,
      feasible: now.physics !== null,
      contacts: now.contacts.length,
      waveform: this.wave !== null,
      compared: comparing.value,
    });
    const axes = this.view.axes(now, this.theme.gutter, width, rows.warp);
    return { context: this.context, theme: this.theme, rows, scene: now, width, height, ...axes };
  }

  draw(film: FilmStrip, other: FilmStrip, marks: MarkState, bound: Refusal["bound"] | null): void {
    const plot = this.plot();
    const { context, theme, rows, width, height } = plot;
    this.clean(plot);
    drawRuler(plot);
    film.draw(plot);
    other.draw(plot);
    drawHeat(plot);
    drawWarp(plot, bound);
    drawRate(plot);
    drawForce(plot);
    drawFeasible(plot);
    drawContacts(plot);
    drawWaveform(plot, this.wave);
    context.lineWidth = 1;
    context.strokeStyle = theme.line;
    for (const { top, height: tall } of Object.values(rows)) {
      const bottom = crisp(top + tall - 1);
      line(context, 0, bottom, width, bottom);
    }
    line(context, theme.gutter + 0.5, 0, theme.gutter + 0.5, height);
    drawRange(plot);
    drawMarks(plot, marks);
  }

  drawPlayhead(film: FilmStrip, now: number): void {
    const plot = this.above(this.plot());
    film.drawCurrent(plot, now);
    drawPlayhead(plot, now);
  }
}
