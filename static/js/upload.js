// Sends chosen and dropped files one by one, each with a row that shows its progress or why it was refused.

import { filesOf, shownOf } from "./dropped.js";
import { megabytes, note, refuse, rowFor, tell } from "./uploads.js";

const form = document.getElementById("upload");
const input = form.elements.files;
const folder = document.getElementById("upload-folder");
const over = document.getElementById("drop-over");
const FULL = 507;
const BROKEN = "Sending broke off. See that the file is still there, Readahead runs and its disk has room; then add it again.";
const NOTHING = "There are no files in this folder, or hidden ones alone.";
const waiting = [];
// What is on its way: the same file chosen twice, as by a double click, is sent once.
const under = new Set();
let sending = false;
let sent = 0;

// With the page's own uploader, choosing is enough.
form.querySelector("[data-upload-button]").hidden = true;
folder.parentElement.hidden = false;
form.classList.add("drop-live");
input.addEventListener("change", take);
folder.addEventListener("change", takeFolder);
// Somebody may have been quicker than this script.
take();

function take() {
  add([...input.files]);
  input.value = "";
}

function takeFolder() {
  const shown = shownOf(folder.files);
  if (!shown.length) refuse(rowFor("Folder"), NOTHING);
  add(shown);
  folder.value = "";
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

// Bytes on their way are lost with the page; the browser asks first.
addEventListener("beforeunload", (event) => {
  if (sending) event.preventDefault();
});

function toggle(event, shown) {
  if (event.dataTransfer?.types.includes("Files")) over.hidden = !shown;
}

function add(files) {
  const maxBytes = Number(form.dataset.maxBytes);
  for (const file of files) {
    const key = keyOf(file);
    if (under.has(key)) continue;
    const row = rowFor(file.name);
    if (file.size > maxBytes) {
      refuse(row, `Too large: ${megabytes(file.size)} MB, and ${megabytes(maxBytes)} MB is the most.`);
    } else {
      under.add(key);
      waiting.push({ file, row });
    }
  }
  send();
}

function keyOf(file) {
  return [file.webkitRelativePath || file.name, file.size, file.lastModified].join("\n");
}

async function send() {
  if (sending) return;
  sending = true;
  sent = 0;
  while (waiting.length) {
    const { file, row } = waiting.shift();
    sent += 1;
    tell(sent, sent + waiting.length);
    await post(file, row);
    under.delete(keyOf(file));
  }
  sending = false;
  tell(0, 0);
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
  document.body.dispatchEvent(new Event("documents-changed"));
}
