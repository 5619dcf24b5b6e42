// Sends chosen and dropped files one by one, each with a row that shows its progress or why it was refused.

import { filesOf } from "./dropped.js";

const form = document.getElementById("upload");
const input = form.elements.files;
const rows = document.getElementById("uploads");
const over = document.getElementById("drop-over");
const FULL = 507;
const BROKEN = "Sending broke off. See that the file is still there, Readahead runs and its disk has room; then add it again.";
const waiting = [];
let sending = false;

// With the page's own uploader, choosing is enough.
form.querySelector("[data-upload-button]").hidden = true;
form.classList.add("drop-live");
input.addEventListener("change", take);
// Somebody may have been quicker than this script.
take();

function take() {
  add([...input.files]);
  input.value = "";
}

let depth = 0;
addEventListener("dragenter", (event) => toggle(event, ++depth > 0));
addEventListener("dragleave", (event) => toggle(event, --depth > 0));
addEventListener("dragover", (event) => event.preventDefault());
addEventListener("drop", async (event) => {
  event.preventDefault();
  depth = 0;
  over.hidden = true;
  const { files, unreadable } = await filesOf(event.dataTransfer);
  for (const name of unreadable) refuse(rowFor(name), "It could not be read. Check who may open it, then add it again.");
  add(files);
});

function toggle(event, shown) {
  if (event.dataTransfer?.types.includes("Files")) over.hidden = !shown;
}

function add(files) {
  for (const file of files) waiting.push({ file, row: rowFor(file.name) });
  send();
}

async function send() {
  if (sending) return;
  sending = true;
  while (waiting.length) {
    const { file, row } = waiting.shift();
    const maxBytes = Number(form.dataset.maxBytes);
    if (file.size > maxBytes) {
      refuse(row, `Too large: ${megabytes(file.size)} MB, and ${megabytes(maxBytes)} MB is the most.`);
    } else {
      await post(file, row);
    }
  }
  sending = false;
}

// XMLHttpRequest, because fetch does not tell how much of a body has been sent.
function post(file, row) {
  return new Promise((done) => {
    const request = new XMLHttpRequest();
    const body = new FormData();
    body.append("files", file);
    request.upload.addEventListener("progress", (event) => {
      row.querySelector("progress").value = event.total ? event.loaded / event.total : 0;
    });
    request.addEventListener("load", () => finish(row, request));
    request.addEventListener("error", () => refuse(row, BROKEN));
    request.addEventListener("loadend", done);
    request.open("POST", form.action);
    request.setRequestHeader("Accept", "application/json");
    request.setRequestHeader("X-CSRFToken", form.elements.csrfmiddlewaretoken.value);
    request.send(body);
  });
}

function finish(row, request) {
  const answer = request.getResponseHeader("Content-Type")?.includes("json") ? JSON.parse(request.responseText) : null;
  if (request.status === FULL) return refuse(row, request.responseText);
  if (!answer) return refuse(row, `The upload was not taken (${request.status}). Load the page again and add the file again.`);
  if (answer.refused.length) return refuse(row, answer.refused.join(" "));
  if (answer.added[0].duplicate) note(row, "Here already: the same content is kept once.", "");
  else row.remove();
  rows.hidden = !rows.childElementCount;
  document.body.dispatchEvent(new Event("documents-changed"));
}

function refuse(row, message) {
  note(row, message, "row-note-bad");
}

function note(row, message, kind) {
  const line = document.createElement("span");
  line.className = `row-note ${kind}`;
  line.textContent = message;
  row.querySelector("progress").replaceWith(line);
}

function rowFor(name) {
  const row = document.createElement("li");
  const label = document.createElement("span");
  const bar = document.createElement("progress");
  row.className = "row upload-row";
  label.className = "row-name";
  label.textContent = name;
  bar.className = "progress";
  bar.max = 1;
  bar.value = 0;
  bar.setAttribute("aria-label", `Upload of ${name}`);
  row.append(label, bar);
  rows.append(row);
  rows.hidden = false;
  return row;
}

function megabytes(bytes) {
  return Math.ceil(bytes / 1_048_576).toLocaleString(document.documentElement.lang);
}
