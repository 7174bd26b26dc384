// Saves flag, note and criteria on every change while a case is labelled. The page works without it; pages.js has keys.
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

note?.addEventListener("keydown", event => { if (event.key === "Escape") note.blur(); });
document.querySelector("[aria-pressed=true]")?.scrollIntoView({ block: "nearest" });
