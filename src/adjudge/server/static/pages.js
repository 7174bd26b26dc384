// What pages do beyond HTML: keys, shares of weights, drafts, dropped files, copying. Every page works without it.
const all = (selector, root = document) => [...root.querySelectorAll(selector)];

// -- keys ------------------------------------------------------------------------------------------------------------

// A key presses the element whose data-key it is; data-does, or else its text, says in the list what it does. Scripts of
// single pages add keys with addKeys({ key, does, press }): "?" lists them, and `press`, if there is one, is called.
const added = [];
export const addKeys = (...keys) => { added.push(...keys); };
const isShown = each => each.getClientRects().length > 0;
const keyed = () => all("[data-key]").filter(isShown);

function meaningOf(each) {
  const named = (each.closest("label") ?? each).cloneNode(true);
  for (const key of all("kbd", named)) key.remove();
  return each.dataset.does ?? (named.textContent.replace(/[←→]/g, "").trim() || each.dataset.key);
}

function listKeys() {
  const listed = [...added, ...keyed().map(each => ({ key: each.dataset.key, does: meaningOf(each) }))];
  listed.push({ key: "?", does: "These keys" }, { key: "Esc", does: "Close, or leave a field" });
  const dialog = document.createElement("dialog");
  Object.assign(dialog, { className: "card keys", ariaLabel: "Keys" });
  dialog.innerHTML = '<h2>Keys</h2><dl></dl><form method="dialog"><button class="button quiet">Close</button></form>';
  for (const { key, does } of listed) {
    const row = document.createElement("div"), [name, meaning] = ["dt", "dd"].map(tag => document.createElement(tag));
    name.append(Object.assign(document.createElement("kbd"), { textContent: key }));
    meaning.textContent = does;
    row.append(name, meaning);
    dialog.querySelector("dl").append(row);
  }
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}

function press(each) {
  if (each.form?.dataset.sent || each.closest("form")?.dataset.sent) return;  // the page is on its way out
  const field = each.matches("summary") && each.parentElement.querySelector("textarea");
  if (!field) return each.click();
  each.parentElement.open = true;
  field.focus();
}

// On window, so that a page's own script comes first and may call preventDefault.
window.addEventListener("keydown", event => {
  const isTyping = event.target.closest?.("textarea, select, [contenteditable], input:not([type=checkbox], [type=radio])");
  if (isTyping || event.defaultPrevented || event.repeat || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key.length !== 1 || document.querySelector("dialog[open]")) return;
  const own = added.find(each => each.key === event.key && each.press);
  const found = own ? null : keyed().find(each => each.dataset.key === event.key);
  const lists = event.key === "?" && (added.length > 0 || keyed().length > 0);
  if (!own && !found && !lists) return;
  event.preventDefault();
  if (own) own.press(event);
  else if (found) press(found);
  else listKeys();
});
document.addEventListener("click", ({ target }) => { if (target.closest("[data-keys]")) listKeys(); });

// From any field of the form that judges, also while typing: judge, or fill the form from the case that was pasted.
document.addEventListener("keydown", event => {
  const form = event.target.closest?.(".judging");
  if (!form || event.key !== "Enter" || !(event.ctrlKey || event.metaKey) || event.repeat) return;
  event.preventDefault();
  form.querySelector(event.target.id === "whole" ? "[value=load]" : ".start").click();
});

// -- weights ---------------------------------------------------------------------------------------------------------

function showShares(form) {
  const sliders = all("input[type=range]", form);
  const millionths = slider => Math.round(1e6 * slider.value);  // whole numbers, so that halves are rounded exactly
  const whole = sliders.reduce((sum, slider) => sum + millionths(slider), 0);
  for (const slider of sliders) {
    const share = whole ? Math.floor((200 * millionths(slider) + whole) / (2 * whole)) : 0;
    const output = slider.parentElement.querySelector("output");
    output.querySelector("b").textContent = slider.value;
    output.querySelector("span").textContent = ` · ${share}\u00a0%`;
    slider.setAttribute("aria-valuetext", `${slider.value}, ${share} % of all weights`);
    slider.style.setProperty("--at", `${100 * slider.value / slider.max}%`);
  }
}

