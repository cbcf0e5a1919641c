(() => {
  "use strict";
  const data = JSON.parse(document.getElementById("data").textContent);
  const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const colour = (why) => css("--" + data.colours[why]);
  const charts = [];
  const axis = (label) => ({
    label, labelSize: 18, labelFont: "12px system-ui", font: "11px system-ui",
    stroke: () => css("--soft"), grid: { stroke: () => css("--line"), width: 1 }, ticks: { stroke: () => css("--line"), width: 1 },
  });
  const place = (id, height, options, values) => {
    const box = document.getElementById(id);
    const width = () => Math.max(200, box.clientWidth);
    const plot = new uPlot({ width: width(), height, legend: { show: false }, ...options }, values, box);
    new ResizeObserver(() => plot.setSize({ width: width(), height })).observe(box);
    charts.push(plot);
    return plot;
  };

  // --- when what compiled: one dot per compile; its cause is its colour
  const compiles = data.compiles;
  if (compiles.length) {
    const whys = data.whys;
    const isTimed = compiles.some((c) => c.at > 0);
    const x = compiles.map((c, i) => (isTimed ? c.at : i + 1));
    const y = whys.map((why) => compiles.map((c) => (c.why === why ? Math.max(c.seconds, 0.001) : null)));
    const box = document.getElementById("timeline");
    const told = document.getElementById("told");
    const tip = document.createElement("div");
    tip.className = "tip";
    tip.hidden = true;
    let chosen = null;
    const words = (c) => `${c.where}: ${c.what}, ${c.seconds.toFixed(2)} s` + (c.step ? `, step ${c.step}` : "") +
      (c.cached ? ", from the persistent cache" : "") + (c.words ? `. ${c.words}` : "");
    const options = {
      scales: { x: { time: false, range: (u, low, high) => { const pad = (high - low || 1) * 0.03; return [low - pad, high + pad]; } }, y: { distr: 3 } },
      axes: [{ ...axis(isTimed ? "seconds since the program began" : "compiles, in order"), size: 34 }, { ...axis("seconds each"), size: 62 }],
      cursor: { y: false, points: { size: 13 }, drag: { x: true, y: false } },
      series: [{}, ...whys.map((why) => ({
        label: why, stroke: () => colour(why), paths: () => null,
        points: { show: true, size: 8, fill: () => colour(why), stroke: () => css("--card"), width: 1 },
      }))],
      hooks: {
        setCursor: [(u) => {
          const i = u.cursor.idx;
          const c = i == null || u.cursor.left < 0 ? null : compiles[i];
          if (!c || !u.series[whys.indexOf(c.why) + 1].show) { tip.hidden = true; return; }
          chosen = i;
          tip.textContent = words(c);
          tip.hidden = false;
          const left = u.over.offsetLeft + u.valToPos(x[i], "x");
          tip.style.top = "34px";
          tip.style.left = tip.style.right = "";
          if (left > u.width / 2) tip.style.right = `${Math.max(0, u.width - left + 18)}px`;
          else tip.style.left = `${left + 18}px`;
        }],
      },
    };
    const plot = place("timeline", 260, options, [x, ...y]);
    box.parentElement.append(tip);
    const point = (i) => {
      chosen = i;
      const c = compiles[i];
      plot.setCursor({ left: plot.valToPos(x[i], "x"), top: plot.valToPos(Math.max(c.seconds, 0.001), "y") });
      told.textContent = `compile ${i + 1} of ${compiles.length}: ${words(c)}`;
    };
    const shown = (i) => plot.series[whys.indexOf(compiles[i].why) + 1].show;
    const go = (from, by) => {
      let i = from;
      while (i >= 0 && i < compiles.length && !shown(i)) i += by;
      if (i >= 0 && i < compiles.length) point(i);
    };
    const open = () => {
      const target = chosen === null ? null : document.getElementById(`place-${compiles[chosen].row}`);
      if (target) { target.open = true; location.hash = target.id; target.querySelector("summary").focus(); }
    };
    box.addEventListener("keydown", (event) => {
      const moves = {
        ArrowRight: () => go(chosen === null ? 0 : chosen + 1, 1), ArrowLeft: () => go(chosen === null ? compiles.length - 1 : chosen - 1, -1),
        Home: () => go(0, 1), End: () => go(compiles.length - 1, -1), Enter: open,
      };
      if (moves[event.key]) { moves[event.key](); event.preventDefault(); }
    });
    box.addEventListener("blur", () => { tip.hidden = true; });
    box.addEventListener("dblclick", (event) => event.stopPropagation());
    plot.over.addEventListener("click", () => { if (!tip.hidden) open(); });
    for (const button of document.querySelectorAll(".legend button")) {
      button.addEventListener("click", () => {
        const show = button.getAttribute("aria-pressed") !== "true";
        button.setAttribute("aria-pressed", show);
        plot.setSeries(whys.indexOf(button.dataset.why) + 1, { show });
      });
    }
  }

  // --- what the steps did, one figure per chart, the cursors together
  const steps = data.steps;
  if (steps.length) {
    const numbers = steps.map((s) => s.number);
    const draw = (id, label, values, extra) => {
      if (!document.getElementById(id)) return;
      const chosen = document.getElementById(`${id}-told`);
      place(id, 150, {
        scales: { x: { time: false, range: (u, low, high) => [low - 0.5, high + 0.5] }, y: extra.scale || {} },
        axes: [{ ...axis("step"), size: 34 }, { ...axis(label), size: 62 }],
        cursor: { sync: { key: "steps" }, y: false },
        series: [{}, { label, stroke: () => css(extra.colour), width: 2, fill: extra.fill ? () => css(extra.colour) + "33" : undefined, paths: extra.paths, points: { show: steps.length < 60 && !extra.paths, size: 5 } }],
        hooks: { setCursor: [(u) => { const i = u.cursor.idx; chosen.textContent = i == null ? "" : `: ${values[i]} ${label} at step ${i + 1}`; }] },
      }, [numbers, values]);
    };
    draw("per-step", "compiles", steps.map((s) => s.compiles), { colour: "--lost", fill: true, paths: uPlot.paths.bars({ size: [0.7, 24] }), scale: { range: (u, low, high) => [0, Math.max(1, high)] } });
    draw("rss", "MB", steps.map((s) => Math.round(s.rss / 1e5) / 10), { colour: "--function" });
    draw("live", "arrays", steps.map((s) => s.live), { colour: "--dtype" });
  }
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => charts.forEach((plot) => plot.redraw()));

  // --- the tables
  for (const head of document.querySelectorAll("th")) {
    const column = head.cellIndex;
    const table = head.closest("table");
    const body = table.tBodies[0];
    const isNumber = head.dataset.kind === "number";
    head.querySelector("button").addEventListener("click", () => {
      const down = head.getAttribute("aria-sort") === "none" ? isNumber : head.getAttribute("aria-sort") === "ascending";
      table.querySelectorAll("th").forEach((other) => other.setAttribute("aria-sort", "none"));
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      const key = (row) => row.cells[column].dataset.value;
      const compare = (a, b) => (isNumber ? key(a) - key(b) : key(a).localeCompare(key(b), undefined, { numeric: true }));
      [...body.rows].sort((a, b) => (down ? -compare(a, b) : compare(a, b))).forEach((row) => body.append(row));
    });
  }
  const opened = () => { const target = location.hash && document.getElementById(location.hash.slice(1)); if (target && target.tagName === "DETAILS") target.open = true; };
  addEventListener("hashchange", opened);
  opened();
})();
