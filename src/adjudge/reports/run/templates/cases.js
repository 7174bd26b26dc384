// Filters and sorts the list of cases. Without this script the list is complete, in the order of the input.
(() => {
  const list = document.querySelector("table.cases tbody"), tools = document.querySelector(".tools");
  if (!list || !tools) return;
  const rows = [...list.rows], words = tools.querySelector("input"), outcome = tools.querySelector("select");
  const count = tools.querySelector("output");
  const filter = () => {
    const wanted = words.value.trim().toLowerCase(), which = outcome.value;
    let shown = 0;
    for (const row of rows) {
      const fits = !which || row.dataset.outcome === which || (which === "disagrees" && row.dataset.agrees === "no");
      row.hidden = !(fits && (!wanted || row.textContent.toLowerCase().includes(wanted)));
      shown += !row.hidden;
    }
    count.textContent = shown === rows.length ? "" : `${shown} of ${rows.length} shown`;
  };
  const key = (row, at) => {
    const cell = row.cells[at];
    if (!cell) return null;
    const said = cell.dataset.sort ?? cell.textContent.trim();
    return said === "" ? null : isNaN(said) ? said.toLowerCase() : Number(said);
  };
  for (const [at, head] of [...document.querySelectorAll("table.cases thead th")].entries()) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = head.textContent;
    head.replaceChildren(button);
    button.addEventListener("click", () => {
      const up = head.getAttribute("aria-sort") !== "ascending";
      for (const other of head.parentNode.cells) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", up ? "ascending" : "descending");
      const compare = (a, b) => typeof a === typeof b ? (a < b ? -1 : a > b ? 1 : 0) : typeof a === "number" ? -1 : 1;
      const sorted = rows.map((row) => [key(row, at), row]).sort(([a], [b]) =>
        a === null || b === null ? (a === null) - (b === null) : up ? compare(a, b) : compare(b, a));
      list.append(...sorted.map(([, row]) => row));
    });
  }
  words.addEventListener("input", filter);
  outcome.addEventListener("change", filter);
  tools.hidden = false;
})();
