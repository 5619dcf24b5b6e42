// Shows what is on its way: a row for each file, and a line about all of them.

const rows = document.getElementById("uploads");
const line = document.getElementById("sending");
const numbers = new Intl.NumberFormat(document.documentElement.lang);

// Makes the row of a file, or of something that cannot be sent.
export function rowFor(name) {
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

export function refuse(row, message) {
  note(row, message, "row-note-bad");
}

export function note(row, message, kind) {
  const words = document.createElement("span");
  words.className = `row-note ${kind}`;
  words.textContent = message;
  row.querySelector("progress").replaceWith(words);
}

// Says which file of how many is sent; a total of 0 is the end.
export function tell(number, total) {
  line.hidden = !total;
  line.textContent = total ? `Sending ${numbers.format(number)} of ${numbers.format(total)} files` : "";
  if (!total) rows.hidden = !rows.childElementCount;
}

export function megabytes(bytes) {
  return numbers.format(Math.ceil(bytes / 1_048_576));
}
