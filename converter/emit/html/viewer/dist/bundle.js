// SPDX-License-Identifier: Apache-2.0
// Lists the totals of the events.
(async () => {
  const text = document.getElementById("perf2x-profile").textContent;
  const packed = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  const size = new DataView(bytes.buffer).getUint32(8, true);
  const { meta } = JSON.parse(new TextDecoder().decode(bytes.subarray(12, 12 + size)));
  const app = document.getElementById("app");
  meta.events.forEach((event, i) => {
    const { samples, period } = meta.recording.totals[i];
    const line = document.createElement("p");
    line.textContent = `${event.name}: ${samples} samples, ${period} ${event.unit}`;
    app.append(line);
  });
})();
