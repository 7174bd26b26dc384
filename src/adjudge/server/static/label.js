// Keyboard shortcuts for labelling a case; saves flag, note and criteria on every change. The page works without it.
const form = document.getElementById("label");
const kept = form?.querySelector(".kept"), note = form?.querySelector("textarea");
let sending = false, changed = false;

/** Save the form, one request at a time: an older state must not arrive after a newer one. */
async function keep() {
  changed = true;
  while (changed && !sending) {
    [sending, changed] = [true, false];
    const fields = new URLSearchParams(new FormData(form));
    fields.set("answer", "");
    try {
      const answer = await fetch(form.action, { method: "POST", body: fields });
      kept.textContent = answer.ok ? "Saved" : "Not saved; try again";
    } catch {
      kept.textContent = "Not saved: the service cannot be reached";
    }
    sending = false;
  }
}

document.addEventListener("change", ({ target }) => {
  if (target.form === form && target.name !== "answer") keep();
});
// A second press of the same key must not answer the next case as well.
form?.addEventListener("submit", () => { form.dataset.sent = "1"; });
addEventListener("pageshow", () => { if (form) delete form.dataset.sent; });

document.addEventListener("keydown", event => {
  if (!form || form.dataset.sent) return;
  if (event.target === note && event.key === "Escape") {
    note.blur();
    return;
  }
  const typing = event.target.matches("textarea, select, input:not([type=checkbox], [type=radio])");
  if (typing || event.repeat || event.ctrlKey || event.metaKey || event.altKey || event.key.length !== 1) return;
  const pressed = [...form.querySelectorAll("[data-key]")].find(each => each.dataset.key === event.key);
  if (!pressed) return;
  event.preventDefault();
  if (pressed.parentElement.matches(".noting")) {
    pressed.parentElement.open = true;
    note.focus();
  } else pressed.click();
});
document.querySelector("[aria-pressed=true]")?.scrollIntoView({ block: "nearest" });
