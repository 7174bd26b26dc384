// Numbers the lines of a rubric's text during typing, and selects the line with an error.
const source = document.getElementById("source"), lines = document.querySelector(".numbered .lines");
const wrong = document.getElementById("wrong");

function count() {
  const many = source.value.split("\n").length;
  lines.textContent = Array.from({ length: many }, (_, at) => at + 1).join("\n");
  // Some browsers cannot grow the box by CSS, so set its height to that of the text.
  if (!CSS.supports("field-sizing", "content")) source.rows = many + 1;
}

count();
source.addEventListener("input", count);
if (wrong) {
  const line = Number(wrong.dataset.line ?? 0);
  if (line) {
    const before = source.value.split("\n").slice(0, line - 1).reduce((sum, text) => sum + text.length + 1, 0);
    source.setSelectionRange(before, before + source.value.split("\n")[line - 1].length);
  }
  wrong.focus();
}
