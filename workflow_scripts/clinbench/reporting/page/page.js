"use strict";
// Sort the lines of a table by one column: a line and what was published of it stay together, and
// cells without a number come last either way. A third click gives the first order back.
const key = (body, column) => {
  const cell = body.rows[0].cells[column];
  if (!cell) return null;
  if (cell.dataset.key !== undefined) return Number(cell.dataset.key);
  return column === 0 || cell.querySelector(".verdict") ? cell.textContent.trim().toLowerCase() : null;
};
const compare = (a, b) => (typeof a === "string" ? a.localeCompare(b) : a - b);

function sort(head) {
  const table = head.closest("table");
  const column = Number(head.dataset.column);
  const bodies = [...table.tBodies];
  bodies.forEach((body, at) => (body.dataset.place ??= at));
  const next = { none: column === 0 ? "ascending" : "descending", descending: column === 0 ? "none" : "ascending", ascending: column === 0 ? "descending" : "none" };
  const order = next[head.getAttribute("aria-sort") ?? "none"];
  table.querySelectorAll("th[aria-sort]").forEach((other) => other.setAttribute("aria-sort", "none"));
  head.setAttribute("aria-sort", order);
  bodies.sort((a, b) => {
    const [x, y] = [key(a, column), key(b, column)];
    const tie = a.dataset.place - b.dataset.place;
    if (order === "none") return tie;
    if (x === null || y === null) return (x === null) - (y === null) || tie;
    return (order === "ascending" ? compare(x, y) : compare(y, x)) || tie;
  });
  bodies.forEach((body) => table.append(body));
}

for (const head of document.querySelectorAll("th[data-column]")) {
  head.setAttribute("aria-sort", "none");
  head.querySelector("button").addEventListener("click", () => sort(head));
}
for (const button of document.querySelectorAll("button.copy")) {
  button.hidden = !navigator.clipboard;
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(button.previousElementSibling.textContent);
    button.textContent = "Copied";
  });
}
// On paper, all that is folded is open.
addEventListener("beforeprint", () => document.querySelectorAll("details").forEach((one) => (one.open = true)));
