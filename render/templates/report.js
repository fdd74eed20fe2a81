// Zoom, filter and copy, for who allows scripts; without it the page says the same. It loads nothing and stores nothing.
"use strict";
(() => {
  const make = (name, text, attributes) => {
    const element = document.createElement(name);
    if (text) element.textContent = text;
    for (const [key, value] of Object.entries(attributes || {})) element.setAttribute(key, value);
    return element;
  };

  // Copy: every query and every excerpt.
  for (const block of document.querySelectorAll("pre.sql, pre.excerpt, figure.log pre")) {
    const button = make("button", "Copy", {type: "button", class: "tool"});
    button.addEventListener("click", async () => {
      const lines = [...block.querySelectorAll(".line bdi")].map((line) => line.textContent);
      const text = lines.length ? lines.join("\n") : block.textContent;
      try {
        await navigator.clipboard.writeText(text);
      } catch {
        const area = make("textarea", text);
        document.body.append(area);
        area.select();
        document.execCommand("copy");
        area.remove();
        button.focus();
      }
      button.textContent = "Copied";
      setTimeout(() => { button.textContent = "Copy"; }, 1500);
    });
    block.before(button);
  }

  // Filter: rows of long tables by the words they hold.
  for (const table of document.querySelectorAll("table")) {
    const rows = [...table.tBodies[0].rows];
    if (rows.length < 12) continue;
    const label = make("label", "Filter ", {class: "tool"});
    const field = make("input", "", {type: "search", autocomplete: "off", spellcheck: "false"});
    const told = make("span", "", {role: "status", class: "muted"});
    label.append(field, " ", told);
    field.addEventListener("input", () => {
      const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
      let shown = 0;
      for (const row of rows) {
        const text = row.textContent.toLowerCase();
        row.hidden = !words.every((word) => text.includes(word));
        shown += row.hidden ? 0 : 1;
      }
      told.textContent = words.length ? `${shown} of ${rows.length}` : "";
    });
    table.parentElement.before(label);
  }

  // Zoom: a picture over the whole page, and back.
  for (const picture of document.querySelectorAll("figure svg[role=img]")) {
    const figure = picture.closest("figure");
    const button = make("button", "Enlarge", {type: "button", class: "tool", "aria-pressed": "false"});
    button.addEventListener("click", () => {
      const large = figure.classList.toggle("large");
      button.textContent = large ? "Back to its size" : "Enlarge";
      button.setAttribute("aria-pressed", String(large));
      figure.scrollIntoView({block: "nearest"});
    });
    figure.prepend(button);
  }
})();
