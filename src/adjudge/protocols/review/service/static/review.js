// Deciding a review with the keyboard, and marking changed fields at once. The form works without this script.
const all = selector => [...document.querySelectorAll(selector)];
const form = document.getElementById("decide"), help = document.getElementById("keys");
const accept = form?.querySelector("[value=accepted]"), fix = form?.querySelector("[value=fixed]");
// Ignores white space, except for line breaks in the feedback, where each line is a bullet.
const plain = (text, name) => text.split(name === "feedback" ? "\n" : "\0")
  .map(line => line.trim().split(/\s+/).join(" ")).filter(Boolean).join("\n");

function showChanges() {
  let changed = 0;
  for (const field of all("[data-base]")) {
    const now = field.matches("textarea") ? field.value : field.querySelector(":checked")?.value ?? "";
    const edited = plain(now, field.name) !== plain(field.dataset.base, field.name);
    (field.matches("textarea") ? field.parentElement : field).classList.toggle("edited", edited);
    changed += edited;
  }
  form.querySelector(".edits").textContent = changed ? `${changed} change${changed > 1 ? "s" : ""}` : "";
  // Offer "Fix & accept" if there are changes and "Accept" if not, so that no change is dropped unseen.
  if (accept && fix) [accept.hidden, fix.hidden] = [changed > 0, !changed];
}

/** Open and focus the rating before or after the focused one, and close the old one if nothing in it changed. */
function move(step) {
  const rows = all(".table details.rating"), at = rows.findIndex(row => row.contains(document.activeElement));
  const next = rows[at < 0 ? (step > 0 ? 0 : rows.length - 1) : Math.min(rows.length - 1, Math.max(0, at + step))];
  if (rows[at] && rows[at] !== next && !rows[at].querySelector(".edited, .wrong")) rows[at].open = false;
  next.open = true;
  next.querySelector("summary").focus({ preventScroll: true });
  next.scrollIntoView({ block: "nearest", behavior: "instant" });
}

function pressed(event) {
  const typing = event.target.closest("textarea, input:not([type=radio]), select");
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
    event.preventDefault();
    form.requestSubmit(fix && !fix.hidden ? fix : accept ?? fix);
  }
  if (event.key === "Escape" && typing) typing.blur();
  if (typing || help.open || event.ctrlKey || event.metaKey || event.altKey) return;
  const likert = document.querySelector(`[name=likert][value="${CSS.escape(event.key)}"]`);
  if (likert) {
    likert.checked = true;
    likert.focus({ preventScroll: true });
    likert.closest(".fix").scrollIntoView({ block: "nearest", behavior: "instant" });
    showChanges();
  } else if (event.key === "j" || event.key === "k") move(event.key === "j" ? 1 : -1);
  else if (event.key === "r") document.getElementById("reason").focus();
  else if (event.key === "n") document.querySelector(".next")?.click();
  else if (event.key === "?") help.showModal();
  else return;
  event.preventDefault();
}

if (form) {
  showChanges();
  form.querySelector(".refusal.summary")?.focus();
  document.addEventListener("keydown", pressed);
  document.addEventListener("input", showChanges);
  form.querySelector(".help").addEventListener("click", () => help.showModal());
  form.addEventListener("submit", event => {
    const reason = document.getElementById("reason");
    if (event.submitter?.value !== "rejected" || reason.value.trim()) return;
    event.preventDefault();
    reason.placeholder = "Why is it rejected?";
    reason.focus();
  });
}
