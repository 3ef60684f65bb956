import { expect, test } from "vitest";
import written from "../../tests/data/times.json";
import { parseTime, type TimeKind } from "../src/store/times";

interface Row {
  text: string;
  kind: TimeKind;
  domain: [number, number];
  rate: number;
  output_rate: number | null;
  seconds: number;
}

const table = written as { read: Row[]; refused: string[] };

function clock({ domain: [a, b], rate, output_rate }: Row) {
  return { start: a, whole: b - a, length: b - a, outputLength: b - a, rate, outputRate: output_rate ?? rate };
}

test.each(table.read)("$text as a time of the $kind", (row) => {
  expect(parseTime(row.text, row.kind, clock(row))).toBeCloseTo(row.seconds, 9);
});

test.each(table.refused)("%s is no time", (text) => {
  expect(parseTime(text, "length", clock(table.read[0]!))).toBeNull();
});

test("a decimal comma and a true minus", () => {
  expect(parseTime("2,4 s", "length", clock(table.read[0]!))).toBeCloseTo(2.4);
  expect(parseTime("\u22122", "length", clock(table.read[0]!))).toBe(-2);
});
