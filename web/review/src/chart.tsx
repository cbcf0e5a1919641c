// What the steps did without a fix and with it; uPlot is beside this bundle, the same as in the page of a trace.
import type uPlotType from "uplot";
import { useEffect, useRef } from "preact/hooks";
import type { Comparison, Course } from "./types";

declare const uPlot: typeof uPlotType;

const css = (name: string) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const HEIGHT = 168;

interface Series {
  title: string;
  unit: string;
  of: (course: Course) => number[];
  isCount: boolean;
}

const SERIES: Series[] = [
  { title: "Compiles per step", unit: "compiles", of: (course) => course.compiles, isCount: true },
  { title: "Resident memory", unit: "MB", of: (course) => course.rss_bytes.map((bytes) => Math.round(bytes / 1e5) / 10), isCount: false },
];

export function Charts({ comparison, theme }: { comparison: Comparison; theme: string }) {
  const { course_before: before, course_after: after } = comparison;
  if (!before || !after) return null;
  return (
    <div class="charts">
      {SERIES.map((series) => (
        <Chart key={`${series.title}-${theme}`} series={series} before={before} after={after} />
      ))}
    </div>
  );
}

function Chart({ series, before, after }: { series: Series; before: Course; after: Course }) {
  const box = useRef<HTMLDivElement>(null);
  const told = useRef<HTMLSpanElement>(null);
  useEffect(() => {
    const element = box.current!;
    const values = joined(before, after, series.of);
    const axis = { stroke: css("--soft"), font: "11px system-ui", grid: { stroke: css("--line"), width: 1 }, ticks: { show: false } };
    const line = (label: string, colour: string, dash?: number[]) => ({
      label,
      stroke: css(colour),
      width: 2,
      dash,
      spanGaps: true,
      fill: dash ? undefined : `${css(colour)}1c`,
      points: { show: before.steps.length < 40, size: 5, fill: css(colour) },
    });
    const plot = new uPlot(
      {
        width: Math.max(120, element.clientWidth),
        height: HEIGHT,
        legend: { show: false },
        cursor: { y: false, sync: { key: "steps" } },
        scales: { x: { time: false }, y: { range: (_, low, high) => (series.isCount ? [0, Math.max(1, high) * 1.12] : around(low, high)) } },
        axes: [
          { ...axis, size: 28, values: (_, ticks) => ticks.map((tick) => (Number.isInteger(tick) ? `${tick}` : "")) },
          { ...axis, size: 46, values: (_, ticks) => ticks.map((tick) => (series.isCount && !Number.isInteger(tick) ? "" : `${tick}`)) },
        ],
        series: [{}, line("before", "--old"), line("after", "--new", [6, 4])],
        hooks: {
          setCursor: [
            (u) => {
              const at = u.cursor.idx;
              const value = (n: number) => u.data[n]?.[at ?? -1] ?? "–";
              told.current!.textContent = at == null ? "" : `step ${u.data[0][at]}: ${value(1)} → ${value(2)} ${series.unit}`;
            },
          ],
        },
      },
      values,
      element,
    );
    const observer = new ResizeObserver(() => plot.setSize({ width: Math.max(120, element.clientWidth), height: HEIGHT }));
    observer.observe(element);
    return () => {
      observer.disconnect();
      plot.destroy();
    };
  }, [before, after, series]);
  return (
    <figure class="chart">
      <figcaption>
        {series.title}
        {series.isCount ? "" : ", MB"} <span class="told" ref={told} aria-hidden="true" />
      </figcaption>
      <div ref={box} role="img" aria-label={described(series, before, after)} />
    </figure>
  );
}

function around(low: number, high: number): [number, number] {
  const pad = Math.max(1, (high - low) * 0.15);
  return [Math.max(0, low - pad), high + pad];
}

function joined(before: Course, after: Course, of: (course: Course) => number[]): uPlotType.AlignedData {
  const steps = [...new Set([...before.steps, ...after.steps])].sort((a, b) => a - b);
  const series = [before, after].map((course) => {
    const values = new Map(course.steps.map((step, index) => [step, of(course)[index]!]));
    return steps.map((step) => values.get(step) ?? null);
  });
  return [steps, series[0]!, series[1]!];
}

function described(series: Series, before: Course, after: Course): string {
  const told = (course: Course) => {
    const values = series.of(course);
    return `${values[0]} at step ${course.steps[0]}, ${values.at(-1)} at step ${course.steps.at(-1)}, at most ${Math.max(...values)}`;
  };
  return `${series.title}, ${series.unit}. Before: ${told(before)}. After: ${told(after)}.`;
}
