// Deciding a review with the keyboard, marking changes at once, and keeping them until they are decided. The form works
// without this script; the keys that press a button are in the page (data-key), and pages.js lists them all.
import { addKeys } from "/static/pages.js";

const all = selector => [...document.querySelectorAll(selector)];
const form = document.getElementById("decide"), reason = document.getElementById("reason");
const [accept, fix, reject] = ["accepted", "fixed", "rejected"].map(value => form?.querySelector(`[value=${value}]`));
// Ignores white space, except for line breaks in the feedback, where each line is a bullet.
const plain = (text, name) => text.split(name === "feedback" ? "\n" : "\0")
  .map(line => line.trim().split(/\s+/).join(" ")).filter(Boolean).join("\n");

// -- changes ---------------------------------------------------------------------------------------------------------

// Every field that can be changed: its name, its box on the page, and its value before any edit and now.
const fields = () => all("[data-base]").map(box => {
  const isText = box.matches("textarea");
  const name = isText ? box.name : box.querySelector("input").name;
  const set = value => {
    if (isText) box.value = value;
    else for (const each of box.querySelectorAll("input")) each.checked = each.value === value;
  };
  const now = isText ? box.value : box.querySelector(":checked")?.value ?? "";
  return { name, now, set, base: box.dataset.base, mark: isText && box !== reason ? box.parentElement : box };
});
const isEdited = ({ name, now, base }) => plain(now, name) !== plain(base, name);

function showChanges() {
  const known = fields(), changed = known.filter(each => each.name !== "reason" && isEdited(each)).length;
  for (const each of known) each.mark.classList.toggle("edited", isEdited(each));
  form.querySelector(".edits").textContent = changed ? `${changed} change${changed > 1 ? "s" : ""}` : "";
  form.querySelector(".discard").hidden = !known.some(isEdited);
  // Offer "Fix & accept" if there are changes and "Accept" if not, so that no change is dropped unseen.
  if (accept && fix) [accept.hidden, fix.hidden] = [changed > 0, !changed];
}

// -- drafts ----------------------------------------------------------------------------------------------------------

const keyOf = verdict => `adjudge review ${verdict}`;
// A decision makes drafts from before it worthless; the judge's own version has drafts of its own.
const version = () => `${form.elements.seen.value}${form.elements.judged ? " judged" : ""}`;

function keepDraft() {
  const edited = Object.fromEntries(fields().filter(isEdited).map(({ name, now }) => [name, now]));
  const draft = JSON.stringify({ version: version(), edited });
  try {
    if (Object.keys(edited).length) localStorage.setItem(keyOf(form.dataset.verdict), draft);
    else localStorage.removeItem(keyOf(form.dataset.verdict));
  } catch { /* storage is full or forbidden: the form itself still holds the changes */ }
}

function bringBack() {
  const draft = JSON.parse(localStorage.getItem(keyOf(form.dataset.verdict)) ?? "null");
  if (draft?.version !== version()) return;
  for (const field of fields()) if (field.name in draft.edited) field.set(draft.edited[field.name]);
  showChanges();
  for (const each of all(".edited")) each.closest("details")?.setAttribute("open", "");
}

function discard() {
  for (const field of fields()) field.set(field.base);
  showChanges();
  keepDraft();
}

// -- keys ------------------------------------------------------------------------------------------------------------

// The ratings in their order, the preference last, and the part of each that takes the focus.
const ratings = () => all("details.rating, .preference.rating");
const focusable = rating => rating.querySelector("summary") ?? rating.querySelector("input:checked, input");
const focused = () => document.activeElement.closest(".rating");

function goTo(rating) {
  const left = focused();
  if (left?.open && left !== rating && !left.querySelector(".edited, .wrong")) left.open = false;
  if (rating.matches("details")) rating.open = true;
  focusable(rating)?.focus({ preventScroll: true });
  rating.scrollIntoView({ block: "nearest", behavior: "instant" });
}

/** Go to the next rating, or with a negative step to the previous one, that fits; after the last comes the first. */
function move(step, fits = () => true) {
  const known = ratings(), at = known.indexOf(focused()), start = at < 0 && step < 0 ? 0 : at;
  const order = known.map((_, away) => known[(start + step * (away + 1) + known.length * 2) % known.length]);
  const next = order.find(fits);
  if (next) goTo(next);
  return Boolean(next);
}
const isChanged = rating => rating.querySelector(".badge:is(.replaced, .refused)");

/** Set the rating that has the focus, and no other. */
function rate(digit) {
  const chosen = focused()?.querySelector(`[data-digit="${digit}"] input`);
  if (!chosen) return false;
  chosen.checked = true;
  if (focused().matches("details")) focused().open = true;
  showChanges();
  keepDraft();
  return true;
}

function pressed(event) {
  if (document.querySelector("dialog[open]")) return;
  const typing = event.target.closest("textarea, input:not([type=radio]), select");
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
    event.preventDefault();
    const rejects = "rejecting" in form.dataset && event.target === reason;
    if (!("sent" in form.dataset)) form.requestSubmit(rejects ? reject : fix && !fix.hidden ? fix : accept ?? fix);
  }
  if (event.key === "Escape" && typing) {
    typing.blur();
    delete form.dataset.rejecting;
  }
  if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
  const isOnSummary = event.target.matches("summary") && focused();
  if (/^[0-9]$/.test(event.key) ? !rate(event.key) : !isOnSummary || !/^Arrow(Up|Down)$/.test(event.key)) return;
  if (isOnSummary && event.key.startsWith("Arrow")) move(event.key === "ArrowDown" ? 1 : -1);
  event.preventDefault();
}

// -- all together ----------------------------------------------------------------------------------------------------

for (const each of all("[data-decided]")) localStorage.removeItem(keyOf(each.dataset.decided));
if (form) {
  const isFresh = !form.querySelector(".refusal.summary");
  if (isFresh) bringBack();
  showChanges();
  keepDraft();
  form.querySelector(".refusal.summary")?.focus();
  document.addEventListener("keydown", pressed);
  document.addEventListener("input", () => { showChanges(); keepDraft(); });
  form.querySelector(".discard").addEventListener("click", discard);
  form.addEventListener("submit", event => {
    if (event.submitter === reject && !reason.value.trim()) {
      event.preventDefault();
      form.dataset.rejecting = "";
      reason.placeholder = "Why is it rejected? Ctrl + Enter rejects it.";
      reason.focus();
    } else form.dataset.sent = "1";  // a second press must not decide the next review as well
  });
  addEventListener("pageshow", () => { delete form.dataset.sent; });
  addKeys(
    { key: "1 … 7", does: "Set the rating that has the focus" },
    { key: "↓ ↑", does: "From one rating to the next or previous" },
    { key: "c", does: "Next rating that the judge changed, or the next", press: () => move(1, isChanged) || move(1) },
    { key: "r", does: "Write a reason", press: () => reason.focus() },
    { key: "Ctrl + Enter", does: "Accept, also while you type" },
  );
}
