/* Saving pictures and tables, and choosing between light and dark. */
"use strict";

(() => {
  function save(content, name) {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(content);
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  }

  /** A picture as it would stand alone: light, on white, with its size. */
  function alone(svg) {
    const copy = svg.cloneNode(true);
    const { width, height } = svg.viewBox.baseVal;
    const root = document.documentElement;
    const before = root.style.colorScheme;
    root.style.colorScheme = "light";
    const probe = document.createElement("span");
    document.body.append(probe);
    let text = new XMLSerializer().serializeToString(copy);
    text = text.replace(/var\(--([a-z0-9]+)\)/g, (_, name) => {
      probe.style.color = `var(--${name})`;
      return getComputedStyle(probe).color;
    });
    probe.remove();
    root.style.colorScheme = before;
    text = text.replace(/<svg /, `<svg width="${width}pt" height="${height}pt" `);
    return { text, width, height };
  }

  function savePng(svg, name) {
    const { text, width, height } = alone(svg);
    const image = new Image();
    image.onload = () => {
      const canvas = document.createElement("canvas");
      canvas.width = Math.round(width * 2.5);
      canvas.height = Math.round(height * 2.5);
      canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
      canvas.toBlob((blob) => save(blob, name), "image/png");
    };
    image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
  }

  document.addEventListener("click", (event) => {
    const button = event.target.closest("button[data-save]");
    if (!button) return;
    const { save: kind, name } = button.dataset;
    if (kind === "csv" || kind === "tex") {
      const text = document.getElementById(`${kind}-${name}`).textContent;
      save(new Blob([text], { type: "text/plain" }), `${name}.${kind}`);
      return;
    }
    const svg = document.querySelector(`#picture-${CSS.escape(name)} svg`);
    if (kind === "svg") save(new Blob([alone(svg).text], { type: "image/svg+xml" }), `${name}.svg`);
    else savePng(svg, `${name}.png`);
  });

  document.getElementById("theme").addEventListener("click", () => {
    const root = document.documentElement;
    const dark = root.style.colorScheme
      ? root.style.colorScheme === "dark"
      : matchMedia("(prefers-color-scheme: dark)").matches;
    root.style.colorScheme = dark ? "light" : "dark";
    document.dispatchEvent(new Event("themechange"));
  });
})();
