// The right pane of the desk: sources and documents open in it where there is room, and on a page of their own elsewhere.

import { showMark } from "./marks.js";

const LINKS = "a[data-pane], a.cite, .citation a, #document-list a.row-name";

const pane = document.getElementById("pane");
const content = document.getElementById("pane-content");
const room = matchMedia("(min-width: 76rem)");
let opener = null;

function open(url) {
  pane.setAttribute("aria-busy", "true");
  return htmx.ajax("GET", url, { target: content, swap: "innerHTML show:none" });
}

function close() {
  pane.hidden = true;
  content.replaceChildren();
  opener?.focus();
  opener = null;
}

// A click that asks for a tab or a window of its own is the browser's.
function isPlain(event) {
  return event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.altKey;
}

document.addEventListener("click", (event) => {
  const link = event.target.closest?.(LINKS);
  if (!link || !room.matches || !isPlain(event)) return;
  event.preventDefault();
  if (!pane.contains(link)) opener = link;
  // Without the anchor, to which htmx would scroll by itself.
  open(link.pathname + link.search);
});

document.addEventListener("submit", (event) => {
  const form = event.target.closest("form[data-pane]");
  if (!form || !pane.contains(form)) return;
  event.preventDefault();
  open(`${form.action}?${new URLSearchParams(new FormData(form))}`);
});

content.addEventListener("htmx:afterSwap", (event) => {
  if (event.detail.target !== content) return;
  pane.hidden = false;
  pane.removeAttribute("aria-busy");
  content.scrollTop = 0;
  content.querySelector("h1")?.focus({ preventScroll: true });
  showMark(content);
});

// What cannot be shown in the pane is shown as a page, which says why.
for (const failure of ["htmx:responseError", "htmx:sendError"]) {
  content.addEventListener(failure, (event) => {
    if (event.detail.target === content) location.assign(event.detail.pathInfo.requestPath);
  });
}

document.getElementById("pane-close").addEventListener("click", close);
pane.addEventListener("keydown", (event) => {
  if (event.key === "Escape") close();
});
