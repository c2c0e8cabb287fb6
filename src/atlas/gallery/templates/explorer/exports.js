"use strict";
// Exports: a configuration file for the workflow, Python code for the library, and the plots as SVG and PNG.
const exports = (() => {
  // The workflow takes at most so many states of two classes (⌊n/n1⌋ + 1), and so many servers if jobs need half.
  const [MAX_STATES, MAX_HALVED_SERVERS] = [1e7, 1e7];

  // YAML 1.1 takes 1e-9 for text: the mantissa needs a decimal point.
  const scalar = (x) => String(x).replace(/^(-?\d+)e/, "$1.0e");
  const list = (values) => `[${values.map(scalar).join(", ")}]`;

  function columns({ classes }) {
    return ["need", "rate", "probability"].map((key) => classes.map((c) => c[key]));
  }

  // Whether the study scaling-by-exponent takes the system: needs 1, n/2 and n, of which one of the last two may
  // be missing.
  const needs_one_half_or_all = ({ servers, classes }) => servers % 2 === 0 && servers <= MAX_HALVED_SERVERS && classes[0].need === 1 && classes.length > 1
    && classes.every(({ need }, i) => (need === 1 || need === servers / 2 || need === servers) && need !== classes[i - 1]?.need);

  // A file for `snakemake --configfile`. `has_response_times` says whether exact response times can be found.
  function yaml(system, has_response_times) {
    const ordered = dispatch.by_need(system);
    const [needs, rates, probabilities] = columns(ordered);
    const { servers } = ordered;
    const two = needs.length === 2 && needs[0] < needs[1];
    const what = `needs ${needs.join(", ")} of ${servers} server${servers === 1 ? "" : "s"}`;
    const figures = [];
    const exponent = state_updates.exponent_of(system);
    const too_many_states = Math.floor(servers / needs[0]) + 1 > MAX_STATES;
    if (two && too_many_states && needs[0] === 1 && needs[1] === servers) {
      figures.push(`  growth:
    title: Growth with the servers, needs 1 and n
    width: double
    series:
      growth: {study: scaling-by-servers, exponent: ${scalar(exponent)}, rates: ${list(rates)}, servers: [10, ${servers}]}
    drawing: {kind: scaling-by-servers}`);
    } else if (two && !too_many_states) {
      figures.push(`  stability-region:
    title: Stability region for ${what}
    series:
      region: {study: stability-region, <<: *jobs}
      peak: {study: peak-wastage, systems: {${needs.join("-")}-${servers}: *jobs}}
    drawing: {kind: stability-region}`, `  wastage-by-rate-ratio:
    title: Wasted servers against the rate ratio for ${what}
    series:
      curve: {study: wastage-by-rate-ratio, servers: ${servers}, needs: ${list(needs)}, probability_2: ${scalar(probabilities[1])}}
    drawing: {kind: wastage-by-rate-ratio}`);
    }
    if (has_response_times) {
      const ceiling = 10 * model.sum(ordered.classes.map((c) => c.probability / c.rate));
      figures.push(`  response-time:
    title: Mean response time for ${what}
    series:
      fcfs: {study: response-time, <<: *system}
    drawing: {kind: response-time, ceiling: ${scalar(state_updates.round(ceiling))}}`);
    }
    if (!figures.length && needs_one_half_or_all(ordered)) {
      const value_at = (need, key, default_value) => ordered.classes.find((c) => c.need === need)?.[key] ?? default_value;
      const large_needs = [servers / 2, servers];
      const shares = large_needs.map((need) => value_at(need, "probability", 0) * servers ** exponent);
      const three_rates = [1, ...large_needs].map((need) => value_at(need, "rate", 1));
      figures.push(`  against-exponent:
    title: Throughput against the exponent α for ${what}
    series:
      n-${servers}: {study: scaling-by-exponent, servers: ${servers}, shares: ${list(shares)}, rates: ${list(three_rates)}}
    drawing: {kind: scaling-by-exponent, quantities: [throughput]}`);
    }
    const tables = figures.length ? "" : `
tables:
  response-times:
    title: Mean response times for ${what}
    series:
      points: {study: simulated-response-time, <<: *system, fractions_of_limit: [0.2, 0.4, 0.6, 0.8, 0.9], jobs: 1000000}
    columns:
      fraction_of_limit: {heading: $\\lambda/\\lambda^*$}
      arrival_rate: {heading: $\\lambda$, format: .4g}
      mean_response_time: {heading: "$\\\\mathrm{E}[T]$", format: .4g}
      mean_response_time_half_width: {heading: $\\pm$, format: .2g}
`;
    return `# Save as my-system.yaml; snakemake --configfile my-system.yaml draws it into figures/my-system.
paper: my-system
shared:
${two ? `  jobs: &jobs {servers: ${servers}, needs: ${list(needs)}, rates: ${list(rates)}}\n` : ""}  system: &system {servers: ${servers}, needs: ${list(needs)}, rates: ${list(rates)}, probabilities: ${list(probabilities)}}
${figures.length ? `figures:\n${figures.join("\n")}\n` : ""}${tables}`;
  }

  // Code for the library, with a row for each class.
  function python(system) {
    const { servers, classes } = dispatch.by_need(system);
    const rows = classes.map((c) => `    ms.JobClass(need=${c.need}, duration=ms.Exponential(rate=${c.rate}), probability=${c.probability}),\n`);
    return `import multiserver as ms
system = ms.System(servers=${servers}, classes=[
${rows.join("")}])
print(system.under(ms.FCFS).stability())
`;
  }

  // A system in words.
  function describe(system) {
    const [needs, rates, probabilities] = columns(dispatch.by_need(system)).map(list);
    return `${format.count_of(system.servers, "server")}, needs ${needs}, rates ${rates}, probabilities ${probabilities}.`;
  }

  // The properties of the style sheet that an SVG file needs as attributes.
  const STYLE_PROPERTIES = ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-dasharray", "font-family", "font-size", "font-weight"];

  // The lines of a text of at most `max_letters` letters each; a longer word has a line of its own.
  function wrap(text, max_letters) {
    const lines = [""];
    for (const word of text.split(/\s+/)) {
      if (`${lines.at(-1)} ${word}`.length > max_letters) lines.push(word);
      else lines[lines.length - 1] = `${lines.at(-1)} ${word}`.trim();
    }
    return lines;
  }

  // A plot as the text of an SVG file, in the present colours, with a title above and a caption below.
  function to_svg(svg, title, caption) {
    const [width, height] = ["width", "height"].map((key) => Number(svg.getAttribute(key)));
    const copy = svg.cloneNode(true);
    const originals = svg.querySelectorAll("*");
    copy.querySelectorAll("*").forEach((node, i) => {
      const style = getComputedStyle(originals[i]);
      for (const key of STYLE_PROPERTIES) node.setAttribute(key, style.getPropertyValue(key));
    });
    copy.querySelector(".cursor")?.remove();
    const style = getComputedStyle(document.body);
    const lines = wrap(caption, width / 6.4);
    const root = plot.element(null, "svg", { width, height: height + 40 + 17 * lines.length, "font-family": "sans-serif", "font-size": 12.5, fill: style.color });
    root.setAttribute("viewBox", `0 0 ${width} ${root.getAttribute("height")}`);
    plot.element(root, "title", {}, title);
    plot.element(root, "desc", {}, caption);
    plot.element(root, "rect", { width: "100%", height: "100%", fill: style.backgroundColor });
    plot.element(root, "text", { x: 10, y: 20, "font-size": 15, "font-weight": 600 }, title);
    const drawing = plot.element(root, "g", { transform: "translate(0 28)" });
    drawing.append(...copy.childNodes);
    lines.forEach((line, i) => plot.element(root, "text", { x: 10, y: height + 46 + 17 * i }, line));
    return new XMLSerializer().serializeToString(root);
  }

  // An SVG as a PNG, at twice the resolution of the page.
  async function to_png(svg, scale = 2) {
    const image = new Image();
    image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
    await image.decode();
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [image.width, image.height].map((length) => scale * length);
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    return new Promise((resolve) => { canvas.toBlob(resolve, "image/png"); });
  }

  function download(name, type, content) {
    const url = URL.createObjectURL(new Blob([content], { type }));
    const link = document.createElement("a");
    [link.href, link.download] = [url, name];
    link.click();
    setTimeout(() => URL.revokeObjectURL(url), 1000);
  }

  return { describe, download, python, to_png, to_svg, yaml };
})();