// -- drafts ----------------------------------------------------------------------------------------------------------

const keyOf = form => `adjudge draft ${form.dataset.draft}`;
const kept = form => all("textarea, select, input[type=range], input[type=checkbox]", form).filter(each => each.name);

function keepDraft(form) {
  const values = Object.fromEntries(kept(form).map(each => [each.name, each.type === "checkbox" ? each.checked : each.value]));
  try { localStorage.setItem(keyOf(form), JSON.stringify(values)); } catch { /* storage is full: the form itself still holds the text */ }
}

function bringBack(form) {
  const values = JSON.parse(localStorage.getItem(keyOf(form)) ?? "{}"), rubric = form.elements.rubric;
  const other = values.rubric && values.rubric !== rubric.value;
  // The server builds the sliders for the rubric in the URL, so load the page again with the draft's rubric.
  if (other && !new URLSearchParams(location.search).has("rubric") && [...rubric.options].some(option => option.value === values.rubric)) {
    location.replace(`/judge/${form.dataset.draft}?rubric=${encodeURIComponent(values.rubric)}`);
    return;
  }
  for (const each of kept(form)) {
    if (!(each.name in values) || (other && /^(rubric$|weights\.)/.test(each.name))) continue;
    if (each.type === "checkbox") each.checked = values[each.name];
    else if (each.tagName !== "SELECT" || [...each.options].some(option => option.value === values[each.name])) each.value = values[each.name];
  }
}

// -- whole files -----------------------------------------------------------------------------------------------------

async function load(form, file) {
  const whole = form.querySelector("#whole");
  whole.value = await file.text();
  whole.closest("details").open = true;
  form.querySelector("[value=load]").click();
}

// -- runs in progress ------------------------------------------------------------------------------------------------

const noticeOf = section => `adjudge notify ${section.dataset.run}`;

// The section is replaced every two seconds, so what was asked for is kept in the tab's storage.
function offerNotice(section) {
  const button = section.querySelector(".notify");
  if (!button || !("Notification" in window)) return;
  const wanted = sessionStorage.getItem(noticeOf(section));
  button.hidden = false;
  button.disabled = Boolean(wanted);
  if (wanted) button.textContent = wanted === "granted" ? "You will be notified" : "The browser allows no notices";
}

async function askForNotice(section) {
  sessionStorage.setItem(noticeOf(section), await Notification.requestPermission());
  offerNotice(document.getElementById("progress"));
}

function giveNotice(section) {
  if (!section?.dataset.ended || sessionStorage.getItem(noticeOf(section)) !== "granted") return;
  sessionStorage.removeItem(noticeOf(section));
  try { new Notification(section.dataset.ended); } catch { /* some phones allow none from a page; the page itself says it */ }
}

// -- all together ----------------------------------------------------------------------------------------------------

function begin(root) {
  for (const form of all(".judging, .weighing", root)) showShares(form);
  for (const section of all("#progress", root)) offerNotice(section);
  for (const form of all(".judging", root)) {
    if ("fresh" in form.dataset) bringBack(form);
    else keepDraft(form);
    showShares(form);
    form.querySelector(".refusal.summary")?.focus();
  }
}

document.documentElement.classList.add("js");
begin(document);

