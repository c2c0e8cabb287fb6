"use strict";
// Exports: a block for the workflow, lines of code for the library, a picture of a view.
const exports_ = (() => {
  // The most terms that the workflow accepts in sums over the states of two classes.
  const MOST_STATES = 1e7;

  // YAML 1.1 reads 1e-9 as text: a mantissa needs a decimal point.
  const scalar = (x) => String(x).replace(/^(-?\d+)e/, "$1.0e");
  const list = (values) => `[${values.map(scalar).join(", ")}]`;

  function columns({ classes }) {
    return ["need", "rate", "probability"].map((key) => classes.map((c) => c[key]));
  }

  // Whether jobs need 1, n/2 or n of an even number of servers, which the library solves in linear time.
  const is_of_halves = ({ servers, classes }) => servers % 2 === 0 && classes[0].need === 1 && classes.length > 1
    && classes.every(({ need }, i) => (need === 1 || need === servers / 2 || need === servers) && need !== classes[i - 1]?.need);

  // A paper file for `snakemake --configfile`. `small` says whether the response time can be exact.
  function yaml(now, small) {
    const ordered = dispatch.by_need(now);
    const [needs, rates, probabilities] = columns(ordered);
    const { servers } = ordered;
    const two = needs.length === 2 && needs[0] < needs[1];
    const what = `needs ${needs.join(", ")} of ${servers} server${servers === 1 ? "" : "s"}`;
    const figures = [];
    const exponent = edits.exponent_of(now);
    if (two && servers > MOST_STATES * needs[0]) {
      figures.push(`  growth:
    title: Growth with the servers, needs 1 and n
    width: double
    series:
      growth: {study: scaling-by-servers, exponent: ${scalar(exponent)}, rates: ${list(rates)}, servers: [10, ${servers}]}
    drawing: {kind: scaling-by-servers}`);
    } else if (two) {
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
    if (small) {
      const ceiling = 10 * model.sum(ordered.classes.map((c) => c.probability / c.rate));
      figures.push(`  response-time:
    title: Mean response time for ${what}
    series:
      fcfs: {study: response-time, <<: *system}
    drawing: {kind: response-time, ceiling: ${scalar(edits.round(ceiling))}}`);
    }
    if (!figures.length && is_of_halves(ordered)) {
      const of_need = (need, key, none) => ordered.classes.find((c) => c.need === need)?.[key] ?? none;
      const large = [servers / 2, servers];
      const shares = large.map((need) => of_need(need, "probability", 0) * servers ** exponent);
      const three = [1, ...large].map((need) => of_need(need, "rate", 1));
      figures.push(`  against-exponent:
    title: Throughput against the exponent α for ${what}
    series:
      n-${servers}: {study: scaling-by-exponent, servers: ${servers}, shares: ${list(shares)}, rates: ${list(three)}}
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

  // Three lines of code for the library, the second with a row for each class.
  function python(now) {
    const { servers, classes } = dispatch.by_need(now);
    const rows = classes.map((c) => `    ms.JobClass(need=${c.need}, duration=ms.Exponential(rate=${c.rate}), probability=${c.probability}),\n`);
    return `import multiserver as ms
system = ms.System(servers=${servers}, classes=[
${rows.join("")}])
print(system.under(ms.FCFS).stability())
`;
  }

  // A system in words.
  function describe(now) {
    const [needs, rates, probabilities] = columns(dispatch.by_need(now)).map(list);
    return `${words.plural(now.servers, "server")}, needs ${needs}, rates ${rates}, probabilities ${probabilities}.`;
  }

  // Properties that a picture copies from the page's style.
  const LOOK = ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-dasharray", "font-family", "font-size", "font-weight"];

  // The lines of a text that fit a width.
  function wrap(text, letters) {
    const lines = [""];
    for (const word of text.split(/\s+/)) {
      if (`${lines.at(-1)} ${word}`.length > letters) lines.push(word);
      else lines[lines.length - 1] = `${lines.at(-1)} ${word}`.trim();
    }
    return lines;
  }

  // A view as a file of its own, as it looks now, with its title above and its caption below.
  function snapshot(svg, title, caption) {
    const [width, height] = ["width", "height"].map((key) => Number(svg.getAttribute(key)));
    const copy = svg.cloneNode(true);
    const originals = svg.querySelectorAll("*");
    copy.querySelectorAll("*").forEach((node, i) => {
      const style = getComputedStyle(originals[i]);
      for (const key of LOOK) node.setAttribute(key, style.getPropertyValue(key));
    });
    copy.querySelector(".cursor")?.remove();
    const style = getComputedStyle(document.body);
    const lines = wrap(caption, width / 6.4);
    const whole = plot.element(null, "svg", { width, height: height + 40 + 17 * lines.length, "font-family": "sans-serif", "font-size": 12.5, fill: style.color });
    whole.setAttribute("viewBox", `0 0 ${width} ${whole.getAttribute("height")}`);
    plot.element(whole, "title", {}, title);
    plot.element(whole, "desc", {}, caption);
    plot.element(whole, "rect", { width: "100%", height: "100%", fill: style.backgroundColor });
    plot.element(whole, "text", { x: 10, y: 20, "font-size": 15, "font-weight": 600 }, title);
    const picture = plot.element(whole, "g", { transform: "translate(0 28)" });
    picture.append(...copy.childNodes);
    lines.forEach((line, i) => plot.element(whole, "text", { x: 10, y: height + 46 + 17 * i }, line));
    return new XMLSerializer().serializeToString(whole);
  }

  // A drawing as PNG, at twice the resolution of the page.
  async function rasterise(svg, scale = 2) {
    const image = new Image();
    image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
    await image.decode();
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [image.width, image.height].map((length) => scale * length);
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    return new Promise((resolve) => { canvas.toBlob(resolve, "image/png"); });
  }

  function download(name, type, text) {
    const url = URL.createObjectURL(new Blob([text], { type }));
    const link = document.createElement("a");
    [link.href, link.download] = [url, name];
    link.click();
    setTimeout(() => URL.revokeObjectURL(url), 1000);
  }

  return { describe, download, python, rasterise, snapshot, yaml };
})();