document.addEventListener("input", ({ target }) => {
  const form = target.closest("form");
  if (target.type === "range" && form) showShares(form);
  if (form?.matches(".judging")) keepDraft(form);
});
document.addEventListener("change", ({ target }) => {
  if (target.id === "file" && target.files[0]) load(target.form, target.files[0]);
  else if (target.form?.matches(".judging")) keepDraft(target.form);
});
document.addEventListener("dragover", event => {
  if (!document.querySelector(".judging") || !event.dataTransfer.types.includes("Files")) return;
  event.preventDefault();
  document.querySelector(".judging").classList.add("dropping");
});
document.addEventListener("dragleave", event => {
  if (!event.relatedTarget) document.querySelector(".judging")?.classList.remove("dropping");
});
document.addEventListener("drop", event => {
  const form = document.querySelector(".judging"), file = event.dataTransfer.files[0];
  if (!form || !file) return;
  event.preventDefault();
  form.classList.remove("dropping");
  const area = event.target.closest("textarea:not(#whole)");
  // A text file dropped on a text box belongs in that box.
  if (area && !/\.(json|jsonl|csv|tsv)$/i.test(file.name)) {
    file.text().then(text => { area.value = text; keepDraft(form); });
  } else load(form, file);
});
document.addEventListener("click", async ({ target }) => {
  const clear = target.closest(".clear"), button = target.closest(".copy");
  if (target.matches(".notify")) askForNotice(target.closest("#progress"));
  if (clear) localStorage.removeItem(keyOf(clear.closest("form")));
  if (!button) return;
  const text = button.dataset.copy === "blocks"
    ? all(".blocks pre").map(each => each.textContent).join("\n\n") + "\n"
    : document.getElementById(button.dataset.copy).textContent + "\n";
  const label = button.textContent;
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = "Copied";
  } catch {
    // Browsers allow copying only on secure (HTTPS or local) pages. Select the text, so that it can be copied by hand.
    const boxes = button.dataset.copy === "blocks" ? all(".blocks pre") : [document.getElementById(button.dataset.copy)];
    for (const box of boxes) box.closest("details")?.setAttribute("open", "");
    getSelection().setBaseAndExtent(boxes[0], 0, boxes.at(-1), boxes.at(-1).childNodes.length);
    button.textContent = "Selected: press Ctrl+C";
  }
  setTimeout(() => { button.textContent = label; }, 1500);
});
// -- refusals --------------------------------------------------------------------------------------------------------

function reasonOf(answer) {
  try { return JSON.parse(answer).error; } catch { /* a page, not JSON */ }
  return new DOMParser().parseFromString(answer, "text/html").querySelector(".rationale")?.textContent;
}

document.addEventListener("htmx:beforeSwap", ({ detail }) => {
  const { xhr } = detail, form = detail.elt.closest?.(".judging");
  // A page that comes back with its errors takes the place of the one that was sent; any other refusal must not.
  if (xhr.status < 400 || /<form id="(judge|new-run)"|id="refused"/.test(xhr.responseText)) return;
  detail.shouldSwap = false;
  if (!form) return;
  let refusal = form.querySelector(".refusal.summary");
  if (!refusal) {
    refusal = document.createElement("p");
    Object.assign(refusal, { className: "refusal summary", role: "alert", tabIndex: -1, dir: "auto" });
    form.querySelector(".desk").before(refusal);
  }
  refusal.textContent = `${reasonOf(xhr.responseText) ?? `The service answered ${xhr.status}`}. What you entered is still here.`;
  refusal.focus();
});
document.addEventListener("htmx:afterSwap", ({ detail }) => begin(detail.target.parentElement ?? document));
document.addEventListener("htmx:beforeOnLoad", ({ detail }) => {
  // The run has ended, and the page is about to load again.
  if (detail.elt.id === "progress" && detail.xhr.getResponseHeader("hx-refresh"))
    giveNotice(new DOMParser().parseFromString(detail.xhr.responseText, "text/html").getElementById("progress"));
  const form = detail.elt.closest?.(".judging");
  if (form && detail.xhr.getResponseHeader("hx-redirect")?.startsWith("/verdicts/")) localStorage.removeItem(keyOf(form));
});
document.addEventListener("htmx:sendError", ({ detail }) => {
  const form = detail.elt.closest?.(".judging");
  const said = form?.querySelector(".working") ?? document.getElementById("refused");
  if (said) said.textContent = "The service cannot be reached; nothing was lost. Try again.";
});
